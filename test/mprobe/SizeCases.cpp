// Messages of every size class, with the switches between the protocols of common transports inside each
// class.
#include "test/mprobe/Calls.h"

namespace mprobe {
namespace {

struct SizeClass {
  const char* name;
  std::vector<std::size_t> sizes;
};

const std::vector<SizeClass>& sizeClasses() {
  static const std::vector<SizeClass> classes = {
      {"short",
       {0, 1, 7, 8, 9, 16, 63, 64, 65, 91, 92, 93, 100, 127, 128, 129, 199, 200, 201, 255, 256, 257}},
      {"eager",
       {512, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8000, 8191, 8192, 8193, 8256}},
      {"switch", {9000, 12000, 16383, 16384, 16385, 32767, 32768, 32769, 65535, 65536, 65537}},
      {"rendezvous", {131072, 262143, 262144, 262145, 524289, 1048575, 1048576, 1048577}},
  };
  return classes;
}

/// Everyone sends one message of each size to rank 0. With `arriving` rank 0 probes before they are sent (the
/// probe waits), else when they are there.
void takeSizes(Context& context, Path path, const std::vector<std::size_t>& sizes, bool arriving) {
  int tag = 0;
  for (const std::size_t size : sizes) {
    ++tag;
    const Bytes data = makeData(size, seedOf(context.rank(), tag));
    MPI_Request request = MPI_REQUEST_NULL;
    const auto send = [&] {
      context.ok(MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, tag, context.comm(), &request),
                 "MPI_Isend");
    };
    if (context.rank() == 0) {
      send();
      for (int source = 0; source < context.size(); ++source) {
        if (source != 0 && arriving)
          context.signal(source);
        else if (source != 0)
          context.await(source);
        takeData(context, path, source, tag, size, seedOf(source, tag));
      }
    } else if (arriving) {
      context.await(0);
      send();
    } else {
      send();
      context.signal(0);
    }
    context.ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

/// Several MiB, both ways at once.
void exchangeLarge(Context& context, Path path) {
  const std::size_t sizes[] = {2097153, 4194304, 9000001};
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  int tag = 5;
  for (const std::size_t size : sizes) {
    const Bytes data = makeData(size, seedOf(context.rank(), ++tag));
    MPI_Request request = MPI_REQUEST_NULL;
    context.ok(MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, tag, context.comm(), &request),
               "MPI_Isend");
    takeData(context, path, from, tag, size, seedOf(from, tag));
    context.ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

/// A buffer larger than the message: only the message's bytes are written, and the count is the message's.
void largerBuffer(Context& context, Path path) {
  const std::size_t sizes[] = {0, 1, 150, 5000, 8192, 20000, 100000, 300000};
  int tag = 0;
  for (const std::size_t size : sizes) {
    ++tag;
    const Bytes data = makeData(size, seedOf(context.rank(), tag));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, tag, context.comm(), &request);
    if (context.rank() == 0) {
      for (int source = 0; source < context.size(); ++source) {
        Found found = find(context, path.probe, source, tag);
        Bytes buffer(size * 2 + 64, 0x5A);
        MPI_Status status{};
        context.ok(receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(buffer.size()),
                           MPI_BYTE, found, &status),
                   name(path.receive));
        context.statusIs(status, source, tag, static_cast<MPI_Count>(size));
        context.check(isData(buffer.data(), size, seedOf(source, tag)), "the data are wrong");
        bool untouched = true;
        for (std::size_t at = size; at < buffer.size(); ++at)
          untouched = untouched && buffer[at] == 0x5A;
        context.check(untouched, "bytes behind the message were written");
      }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// Each size from 0 to 300 and some around every power of two: the probed count is exact.
void everyCount(Context& context, ProbeCall call) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 300; ++size)
    sizes.push_back(size);
  for (std::size_t power = 512; power <= 131072; power *= 2)
    for (std::size_t size = power - 2; size <= power + 2; ++size)
      sizes.push_back(size);
  const Bytes data = makeData(sizes.back(), 1);
  const Path path = {call, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv};
  const int sender = context.size() - 1;
  for (const std::size_t size : sizes) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (context.rank() == sender)
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 1, context.comm(), &request);
    if (context.rank() == 0) {
      Found found = find(context, call, sender, 1);
      int count = -1;
      MPI_Get_count(&found.status, MPI_BYTE, &count);
      context.equal(count, static_cast<int>(size), "the count found");
      receiveData(context, path, sender, 1, found, size, 1);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

} // namespace

void addSizeCases(Registry& registry) {
  for (const Path path : allPaths()) {
    for (const SizeClass& sizeClass : sizeClasses()) {
      const auto& sizes = sizeClass.sizes;
      registry.add("size." + name(path) + "." + sizeClass.name, {}, [=](Context& context) {
        takeSizes(context, path, sizes, false);
        takeSizes(context, path, sizes, true);
      });
    }
    registry.add("size." + name(path) + ".exchange_large", {},
                 [=](Context& context) { exchangeLarge(context, path); });
    registry.add("size." + name(path) + ".larger_buffer", {},
                 [=](Context& context) { largerBuffer(context, path); });
  }
  for (const ProbeCall call : allProbeCalls())
    registry.add("size." + std::string(name(call)) + ".every_count", {1, 2},
                 [=](Context& context) { everyCount(context, call); });
}

} // namespace mprobe
