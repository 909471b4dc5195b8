#pragma once

#include <mutex>
#include <utility>

namespace mpl {

/// A value that any thread may read while another replaces it. For values that are asked for rarely: names,
/// error handlers.
template <class T> class Guarded {
public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  /// A copy of the value as it is now.
  T get() const {
    const std::lock_guard guard(mutex_);
    return value_;
  }

  void set(T value) {
    {
      const std::lock_guard guard(mutex_);
      std::swap(value_, value);
    }
    // The former value ends here, outside of the lock: its end may run code of its own.
  }

private:
  mutable std::mutex mutex_;
  T value_{};
};

} // namespace mpl
