#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mpl {

/// Memory of a sender in which it and the receivers of its long messages tell each other how far they are:
/// one record a message. The receiver copies the data out of the sender's memory (bootstrap/ProcessMemory.h);
/// of a very long message it leaves the second half to the sender, if that has the time: two processors copy
/// faster than one. Lies in memory that the processes of a node share.
///
/// A view: every process has its own on the same memory.
class TransferBoard {
public:
  static constexpr std::size_t recordCount = 128;

  /// Of a message, with who changes it to what.
  enum class State : std::uint32_t {
    Free,
    Offered, ///< receiver: to Halved, Read or Refused
    Halved,  ///< the second half is anybody's. Receiver: back to Offered; sender: to Helping
    Helping, ///< the sender copies the second half: to Helped or Failed
    Helped,  ///< it has. Receiver: to Read
    Failed,  ///< it could not. Receiver: to Read
    Read,    ///< the data is with the receiver, who does not come back here: the send is complete
    Refused, ///< the receiver cannot read, and does not come back: UCX has to bring the data
  };

  struct alignas(64) Record {
    std::atomic<State> state;
    // While it is halved: what is left to copy.
    std::uint64_t destination; ///< an address of the receiver
    std::uint64_t offset;      ///< of the message
    std::uint64_t bytes;
  };

  /// Of memory, aligned to a cache line; zeros make a board of free records.
  static constexpr std::size_t bytes() noexcept { return sizeof(Shared); }

  explicit TransferBoard(std::byte* memory) noexcept
      : shared_(std::launder(reinterpret_cast<Shared*>(memory))) {}

  Record& record(std::uint32_t number) noexcept { return shared_->records[number]; }

private:
  struct Shared {
    std::array<Record, recordCount> records;
  };

  Shared* shared_;
};

} // namespace mpl
