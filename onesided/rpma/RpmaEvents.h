#pragma once

namespace mpl {

/// Something with a descriptor that becomes readable when there is work.
class EventSource {
public:
  virtual ~EventSource() = default;
  /// There is work. May destroy this object.
  virtual void ready() = 0;
};

/// The descriptors of listeners and connections in one set. RmaLock held.
class RpmaEvents {
public:
  /// Errors: MPI_ERR_OTHER.
  RpmaEvents();
  ~RpmaEvents();
  RpmaEvents(const RpmaEvents&) = delete;
  RpmaEvents& operator=(const RpmaEvents&) = delete;

  /// False where the system refuses.
  bool add(int descriptor, EventSource& source) noexcept;
  void remove(int descriptor) noexcept;
  /// Readable when poll() has something to do, for as long as it has.
  int descriptor() const noexcept { return set_; }
  /// Never waits; returns how many had work.
  unsigned poll();

private:
  int set_;
};

} // namespace mpl
