// Which message a probe finds: exact source and tag, any of either, any of both.
#include "test/mprobe/Calls.h"

namespace mprobe {
namespace {

constexpr int perRank = 3;
constexpr int firstTag = 40;

std::size_t sizeOf(int source, int tag) {
  return static_cast<std::size_t>(source) * 10 + static_cast<std::size_t>(tag);
}

/// Every rank sends `perRank` messages of different tags and sizes to rank 0, which takes them with the given
/// wildcards.
void takeAll(Context& context, Path path, bool anySource, bool anyTag) {
  std::vector<Bytes> data;
  std::vector<MPI_Request> requests(perRank);
  for (int i = 0; i < perRank; ++i) {
    const int tag = firstTag + i;
    data.push_back(makeData(sizeOf(context.rank(), tag), seedOf(context.rank(), tag)));
    context.ok(MPI_Isend(data.back().data(), static_cast<int>(data.back().size()), MPI_BYTE, 0, tag,
                         context.comm(), &requests[i]),
               "MPI_Isend");
  }
  if (context.rank() == 0) {
    std::vector<int> taken(static_cast<std::size_t>(context.size() * perRank), 0);
    for (int i = 0; i < context.size() * perRank; ++i) {
      // Without a wildcard for the tag they are asked for in another order than they were sent in.
      const int wantedSource = i % context.size();
      const int wantedTag = firstTag + perRank - 1 - i / context.size();
      Found found = find(context, path.probe, anySource ? MPI_ANY_SOURCE : wantedSource,
                         anyTag ? MPI_ANY_TAG : wantedTag);
      const int source = found.status.MPI_SOURCE;
      const int tag = found.status.MPI_TAG;
      if (!context.check(source >= 0 && source < context.size() && tag >= firstTag &&
                             tag < firstTag + perRank,
                         "the source or tag found was never sent"))
        return;
      context.check(anySource || source == wantedSource, "found another source than asked for");
      context.check(anyTag || tag == wantedTag, "found another tag than asked for");
      context.statusIs(found.status, source, tag, static_cast<MPI_Count>(sizeOf(source, tag)));
      receiveData(context, path, source, tag, found, sizeOf(source, tag), seedOf(source, tag));
      ++taken[static_cast<std::size_t>(source * perRank + tag - firstTag)];
    }
    for (int count : taken)
      context.equal(count, 1, "the number of times that a message was found");
  }
  MPI_Waitall(perRank, requests.data(), MPI_STATUSES_IGNORE);
}

/// The largest tag there is, and tag 0.
void extremeTags(Context& context) {
  int* upper = nullptr;
  int flag = 0;
  context.ok(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag), "MPI_Comm_get_attr");
  if (!context.check(flag && *upper >= 32767, "MPI_TAG_UB is missing or below 32767"))
    return;
  const int tags[] = {*upper, 0, *upper - 1, 32767};
  for (ProbeCall call : allProbeCalls()) {
    MPI_Request requests[4];
    for (int i = 0; i < 4; ++i)
      context.ok(MPI_Isend(&tags[i], 1, MPI_INT, 0, tags[i], context.comm(), &requests[i]), "MPI_Isend");
    if (context.rank() == 0) {
      for (int source = 0; source < context.size(); ++source) {
        for (int i = 3; i >= 0; --i) {
          Found found = find(context, call, source, tags[i]);
          context.statusIs(found.status, source, tags[i], sizeof(int));
          int value = -1;
          context.ok(receive(context, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv, &value, 1,
                             MPI_INT, found, MPI_STATUS_IGNORE),
                     "the receive");
          context.equal(value, tags[i], "the value received");
        }
      }
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

/// A probe for one source passes over what others sent before.
void passesOverOthers(Context& context, ProbeCall call) {
  const int last = context.size() - 1;
  int value = context.rank();
  if (context.rank() == 0) {
    for (int source = 1; source < last; ++source)
      context.await(source);
    context.signal(last);
    Found found = find(context, call, last, MPI_ANY_TAG);
    context.statusIs(found.status, last, 9, sizeof(int));
    const ReceiveCall by = isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv;
    context.ok(receive(context, by, &value, 1, MPI_INT, found, MPI_STATUS_IGNORE), "the receive");
    context.equal(value, last, "the value received");
    for (int source = 1; source < last; ++source) {
      MPI_Recv(&value, 1, MPI_INT, source, 9, context.comm(), MPI_STATUS_IGNORE);
      context.equal(value, source, "the value received");
    }
  } else if (context.rank() == last) {
    context.await(0);
    MPI_Send(&value, 1, MPI_INT, 0, 9, context.comm());
  } else {
    MPI_Send(&value, 1, MPI_INT, 0, 9, context.comm());
    context.signal(0);
  }
}

} // namespace

void addWildcardCases(Registry& registry) {
  const Path paths[] = {{ProbeCall::probe, ReceiveCall::recv},
                        {ProbeCall::iprobe, ReceiveCall::recv},
                        {ProbeCall::mprobe, ReceiveCall::mrecv},
                        {ProbeCall::improbe, ReceiveCall::imrecv}};
  for (const Path path : paths) {
    for (const bool anySource : {false, true}) {
      for (const bool anyTag : {false, true}) {
        const std::string how = anySource ? (anyTag ? "any" : "any_source") : (anyTag ? "any_tag" : "exact");
        registry.add("match." + std::string(name(path.probe)) + "." + how, {},
                     [=](Context& context) { takeAll(context, path, anySource, anyTag); });
      }
    }
  }
  for (const ProbeCall call : allProbeCalls())
    registry.add("match." + std::string(name(call)) + ".passes_over_other_sources", {3, 4},
                 [=](Context& context) { passesOverOthers(context, call); });
  registry.add("match.extreme_tags", {}, extremeTags);
}

} // namespace mprobe
