// What statuses say: counts in units of types, MPI_ERROR left alone, probe and receive in agreement.
#include "test/mprobe/Calls.h"

namespace mprobe {
namespace {

constexpr int mark = 424242;

MPI_Status marked() {
  MPI_Status status{};
  status.MPI_ERROR = mark;
  return status;
}

/// Sends `size` bytes to oneself, runs `take`, and completes the send.
template <class Take> void withMessage(Context& context, std::size_t size, Take take) {
  const Bytes data = makeData(size, 1);
  MPI_Request request;
  context.ok(
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, context.rank(), 1, context.comm(), &request),
      "MPI_Isend");
  take();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Neither probe nor receive writes MPI_ERROR.
void errorUntouched(Context& context, Path path) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{5000}, std::size_t{300000}}) {
    withMessage(context, size, [&] {
      Found found;
      found.comm = context.comm();
      found.status = marked();
      if (path.probe == ProbeCall::probe)
        MPI_Probe(context.rank(), 1, context.comm(), &found.status);
      else if (path.probe == ProbeCall::mprobe)
        MPI_Mprobe(context.rank(), 1, context.comm(), &found.message, &found.status);
      else
        while (!look(context, path.probe, context.rank(), 1, context.comm(), found))
          continue;
      context.equal(found.status.MPI_ERROR, mark, "MPI_ERROR after the probe");
      MPI_Status status = marked();
      Bytes buffer(size);
      context.ok(receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(size), MPI_BYTE, found,
                         &status),
                 "the receive");
      context.equal(status.MPI_ERROR, mark, "MPI_ERROR after the receive");
    });
  }
}

/// Nor do the calls that complete an Imrecv, when all goes well.
void errorUntouchedByCompletion(Context& context, int way) {
  withMessage(context, 300000, [&] {
    Found found = find(context, ProbeCall::mprobe, context.rank(), 1);
    Bytes buffer(300000);
    MPI_Request request;
    MPI_Imrecv(buffer.data(), 300000, MPI_BYTE, &found.message, &request);
    MPI_Status status = marked();
    int flag = 0;
    int index = 0;
    while (!flag) {
      flag = 1;
      switch (way) {
      case 0:
        context.ok(MPI_Request_get_status(request, &flag, &status), "MPI_Request_get_status");
        break;
      case 1:
        context.ok(MPI_Test(&request, &flag, &status), "MPI_Test");
        break;
      case 2:
        context.ok(MPI_Testany(1, &request, &index, &flag, &status), "MPI_Testany");
        break;
      case 3:
        context.ok(MPI_Waitany(1, &request, &index, &status), "MPI_Waitany");
        break;
      case 4:
        context.ok(MPI_Testall(1, &request, &flag, &status), "MPI_Testall");
        break;
      case 5:
        context.ok(MPI_Waitall(1, &request, &status), "MPI_Waitall");
        break;
      case 6:
        context.ok(MPI_Testsome(1, &request, &flag, &index, &status), "MPI_Testsome");
        break;
      default:
        context.ok(MPI_Waitsome(1, &request, &flag, &index, &status), "MPI_Waitsome");
        break;
      }
    }
    context.equal(status.MPI_ERROR, mark, "MPI_ERROR");
    context.statusIs(status, context.rank(), 1, 300000);
    context.check(isData(buffer.data(), buffer.size(), 1), "the data are wrong");
    context.ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  });
}

/// MPI_Get_count in several units, of a probed and of a received status.
void countsInUnits(Context& context, Path path) {
  const std::size_t sizes[] = {0, 4, 7, 8, 12, 24, 8192, 96000, 240000};
  MPI_Datatype three;
  MPI_Datatype empty;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&three);
  MPI_Type_commit(&empty);
  for (const std::size_t size : sizes) {
    withMessage(context, size, [&] {
      Found found = find(context, path.probe, context.rank(), 1);
      Bytes buffer(size);
      MPI_Status status{};
      const MPI_Status probed = found.status;
      context.ok(receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(size), MPI_BYTE, found,
                         &status),
                 "the receive");
      for (const MPI_Status& one : {probed, status}) {
        const auto countOf = [&](MPI_Datatype type) {
          int count = -77;
          context.ok(MPI_Get_count(&one, type, &count), "MPI_Get_count");
          return count;
        };
        const auto wanted = [&](std::size_t unit) {
          return size % unit ? MPI_UNDEFINED : static_cast<int>(size / unit);
        };
        context.equal(countOf(MPI_BYTE), static_cast<int>(size), "the count of MPI_BYTE");
        context.equal(countOf(MPI_PACKED), static_cast<int>(size), "the count of MPI_PACKED");
        context.equal(countOf(MPI_INT), wanted(sizeof(int)), "the count of MPI_INT");
        context.equal(countOf(MPI_DOUBLE), wanted(sizeof(double)), "the count of MPI_DOUBLE");
        context.equal(countOf(three), wanted(3 * sizeof(int)), "the count of three integers");
        if (size % sizeof(int) == 0) {
          int elements = -77;
          context.ok(MPI_Get_elements(&one, three, &elements), "MPI_Get_elements");
          context.equal(elements, static_cast<int>(size / sizeof(int)), "the elements of three integers");
        }
        if (size == 0)
          context.equal(countOf(empty), 0, "the count of a type of size zero");
      }
    });
  }
  MPI_Type_free(&three);
  MPI_Type_free(&empty);
}

