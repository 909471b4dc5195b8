#pragma once

#include "bootstrap/SharedSegment.h"
#include "pt2pt/node/ChunkPool.h"
#include "pt2pt/node/Mailbox.h"
#include "pt2pt/node/TransferBoard.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace mpl {

/// What a process shares with the others of its node for messages: its mailbox, chunks for the data that it
/// sends, a board for its long messages, and what is to be known of itself.
class LaneMemory {
public:
  /// This process's own. transportAddress: of UCX. Errors: MPI_ERR_NO_MEM.
  explicit LaneMemory(std::string_view transportAddress)
      : segment_(Mailbox::bytes() + TransferBoard::bytes() + ChunkPool::bytes() + sizeof(About)) {
    Mailbox::initialise(segment_.data());
    if (transportAddress.size() > about().address.size())
      return;
    transportAddress.copy(about().address.data(), transportAddress.size());
    about().addressBytes = static_cast<std::uint32_t>(transportAddress.size());
  }
  /// That of another one. Errors: MPI_ERR_OTHER.
  explicit LaneMemory(const SharedSegment::Key& key) : segment_(key) {}

  SharedSegment::Key key() const noexcept { return segment_.key(); }
  std::byte* mailbox() const noexcept { return segment_.data(); }
  std::byte* board() const noexcept { return segment_.data() + Mailbox::bytes(); }
  std::byte* chunks() const noexcept { return board() + TransferBoard::bytes(); }

  /// Whether its process has left in good order; set by that process.
  bool hasLeft() const noexcept { return about().left.load(std::memory_order_acquire) != 0; }
  void setLeft(bool left) noexcept { about().left.store(left ? 1 : 0, std::memory_order_release); }

  /// UCX's address of its process; empty where it was too long.
  std::string_view transportAddress() const noexcept {
    return {about().address.data(), about().addressBytes};
  }

private:
  // Zeros at first.
  struct About {
    std::atomic<std::uint32_t> left;
    std::uint32_t addressBytes;
    std::array<char, 4096 - 2 * sizeof(std::uint32_t)> address;
  };

  About& about() const noexcept {
    return *std::launder(reinterpret_cast<About*>(chunks() + ChunkPool::bytes()));
  }

  SharedSegment segment_;
};

} // namespace mpl
