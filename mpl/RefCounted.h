#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace mpl {

/// Base of objects that several owners share: `class Group : public RefCounted<Group>`. A new object has no
/// owner yet; the first Ref makes it owned, the last one deletes it. Immortal objects (predefined ones in
/// static storage) are never counted nor deleted. Any thread may take and drop references.
template <class Derived> class RefCounted {
public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept {
    if (!immortal_)
      count_.fetch_add(1, std::memory_order_relaxed);
  }

  void release() const noexcept {
    if (!immortal_ && count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<const Derived*>(this);
  }

  /// How many references there are, for tests and reports; 0 for immortal objects.
  std::int64_t references() const noexcept { return count_.load(std::memory_order_relaxed); }
  bool isImmortal() const noexcept { return immortal_; }

protected:
  struct ImmortalTag {};

  constexpr RefCounted() = default;
  explicit constexpr RefCounted(ImmortalTag) : immortal_(true) {}
  ~RefCounted() = default;

private:
  mutable std::atomic<std::int64_t> count_{0};
  bool immortal_ = false;
};

/// Owns one reference to a RefCounted object, or none.
template <class T> class Ref {
public:
  constexpr Ref() = default;
  constexpr Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr)
      object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~Ref() {
    if (object_ != nullptr)
      object_->release();
  }

  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

  /// Gives the reference up without dropping it: whoever takes the pointer owns it (see adopt()).
  T* detach() noexcept { return std::exchange(object_, nullptr); }

  /// Takes over a reference that detach() gave up.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }

private:
  T* object_ = nullptr;
};

} // namespace mpl
