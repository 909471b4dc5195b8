// Messages of one sender on one communicator do not overtake each other: between eager and rendezvous,
// between probes and receives, and whatever mode they were sent in.
#include "test/mprobe/Calls.h"

#include <numeric>

namespace mprobe {
namespace {

constexpr std::size_t mixedSizes[] = {4, 100000, 8, 9000, 4, 400000, 200, 8192, 70000, 16, 1000000, 5};
constexpr int mixedCount = static_cast<int>(sizeof mixedSizes / sizeof mixedSizes[0]);

/// Sends started and not yet completed, with their data.
class Sends {
public:
  explicit Sends(Context& context) : context_(context) {}
  void start(std::size_t size, int to, int tag, std::uint64_t seed) {
    data_.push_back(makeData(size, seed));
    requests_.push_back(MPI_REQUEST_NULL);
    context_.ok(MPI_Isend(data_.back().data(), static_cast<int>(size), MPI_BYTE, to, tag, context_.comm(),
                          &requests_.back()),
                "MPI_Isend");
  }
  void finish() {
    context_.ok(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
                "MPI_Waitall");
  }

private:
  Context& context_;
  std::vector<Bytes> data_;
  std::vector<MPI_Request> requests_;
};

void sendMixed(Context& context, Sends& sends, int tagStep) {
  for (int i = 0; i < mixedCount; ++i)
    sends.start(mixedSizes[i], 0, 5 + i * tagStep, seedOf(context.rank(), 5, static_cast<std::uint64_t>(i)));
}

/// Small and large messages alternate on one tag; they are found in the order of sending.
void eagerAndRendezvous(Context& context, Path path, bool anyTag, int tagStep) {
  Sends sends(context);
  sendMixed(context, sends, tagStep);
  if (context.rank() == 0) {
    for (int source = context.size() - 1; source >= 0; --source) {
      for (int i = 0; i < mixedCount; ++i) {
        Found found = find(context, path.probe, source, anyTag ? MPI_ANY_TAG : 5);
        const int tag = 5 + i * tagStep;
        if (!context.statusIs(found.status, source, tag, static_cast<MPI_Count>(mixedSizes[i])))
          return;
        receiveData(context, path, source, tag, found, mixedSizes[i],
                    seedOf(source, 5, static_cast<std::uint64_t>(i)));
      }
    }
  }
  sends.finish();
}

/// With any source, the messages of each sender come in their order.
void perSource(Context& context, Path path) {
  Sends sends(context);
  sendMixed(context, sends, 1);
  if (context.rank() == 0) {
    std::vector<int> next(static_cast<std::size_t>(context.size()), 0);
    for (int k = 0; k < context.size() * mixedCount; ++k) {
      Found found = find(context, path.probe, MPI_ANY_SOURCE, MPI_ANY_TAG);
      const int source = found.status.MPI_SOURCE;
      if (!context.check(source >= 0 && source < context.size(), "the source found does not exist"))
        return;
      const int i = next[static_cast<std::size_t>(source)]++;
      if (!context.statusIs(found.status, source, 5 + i, static_cast<MPI_Count>(mixedSizes[i])))
        return;
      receiveData(context, path, source, 5 + i, found, mixedSizes[i],
                  seedOf(source, 5, static_cast<std::uint64_t>(i)));
    }
  }
  sends.finish();
}

/// All ways to find and receive take turns.
void mixedCalls(Context& context) {
  const std::vector<Path> paths = allPaths();
  Sends sends(context);
  for (int round = 0; round < 3; ++round)
    sendMixed(context, sends, 0);
  if (context.rank() == 0) {
    for (int source = 0; source < context.size(); ++source) {
      for (int k = 0; k < 3 * mixedCount; ++k) {
        const auto i = static_cast<std::uint64_t>(k % mixedCount);
        const auto turn = static_cast<std::size_t>(k) % (paths.size() + 1);
        if (turn < paths.size()) {
          takeData(context, paths[turn], source, 5, mixedSizes[i], seedOf(source, 5, i));
          continue;
        }
        Bytes buffer(mixedSizes[i]);
        MPI_Status status;
        MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, source, 5, context.comm(),
                 &status);
        context.statusIs(status, source, 5, static_cast<MPI_Count>(buffer.size()));
        context.check(isData(buffer.data(), buffer.size(), seedOf(source, 5, i)), "the data are wrong");
      }
    }
  }
  sends.finish();
}

/// Receives that were posted before take the first messages, probes the later ones.
void postedTakeFirst(Context& context, Path path) {
  constexpr int posted = 5;
  if (context.rank() == 0) {
    std::vector<Bytes> buffers;
    std::vector<MPI_Request> requests;
    for (int source = 1; source < context.size(); ++source) {
      for (const std::size_t size : std::vector<std::size_t>(mixedSizes, mixedSizes + posted)) {
        buffers.emplace_back(size);
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Irecv(buffers.back().data(), static_cast<int>(size), MPI_BYTE, source, 5, context.comm(),
                  &requests.back());
      }
    }
    context.barrier();
    for (int source = 1; source < context.size(); ++source)
      for (int i = posted; i < mixedCount; ++i)
        takeData(context, path, source, 5, mixedSizes[i], seedOf(source, 5, static_cast<std::uint64_t>(i)));
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t k = 0; k < buffers.size(); ++k)
      context.check(isData(buffers[k].data(), buffers[k].size(),
                           seedOf(1 + static_cast<int>(k) / posted, 5, k % posted)),
                    "the data of a posted receive are wrong");
  } else {
    context.barrier();
    Sends sends(context);
    sendMixed(context, sends, 0);
    sends.finish();
  }
}

