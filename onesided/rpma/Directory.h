#pragma once

#include "onesided/rpma/PrivateData.h"

#include <memory>

namespace mpl {

/// The windows of a process, in registered memory that the origins read: how an origin that is connected
/// finds a window made later without asking anybody. A table of fixed size; a window is in one of the
/// `reach` entries from its home on, which one read fetches. Each entry is signed, so that one read while it
/// was being written is seen as such.
class WindowDirectory {
public:
  static constexpr std::size_t homes = 256;
  static constexpr std::size_t reach = 8;
  static constexpr std::size_t entryBytes = 96;
  static constexpr std::size_t probeBytes = reach * entryBytes;
  static constexpr std::size_t totalBytes = (homes + reach - 1) * entryBytes;

  explicit WindowDirectory(const Secret& secret);

  std::byte* data() noexcept { return memory_.get(); }

  /// False where there is no room; origins then do not find the window.
  bool add(const WindowRecord& record);
  void remove(std::uint32_t window) noexcept;

  /// Where the entries that may hold the window begin.
  static constexpr std::size_t probeOffset(std::uint32_t window) { return window % homes * entryBytes; }

private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::byte* findEntry(std::uint32_t window, bool used) noexcept;

  Secret secret_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// What the entries that an origin has read say of a window.
struct DirectoryAnswer {
  enum class Kind : std::uint8_t { found, absent, unreadable };
  Kind kind = Kind::absent;
  WindowRecord record;
};

/// probe: probeBytes from probeOffset(window) on, or anything else. unreadable: the entry is being written,
/// or not this secret's.
DirectoryAnswer searchDirectory(std::span<const std::byte> probe, std::uint32_t window, const Secret& secret);

} // namespace mpl
