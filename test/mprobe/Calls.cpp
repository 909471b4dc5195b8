#include "test/mprobe/Calls.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

namespace mprobe {

const char* name(ProbeCall call) {
  switch (call) {
  case ProbeCall::probe:
    return "probe";
  case ProbeCall::iprobe:
    return "iprobe";
  case ProbeCall::mprobe:
    return "mprobe";
  case ProbeCall::improbe:
    break;
  }
  return "improbe";
}

const char* name(ReceiveCall call) {
  switch (call) {
  case ReceiveCall::recv:
    return "recv";
  case ReceiveCall::irecv:
    return "irecv";
  case ReceiveCall::mrecv:
    return "mrecv";
  case ReceiveCall::imrecv:
    return "imrecv";
  case ReceiveCall::mrecvLarge:
    return "mrecv_c";
  case ReceiveCall::imrecvLarge:
    break;
  }
  return "imrecv_c";
}

std::string name(Path path) {
  return std::string(name(path.probe)) + "_" + name(path.receive);
}

bool isMatching(ProbeCall call) {
  return call == ProbeCall::mprobe || call == ProbeCall::improbe;
}

const std::vector<ProbeCall>& allProbeCalls() {
  static const std::vector<ProbeCall> calls = {ProbeCall::probe, ProbeCall::iprobe, ProbeCall::mprobe,
                                               ProbeCall::improbe};
  return calls;
}

std::vector<Path> matchedPaths() {
  std::vector<Path> paths;
  for (ProbeCall probe : {ProbeCall::mprobe, ProbeCall::improbe}) {
    paths.push_back({probe, ReceiveCall::mrecv});
    paths.push_back({probe, ReceiveCall::imrecv});
#if MPI_VERSION >= 4
    paths.push_back({probe, ReceiveCall::mrecvLarge});
    paths.push_back({probe, ReceiveCall::imrecvLarge});
#endif
  }
  return paths;
}

std::vector<Path> allPaths() {
  std::vector<Path> paths = matchedPaths();
  for (ProbeCall probe : {ProbeCall::probe, ProbeCall::iprobe}) {
    paths.push_back({probe, ReceiveCall::recv});
    paths.push_back({probe, ReceiveCall::irecv});
  }
  return paths;
}

bool look(Context& context, ProbeCall call, int source, int tag, MPI_Comm comm, Found& found) {
  int flag = 0;
  found.comm = comm;
  if (call == ProbeCall::iprobe) {
    context.ok(MPI_Iprobe(source, tag, comm, &flag, &found.status), "MPI_Iprobe");
  } else {
    context.ok(MPI_Improbe(source, tag, comm, &flag, &found.message, &found.status), "MPI_Improbe");
    if (flag)
      context.check(found.message != MPI_MESSAGE_NULL, "MPI_Improbe found a message but gave a null handle");
  }
  return flag != 0;
}

Found find(Context& context, ProbeCall call, int source, int tag, MPI_Comm comm) {
  Found found;
  found.comm = comm;
  if (call == ProbeCall::probe) {
    context.ok(MPI_Probe(source, tag, comm, &found.status), "MPI_Probe");
  } else if (call == ProbeCall::mprobe) {
    context.ok(MPI_Mprobe(source, tag, comm, &found.message, &found.status), "MPI_Mprobe");
    context.check(found.message != MPI_MESSAGE_NULL, "MPI_Mprobe gave a null handle");
  } else {
    // The processor is given up, for there may be more ranks than cores; no other call of MPI is made.
    while (!look(context, call, source, tag, comm, found))
      sched_yield();
  }
  return found;
}

Found find(Context& context, ProbeCall call, int source, int tag) {
  return find(context, call, source, tag, context.comm());
}

int receive(Context& context, ReceiveCall call, void* buffer, MPI_Count count, MPI_Datatype type,
            Found& found, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int source = found.status.MPI_SOURCE;
  const int tag = found.status.MPI_TAG;
  const int number = static_cast<int>(count);
  int code = MPI_SUCCESS;
  switch (call) {
  case ReceiveCall::recv:
    return MPI_Recv(buffer, number, type, source, tag, found.comm, status);
  case ReceiveCall::irecv:
    code = MPI_Irecv(buffer, number, type, source, tag, found.comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, status) : code;
  case ReceiveCall::mrecv:
    code = MPI_Mrecv(buffer, number, type, &found.message, status);
    break;
  case ReceiveCall::imrecv:
    code = MPI_Imrecv(buffer, number, type, &found.message, &request);
    break;
#if MPI_VERSION >= 4
  case ReceiveCall::mrecvLarge:
    code = MPI_Mrecv_c(buffer, count, type, &found.message, status);
    break;
  case ReceiveCall::imrecvLarge:
    code = MPI_Imrecv_c(buffer, count, type, &found.message, &request);
    break;
#else
  case ReceiveCall::mrecvLarge:
  case ReceiveCall::imrecvLarge:
    context.skip("no large-count calls");
    return MPI_SUCCESS;
#endif
  }
  context.check(code != MPI_SUCCESS || found.message == MPI_MESSAGE_NULL,
                std::string(name(call)) + " left the message's handle");
  if (code == MPI_SUCCESS && (call == ReceiveCall::imrecv || call == ReceiveCall::imrecvLarge)) {
    code = MPI_Wait(&request, status);
    context.check(request == MPI_REQUEST_NULL, "MPI_Wait left the request's handle");
  }
  return code;
}

void receiveData(Context& context, Path path, int source, int tag, Found& found, std::size_t bytes,
                 std::uint64_t seed, int line, const char* file) {
  Bytes buffer(bytes + 1, 0x5A);
  MPI_Status status{};
  const int code =
      receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(bytes), MPI_BYTE, found, &status);
  context.ok(code, name(path.receive), line, file);
  context.statusIs(status, source, tag, static_cast<MPI_Count>(bytes), line, file);
  context.check(isData(buffer.data(), bytes, seed), "the data are wrong", line, file);
  context.check(buffer[bytes] == 0x5A, "a byte beyond the buffer was written", line, file);
}

