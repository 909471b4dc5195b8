#pragma once

#include "mpl/LongCopy.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mpl {

/// Memory of a sender for the data of its messages of middle size: the sender fills a chunk, the receiver
/// copies out of it and gives it back. Lies in memory that the processes of a node share.
///
/// A view: every process has its own on the same memory.
class ChunkPool {
public:
  static constexpr std::size_t chunkCount = 32;
  static constexpr std::size_t room = 32768;

  /// Of memory, aligned to a cache line; zeros make a pool of free chunks.
  static constexpr std::size_t bytes() noexcept { return sizeof(Shared); }

  explicit ChunkPool(std::byte* memory) noexcept : shared_(std::launder(reinterpret_cast<Shared*>(memory))) {}

  static constexpr std::uint32_t none = UINT32_MAX;

  /// For the sender: a free chunk for a receiver, or none. They are used in turns: the one that was given
  /// back last is in the receiver's cache.
  std::uint32_t take(std::int64_t receiver) noexcept;
  /// Takes back what a receiver has that died.
  void takeBack(std::int64_t receiver) noexcept;

  std::byte* data(std::uint32_t chunk) noexcept { return shared_->chunks[chunk].data.data(); }
  /// For the sender, as soon as it knows that it will write so many bytes (fetchToWrite()).
  void fetch(std::uint32_t chunk, std::uint64_t bytes) noexcept { fetchToWrite(data(chunk), bytes); }

  /// For the receiver.
  void giveBack(std::uint32_t chunk) noexcept {
    shared_->chunks[chunk].used.store(0, std::memory_order_release);
  }

private:
  // The data begins in the line that says whether the chunk is used: short messages touch fewer lines.
  struct alignas(64) Chunk {
    std::atomic<std::uint32_t> used;
    alignas(16) std::array<std::byte, room> data;
  };
  struct Shared {
    std::array<Chunk, chunkCount> chunks;
  };

  Shared* shared_;
  std::uint32_t next_ = 0;
  std::array<std::int64_t, chunkCount> receivers_{};
};

} // namespace mpl
