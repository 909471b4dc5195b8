#pragma once

#include "mpl/Error.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace mpl {

/// Maps MPI handles to objects of one kind. A handle is not an address: its low 32 bits are a slot number
/// plus 4096 (so that it never looks like one of the ABI's predefined handles), its high 32 bits the slot's
/// generation, which changes when the object is freed. A freed, stale or invented handle is therefore always
/// recognised, never followed. Predefined handles (values below 4096) index a table of their own.
///
/// Slots live in chunks that never move; looking up takes no lock. create() and destroy() may be called by
/// any thread; looking up a handle while another thread frees it is the program's error, as in MPI.
template <class T, class Handle> class HandleTable {
public:
  static constexpr std::uintptr_t predefinedLimit = 4096;

  /// Where the table keeps what it knows of one object.
  struct Place {
    T* object = nullptr;
    std::uint32_t generation = 1;
    std::uint32_t nextFree = 0;
  };

  constexpr HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  /// The object, or nullptr where the handle names none.
  T* find(Handle handle) const noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value < predefinedLimit)
      return predefined_[value];
    const std::uint32_t index = static_cast<std::uint32_t>(value) - predefinedLimit;
    if (index >= used_.load(std::memory_order_acquire))
      return nullptr;
    Place& slot = chunks_[index >> chunkBits][index & (chunkSize - 1)];
    return slot.generation == value >> 32 ? slot.object : nullptr;
  }

  /// find() for handles made at run time alone: nullptr for all others.
  T* findMade(Handle handle) const noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    const std::uint32_t index = static_cast<std::uint32_t>(value) - predefinedLimit;
    if (index >= used_.load(std::memory_order_acquire))
      return nullptr;
    const Place& slot = chunks_[index >> chunkBits][index & (chunkSize - 1)];
    return slot.generation == value >> 32 ? slot.object : nullptr;
  }

  /// find() for predefined handles alone, in a few instructions: nullptr for all others.
  T* findPredefined(Handle handle) const noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value < predefinedLimit ? predefined_[value] : nullptr;
  }

  /// Gives an object a handle. The table does not own the object.
  Handle insert(T* object) {
    std::lock_guard guard(mutex_);
    std::uint32_t index = freeHead_;
    if (index != none) {
      freeHead_ = slotAt(index).nextFree;
    } else {
      index = used_.load(std::memory_order_relaxed);
      if (index >= maxSlots)
        fail(MPI_ERR_NO_MEM, "more than ", maxSlots, " objects of one kind are alive");
      auto& chunk = chunks_[index >> chunkBits];
      if (!chunk)
        chunk = std::make_unique<Place[]>(chunkSize);
      used_.store(index + 1, std::memory_order_release);
    }
    Place& slot = slotAt(index);
    slot.object = object;
    ++live_;
    return toHandle(index, slot.generation);
  }

  /// Takes the handle out of use: find() gives nullptr for it from now on.
  void erase(Handle handle) noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    std::lock_guard guard(mutex_);
    if (value < predefinedLimit) {
      predefined_[value] = nullptr;
      return;
    }
    const std::uint32_t index = static_cast<std::uint32_t>(value) - predefinedLimit;
    Place& slot = slotAt(index);
    slot.object = nullptr;
    if (++slot.generation == 0)
      slot.generation = 1;
    slot.nextFree = freeHead_;
    freeHead_ = index;
    --live_;
  }

  /// Binds one of the ABI's predefined handles to an object (nullptr unbinds).
  void setPredefined(Handle handle, T* object) noexcept {
    predefined_[reinterpret_cast<std::uintptr_t>(handle)] = object;
  }

  /// The handle for a 32-bit value made by toInt(), for MPI_X_fromint; an unknown one gives a handle that
  /// find() does not know.
  Handle fromInt(int number) const noexcept {
    const auto low = static_cast<std::uint32_t>(number);
    if (low < predefinedLimit)
      return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(low));
    const std::uint32_t index = low - predefinedLimit;
    if (index >= used_.load(std::memory_order_acquire))
      return toHandle(index, 0);
    return toHandle(index, chunks_[index >> chunkBits][index & (chunkSize - 1)].generation);
  }

  /// Makes the handle stale and gives the object, which keeps its slot, a new one. Cheaper than erase() and
  /// insert(); the caller owns the object, so no lock is taken.
  Handle renew(Handle handle) noexcept {
    const auto index = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle)) - predefinedLimit;
    Place& slot = slotAt(index);
    if (++slot.generation == 0)
      slot.generation = 1;
    return toHandle(index, slot.generation);
  }

  /// renew() for owners that keep the object's place in the table: a few instructions.
  Place& place(Handle handle) noexcept {
    return slotAt(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle)) - predefinedLimit);
  }
  static Handle renew(Handle handle, Place& place) noexcept {
    if (++place.generation == 0) [[unlikely]]
      place.generation = 1;
    const auto low = reinterpret_cast<std::uintptr_t>(handle) & UINT32_MAX;
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(place.generation) << 32 | low);
  }

  static int toInt(Handle handle) noexcept {
    return static_cast<int>(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle)));
  }

  /// How many objects made at run time (not the predefined ones) have a handle.
  std::size_t live() const noexcept { return live_; }

  /// Calls visit(object) for every object made at run time that still has a handle.
  template <class Visit> void forEach(Visit&& visit) const {
    const std::uint32_t used = used_.load(std::memory_order_acquire);
    for (std::uint32_t index = 0; index < used; ++index)
      if (T* object = chunks_[index >> chunkBits][index & (chunkSize - 1)].object)
        visit(*object);
  }

  /// The same for every object with a predefined handle.
  template <class Visit> void forEachPredefined(Visit&& visit) const {
    for (T* object : predefined_)
      if (object != nullptr)
        visit(*object);
  }

private:
  static constexpr unsigned chunkBits = 10;
  static constexpr std::uint32_t chunkSize = 1U << chunkBits;
  static constexpr std::uint32_t maxSlots = 1U << 24;
  static constexpr std::uint32_t none = UINT32_MAX;

  Place& slotAt(std::uint32_t index) noexcept { return chunks_[index >> chunkBits][index & (chunkSize - 1)]; }

  static Handle toHandle(std::uint32_t index, std::uint32_t generation) noexcept {
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(generation) << 32 |
                                    (static_cast<std::uintptr_t>(index) + predefinedLimit));
  }

  std::array<T*, predefinedLimit> predefined_{};
  std::atomic<std::uint32_t> used_{0};
  std::array<std::unique_ptr<Place[]>, maxSlots / chunkSize> chunks_{};
  std::mutex mutex_;
  std::uint32_t freeHead_ = none;
  std::size_t live_ = 0;
};

/// A global that is never destroyed: handles may be looked at in exit handlers and by late threads.
template <class T> union Immortal {
  constexpr Immortal() : value() {}
  constexpr ~Immortal() {}
  T value;

  T* operator->() noexcept { return &value; }
  T& operator*() noexcept { return value; }
};

} // namespace mpl
