// The four probe calls and the receive calls behind one interface, so that a case can be run over each of
// them.
#pragma once

#include "test/mprobe/Case.h"

namespace mprobe {

enum class ProbeCall { probe, iprobe, mprobe, improbe };

/// How a message is received once it is found. The first two follow probe and iprobe, the others a matched
/// probe.
enum class ReceiveCall { recv, irecv, mrecv, imrecv, mrecvLarge, imrecvLarge };

/// A probe call and a receive call that go together.
struct Path {
  ProbeCall probe;
  ReceiveCall receive;
};

const char* name(ProbeCall call);
const char* name(ReceiveCall call);
/// Such as "improbe_mrecv".
std::string name(Path path);

bool isMatching(ProbeCall call);
/// All pairs of calls; those with a `_c` call only where this MPI has it.
std::vector<Path> allPaths();
/// Those of them that take a message out: Mprobe or Improbe.
std::vector<Path> matchedPaths();
const std::vector<ProbeCall>& allProbeCalls();

/// A message that a probe found.
struct Found {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};
};

/// Looks once, without blocking, by Iprobe or Improbe.
bool look(Context& context, ProbeCall call, int source, int tag, MPI_Comm comm, Found& found);

/// Waits until a message is there. Iprobe and Improbe are called again and again, and nothing else is.
Found find(Context& context, ProbeCall call, int source, int tag, MPI_Comm comm);
Found find(Context& context, ProbeCall call, int source, int tag);

/// Receives what was found, and checks that the message's handle is gone. Gives the error code of the
/// receive.
int receive(Context& context, ReceiveCall call, void* buffer, MPI_Count count, MPI_Datatype type,
            Found& found, MPI_Status* status);

/// Receives the message into a buffer of its own size, and checks status and content, which is that of
/// makeData(bytes, seed).
void receiveData(Context& context, Path path, int source, int tag, Found& found, std::size_t bytes,
                 std::uint64_t seed, int line = __builtin_LINE(), const char* file = __builtin_FILE());

/// find(), a check of its status and receiveData() in one.
void takeData(Context& context, Path path, int source, int tag, std::size_t bytes, std::uint64_t seed,
              int line = __builtin_LINE(), const char* file = __builtin_FILE());

using Bytes = std::vector<unsigned char>;
/// Bytes that differ by position and by seed.
Bytes makeData(std::size_t size, std::uint64_t seed);
bool isData(const unsigned char* buffer, std::size_t size, std::uint64_t seed);

/// Seeds that differ between messages.
std::uint64_t seedOf(int source, int tag, std::uint64_t number = 0);

/// A buffer with a guarded edge on both sides.
class Guarded {
public:
  explicit Guarded(std::size_t size);
  unsigned char* data() { return bytes_.data() + edge; }
  std::size_t size() const { return bytes_.size() - 2 * edge; }
  /// True when neither edge was written.
  bool intact() const;

private:
  static constexpr std::size_t edge = 16384;
  static constexpr unsigned char mark = 0xA5;
  Bytes bytes_;
};

} // namespace mprobe
