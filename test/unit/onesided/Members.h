#pragma once

#include "onesided/Updater.h"

#include <memory>
#include <new>
#include <sys/mman.h>

namespace mpl {

/// The blocks of some members of a window, and 64 KiB of the first one's memory, in memory that children made
/// by fork() share.
class Members {
public:
  explicit Members(std::size_t count = 2) : count_(count) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    blocks_ = new (memory_) MemberBlock[count];
  }
  ~Members() { ::munmap(memory_, bytes); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  MemberBlock& block(std::size_t member) { return blocks_[member]; }
  UpdateGate& gate() { return blocks_[0].gate; }
  Updater updater(std::size_t member = 0) { return {blocks_, count_, member, Updater::Role::program}; }
  template <class T> T* data() {
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory_) + bytes - room);
  }
  static constexpr std::size_t room = 64 * 1024;

private:
  static constexpr std::size_t bytes = 2 * room;

  std::size_t count_;
  void* memory_;
  MemberBlock* blocks_;
};

} // namespace mpl