/// Taking one tag out of the middle leaves the order of the others.
void outOfTheMiddle(Context& context, Path path) {
  Sends sends(context);
  sendMixed(context, sends, 1);
  if (context.rank() == 0) {
    for (int source = 0; source < context.size(); ++source) {
      const auto take = [&](int asked, int i) {
        Found found = find(context, path.probe, source, asked);
        context.statusIs(found.status, source, 5 + i, static_cast<MPI_Count>(mixedSizes[i]));
        receiveData(context, path, source, 5 + i, found, mixedSizes[i],
                    seedOf(source, 5, static_cast<std::uint64_t>(i)));
      };
      take(5 + 6, 6);
      take(5 + 1, 1);
      take(5 + mixedCount - 1, mixedCount - 1);
      for (int i = 0; i < mixedCount - 1; ++i)
        if (i != 6 && i != 1)
          take(MPI_ANY_TAG, i);
    }
  }
  sends.finish();
}

/// What a probe tells is what the next receive of that source and tag gets, with any wildcard in the probe.
void probeThenReceive(Context& context, ProbeCall call) {
  constexpr int count = 200;
  Sends sends(context);
  for (int i = 0; i < count; ++i)
    sends.start(static_cast<std::size_t>(i * 13 % 700), 0, i % 7,
                seedOf(context.rank(), 0, static_cast<std::uint64_t>(i)));
  if (context.rank() == 0) {
    for (int k = 0; k < count * context.size(); ++k) {
      const Found found =
          find(context, call, MPI_ANY_SOURCE,
               k % 2 ? MPI_ANY_TAG : find(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG).status.MPI_TAG);
      int bytes = -1;
      MPI_Get_count(&found.status, MPI_BYTE, &bytes);
      Bytes buffer(1000);
      MPI_Status status;
      MPI_Recv(buffer.data(), 1000, MPI_BYTE, found.status.MPI_SOURCE, found.status.MPI_TAG, context.comm(),
               &status);
      if (!context.statusIs(status, found.status.MPI_SOURCE, found.status.MPI_TAG, bytes))
        break;
    }
  }
  sends.finish();
}

/// 5,000 messages through Improbe and Imrecv with many receives open at once.
void longSequence(Context& context, Path path) {
  constexpr int count = 5000;
  constexpr int window = 100;
  if (context.rank() == 0) {
    for (int start = 0; start < count; start += window) {
      for (int source = 1; source < context.size(); ++source) {
        std::vector<int> values(window, -1);
        std::vector<MPI_Request> requests(window);
        for (std::size_t i = 0; i < window; ++i) {
          Found found = find(context, path.probe, source, 6);
          context.ok(MPI_Imrecv(&values[i], 1, MPI_INT, &found.message, &requests[i]), "MPI_Imrecv");
        }
        MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
        for (int i = 0; i < window; ++i)
          if (!context.equal(values[static_cast<std::size_t>(i)], start + i, "the value received"))
            break;
      }
    }
  } else {
    for (int i = 0; i < count; ++i)
      MPI_Send(&i, 1, MPI_INT, 0, 6, context.comm());
  }
}

} // namespace

void addOrderCases(Registry& registry) {
  const Path paths[] = {{ProbeCall::probe, ReceiveCall::recv},
                        {ProbeCall::iprobe, ReceiveCall::irecv},
                        {ProbeCall::mprobe, ReceiveCall::mrecv},
                        {ProbeCall::improbe, ReceiveCall::imrecv}};
  for (const Path path : paths) {
    const std::string prefix = "order." + std::string(name(path.probe)) + ".";
    registry.add(prefix + "one_tag", {},
                 [=](Context& context) { eagerAndRendezvous(context, path, false, 0); });
    registry.add(prefix + "any_tag", {},
                 [=](Context& context) { eagerAndRendezvous(context, path, true, 1); });
    registry.add(prefix + "per_source", {}, [=](Context& context) { perSource(context, path); });
    registry.add(prefix + "posted_take_first", {2, 4},
                 [=](Context& context) { postedTakeFirst(context, path); });
    registry.add(prefix + "out_of_the_middle", {}, [=](Context& context) { outOfTheMiddle(context, path); });
    if (isMatching(path.probe))
      registry.add(prefix + "long_sequence", {2, 4}, [=](Context& context) { longSequence(context, path); });
    else
      registry.add(prefix + "then_receive", {},
                   [=](Context& context) { probeThenReceive(context, path.probe); });
  }
  registry.add("order.mixed_calls", {}, mixedCalls);
}

} // namespace mprobe
