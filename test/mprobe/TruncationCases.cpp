// A message longer than its buffer: always MPI_ERR_TRUNCATE, not a byte beyond the buffer, and the sender
// completes.
#include "test/mprobe/Calls.h"

#include <utility>

namespace mprobe {
namespace {

struct Sizes {
  std::size_t sent;
  std::size_t buffer;
};

const std::vector<std::pair<const char*, std::vector<Sizes>>>& groups() {
  static const std::vector<std::pair<const char*, std::vector<Sizes>>> all = {
      {"short", {{1, 0}, {8, 7}, {9, 8}, {16, 1}, {92, 91}, {93, 92}, {200, 100}, {201, 200}, {256, 0}}},
      {"eager",
       {{1024, 1023}, {4097, 4096}, {8000, 10}, {8191, 8190}, {8192, 8191}, {8193, 8192}, {8256, 0}}},
      {"switch", {{16384, 16383}, {16385, 100}, {65536, 65535}, {65537, 65536}, {65537, 8}, {65536, 0}}},
      {"rendezvous", {{262144, 262143}, {262145, 1000}, {1048577, 1048576}, {4194304, 65536}, {1048576, 0}}},
  };
  return all;
}

/// What is asked of a receive that was cut short.
enum class Ask { standard, promise };

/// Everyone sends too much to rank 0, and after it something that fits.
void tooLong(Context& context, Path path, const std::vector<Sizes>& sizes, bool synchronous, Ask ask) {
  for (const Sizes& one : sizes) {
    const Bytes data = makeData(one.sent, 2);
    MPI_Request requests[2];
    auto* const start = synchronous ? MPI_Issend : MPI_Isend;
    start(data.data(), static_cast<int>(one.sent), MPI_BYTE, 0, 6, context.comm(), &requests[0]);
    const int next = context.rank() + 500;
    MPI_Isend(&next, 1, MPI_INT, 0, 6, context.comm(), &requests[1]);
    if (context.rank() == 0) {
      for (int source = 0; source < context.size(); ++source) {
        Guarded buffer(one.buffer);
        Found found = find(context, path.probe, source, 6);
        context.statusIs(found.status, source, 6, static_cast<MPI_Count>(one.sent));
        MPI_Status status{};
        status.MPI_SOURCE = -99;
        status.MPI_TAG = -99;
        const int code = receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(one.buffer),
                                 MPI_BYTE, found, &status);
        if (ask == Ask::promise) {
          context.equal(status.MPI_SOURCE, source, "the source of a message cut short");
          context.equal(status.MPI_TAG, 6, "the tag of a message cut short");
          context.check(found.message == MPI_MESSAGE_NULL, "the message's handle was left");
        } else {
          context.hasClass(code, MPI_ERR_TRUNCATE, name(path.receive));
          context.check(buffer.intact(),
                        "bytes outside the buffer were written: " + std::to_string(one.sent) +
                            " bytes sent, buffer of " + std::to_string(one.buffer));
        }
        int value = -1;
        found = find(context, path.probe, source, 6);
        context.ok(receive(context, path.receive, &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
                   "the next receive");
        context.equal(value, source + 500, "the value after a message cut short");
      }
    }
    context.ok(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall of the sender");
  }
}

enum class Completion { wait, test, waitany, waitall, waitsome };

/// The ways to complete an Imrecv that was cut short, among others that fit.
void completionOf(Context& context, Completion way, std::size_t size, Ask ask) {
  const Bytes data = makeData(size, 2);
  MPI_Request sends[3];
  for (int i = 0; i < 3; ++i)
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, i, context.comm(), &sends[i]);
  for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
    Bytes whole[2] = {Bytes(size), Bytes(size)};
    Guarded cut(size / 2);
    MPI_Request requests[3];
    MPI_Status statuses[3] = {};
    for (int i = 0; i < 3; ++i) {
      Found found = find(context, ProbeCall::mprobe, source, i);
      void* const buffer = i == 1 ? cut.data() : whole[i / 2].data();
      context.ok(MPI_Imrecv(buffer, static_cast<int>(i == 1 ? size / 2 : size), MPI_BYTE, &found.message,
                            &requests[i]),
                 "MPI_Imrecv");
      statuses[i].MPI_ERROR = 4321;
    }
    int index = 0;
    int flag = 0;
    switch (way) {
    case Completion::wait:
      context.hasClass(MPI_Wait(&requests[1], &statuses[1]), MPI_ERR_TRUNCATE, "MPI_Wait");
      break;
    case Completion::test: {
      int code = MPI_SUCCESS;
      while (!flag && code == MPI_SUCCESS)
        code = MPI_Test(&requests[1], &flag, &statuses[1]);
      context.hasClass(code, MPI_ERR_TRUNCATE, "MPI_Test");
      break;
    }
    case Completion::waitany:
      context.hasClass(MPI_Waitany(1, &requests[1], &index, &statuses[1]), MPI_ERR_TRUNCATE, "MPI_Waitany");
      break;
    case Completion::waitall: {
      // Those that have not completed have MPI_ERR_PENDING and may be completed by another call.
      context.hasClass(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS, "MPI_Waitall");
      context.hasClass(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE, "the MPI_ERROR of the one cut short");
      for (int i : {0, 2})
        context.check(statuses[i].MPI_ERROR == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_ERR_PENDING,
                      "the MPI_ERROR of one that fits is neither MPI_SUCCESS nor MPI_ERR_PENDING");
      break;
    }
    case Completion::waitsome: {
      int code = MPI_SUCCESS;
      while (requests[1] != MPI_REQUEST_NULL) {
        int indices[3];
        MPI_Status some[3] = {};
        for (MPI_Status& one : some)
          one.MPI_ERROR = 4321;
        code = MPI_Waitsome(3, requests, &index, indices, some);
        if (code == MPI_SUCCESS)
          continue;
        context.hasClass(code, MPI_ERR_IN_STATUS, "MPI_Waitsome");
        bool seen = false;
        for (int i = 0; i < index; ++i) {
          if (indices[i] == 1) {
            statuses[1] = some[i];
            seen =
                context.hasClass(some[i].MPI_ERROR, MPI_ERR_TRUNCATE, "the MPI_ERROR of the one cut short");
          } else {
            context.equal(some[i].MPI_ERROR, MPI_SUCCESS, "the MPI_ERROR of one that fits");
          }
        }
        if (!context.check(seen, "the request with the error is not among the completed"))
          break;
      }
      context.check(code != MPI_SUCCESS, "MPI_Waitsome gave no error");
      break;
    }
    }
    context.check(requests[1] == MPI_REQUEST_NULL, "the handle of the failed request was left");
    if (ask == Ask::promise) {
      context.equal(statuses[1].MPI_SOURCE, source, "the source of a message cut short");
      context.equal(statuses[1].MPI_TAG, 1, "the tag of a message cut short");
    }
    context.check(cut.intact(), "bytes outside the buffer were written");
    context.ok(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), "MPI_Waitall of the rest");
    for (const Bytes& one : whole)
      context.check(isData(one.data(), size, 2), "the data of one that fits are wrong");
  }
  context.ok(MPI_Waitall(3, sends, MPI_STATUSES_IGNORE), "MPI_Waitall of the sender");
}