void countLarge(Context& context) {
#if MPI_VERSION >= 4
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{16}, std::size_t{400000}}) {
    withMessage(context, size, [&] {
      Found found = find(context, ProbeCall::improbe, MPI_ANY_SOURCE, MPI_ANY_TAG);
      MPI_Count count = -1;
      context.ok(MPI_Get_count_c(&found.status, MPI_BYTE, &count), "MPI_Get_count_c");
      context.equal(count, static_cast<MPI_Count>(size), "the count of MPI_BYTE");
      context.ok(MPI_Get_count_c(&found.status, MPI_DOUBLE, &count), "MPI_Get_count_c");
      const MPI_Count wanted = size % 8 ? MPI_UNDEFINED : static_cast<MPI_Count>(size / 8);
      context.equal(count, wanted, "the count of MPI_DOUBLE");
      receiveData(context, {ProbeCall::improbe, ReceiveCall::mrecvLarge}, context.rank(), 1, found, size, 1);
    });
  }
#else
  context.skip("no large-count calls");
#endif
}

/// Statuses may be ignored in every call.
void ignored(Context& context, Path path) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{300000}}) {
    withMessage(context, size, [&] {
      Found found;
      found.comm = context.comm();
      found.status.MPI_SOURCE = context.rank();
      found.status.MPI_TAG = 1;
      int flag = 0;
      if (path.probe == ProbeCall::probe)
        context.ok(MPI_Probe(MPI_ANY_SOURCE, 1, context.comm(), MPI_STATUS_IGNORE), "MPI_Probe");
      else if (path.probe == ProbeCall::mprobe)
        context.ok(MPI_Mprobe(MPI_ANY_SOURCE, 1, context.comm(), &found.message, MPI_STATUS_IGNORE),
                   "MPI_Mprobe");
      while (path.probe == ProbeCall::iprobe && !flag)
        context.ok(MPI_Iprobe(MPI_ANY_SOURCE, 1, context.comm(), &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
      while (path.probe == ProbeCall::improbe && !flag)
        context.ok(MPI_Improbe(MPI_ANY_SOURCE, 1, context.comm(), &flag, &found.message, MPI_STATUS_IGNORE),
                   "MPI_Improbe");
      Bytes buffer(size);
      context.ok(receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(size), MPI_BYTE, found,
                         MPI_STATUS_IGNORE),
                 "the receive");
      context.check(isData(buffer.data(), size, 1), "the data are wrong");
    });
  }
}

/// A found message and a received one are not cancelled.
void notCancelled(Context& context, Path path) {
  withMessage(context, 64, [&] {
    Found found = find(context, path.probe, MPI_ANY_SOURCE, 1);
    int cancelled = 1;
    MPI_Test_cancelled(&found.status, &cancelled);
    context.check(!cancelled, "a probed status says cancelled");
    MPI_Status status{};
    Bytes buffer(64);
    receive(context, path.receive, buffer.data(), 64, MPI_BYTE, found, &status);
    cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    context.check(!cancelled, "a received status says cancelled");
  });
}

} // namespace

void addStatusCases(Registry& registry) {
  for (const Path path : allPaths()) {
    registry.add("status." + name(path) + ".error_untouched", {1, 2},
                 [=](Context& context) { errorUntouched(context, path); });
    registry.add("status." + name(path) + ".counts_in_units", {1, 2},
                 [=](Context& context) { countsInUnits(context, path); });
    registry.add("status." + name(path) + ".ignored", {1, 2},
                 [=](Context& context) { ignored(context, path); });
    registry.add("status." + name(path) + ".not_cancelled", {1, 2},
                 [=](Context& context) { notCancelled(context, path); });
  }
  const char* const ways[] = {"get_status", "test",    "testany",  "waitany",
                              "testall",    "waitall", "testsome", "waitsome"};
  for (int way = 0; way < 8; ++way)
    registry.add(std::string("status.imrecv_") + ways[way] + ".error_untouched", {1, 2},
                 [=](Context& context) { errorUntouchedByCompletion(context, way); });
  registry.add("status.get_count_c", {1, 2}, countLarge);
}

} // namespace mprobe