void takeData(Context& context, Path path, int source, int tag, std::size_t bytes, std::uint64_t seed,
              int line, const char* file) {
  Found found = find(context, path.probe, source, tag);
  context.statusIs(found.status, source, tag, static_cast<MPI_Count>(bytes), line, file);
  receiveData(context, path, source, tag, found, bytes, seed, line, file);
}

namespace {

std::uint64_t wordAt(std::uint64_t index, std::uint64_t seed) {
  return (index + 1) * 0x9E3779B97F4A7C15ULL ^ (seed + 1) * 0xC2B2AE3D27D4EB4FULL;
}

} // namespace

Bytes makeData(std::size_t size, std::uint64_t seed) {
  Bytes bytes(size);
  for (std::size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = wordAt(at / 8, seed);
    std::memcpy(bytes.data() + at, &word, std::min<std::size_t>(8, size - at));
  }
  return bytes;
}

bool isData(const unsigned char* buffer, std::size_t size, std::uint64_t seed) {
  for (std::size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = wordAt(at / 8, seed);
    if (std::memcmp(buffer + at, &word, std::min<std::size_t>(8, size - at)) != 0)
      return false;
  }
  return true;
}

std::uint64_t seedOf(int source, int tag, std::uint64_t number) {
  return static_cast<std::uint64_t>(source) * 1000003 + static_cast<std::uint64_t>(tag) * 10007 + number;
}

Guarded::Guarded(std::size_t size) : bytes_(size + 2 * edge, mark) {}

bool Guarded::intact() const {
  const auto isMark = [](unsigned char byte) { return byte == mark; };
  return std::all_of(bytes_.begin(), bytes_.begin() + edge, isMark) &&
         std::all_of(bytes_.end() - edge, bytes_.end(), isMark);
}

} // namespace mprobe