/// With a layout that has gaps: only the places of the layout may be written.
void intoGaps(Context& context, Path path, int items) {
  MPI_Datatype everyOther;
  MPI_Type_vector(items, 1, 2, MPI_INT, &everyOther);
  MPI_Type_commit(&everyOther);
  const int count = items * 3;
  const std::vector<int> data(static_cast<std::size_t>(count), 7);
  MPI_Request request;
  MPI_Isend(data.data(), count, MPI_INT, 0, 6, context.comm(), &request);
  for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
    std::vector<int> buffer(static_cast<std::size_t>(items) * 2 + 10000, -1);
    Found found = find(context, path.probe, source, 6);
    const int code = receive(context, path.receive, buffer.data(), 1, everyOther, found, MPI_STATUS_IGNORE);
    context.hasClass(code, MPI_ERR_TRUNCATE, name(path.receive));
    bool good = true;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      const bool inside = i < static_cast<std::size_t>(items) * 2 && i % 2 == 0;
      good = good && (buffer[i] == -1 || (inside && buffer[i] == 7));
    }
    context.check(good, "a place outside the layout was written");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&everyOther);
}

/// Many one after the other: nothing is used up.
void manyTimes(Context& context, Path path) {
  constexpr int rounds = 1000;
  const Bytes data = makeData(20000, 2);
  if (context.rank() == 0) {
    Guarded buffer(100);
    for (int i = 0; i < rounds * (context.size() - 1); ++i) {
      Found found = find(context, path.probe, MPI_ANY_SOURCE, MPI_ANY_TAG);
      const int code = receive(context, path.receive, buffer.data(), 100, MPI_BYTE, found, MPI_STATUS_IGNORE);
      if (!context.hasClass(code, MPI_ERR_TRUNCATE, name(path.receive)))
        break;
    }
    context.check(buffer.intact(), "bytes outside the buffer were written");
  } else {
    for (int i = 0; i < rounds; ++i)
      context.ok(MPI_Send(data.data(), i % 3 == 0 ? 20000 : 101 + i % 400, MPI_BYTE, 0, i, context.comm()),
                 "MPI_Send");
  }
}

} // namespace

void addTruncationCases(Registry& registry) {
  for (const Path path : allPaths()) {
    const std::string prefix = "truncate." + name(path) + ".";
    std::vector<Sizes> all;
    for (const auto& group : groups()) {
      const auto& sizes = group.second;
      all.insert(all.end(), sizes.begin(), sizes.end());
      registry.add(prefix + group.first, {}, [=](Context& context) {
        tooLong(context, path, sizes, false, Ask::standard);
        tooLong(context, path, sizes, true, Ask::standard);
      });
    }
    registry.add(prefix + "into_gaps", {}, [=](Context& context) {
      for (int items : {10, 1000, 5000, 100000})
        intoGaps(context, path, items);
    });
    registry.add(prefix + "many_times", {2, 4}, [=](Context& context) { manyTimes(context, path); });
    registry.add("promise." + prefix + "status_and_handle", {},
                 [=](Context& context) { tooLong(context, path, all, false, Ask::promise); });
  }
  const std::pair<const char*, Completion> ways[] = {{"wait", Completion::wait},
                                                     {"test", Completion::test},
                                                     {"waitany", Completion::waitany},
                                                     {"waitall", Completion::waitall},
                                                     {"waitsome", Completion::waitsome}};
  for (const auto& way : ways)
    for (const Ask ask : {Ask::standard, Ask::promise})
      registry.add(std::string(ask == Ask::promise ? "promise." : "") + "truncate.imrecv_" + way.first, {},
                   [=](Context& context) {
                     for (std::size_t size :
                          {std::size_t{40}, std::size_t{6000}, std::size_t{50000}, std::size_t{500000}})
                       completionOf(context, way.second, size, ask);
                   });
}

} // namespace mprobe
