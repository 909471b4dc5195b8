#pragma once

#include "onesided/rpma/Mac.h"

#include <optional>
#include <vector>

namespace mpl {

/// The private data with which an origin asks for a connection and a target answers. The wire gives no
/// promises: data arrives padded with zeros to the device's length, and anybody can send anything. So version
/// and length stand first, a keyed hash last, and whatever follows must be zero.

/// How librpma describes registered memory to others.
struct MemoryDescriptor {
  static constexpr std::size_t most = 32; ///< 21 in librpma 1.2
  std::uint8_t length = 0;                ///< 0: the memory cannot be had over RDMA
  std::array<std::byte, most> bytes{};

  std::span<const std::byte> data() const noexcept { return std::span(bytes).first(length); }
  static MemoryDescriptor of(std::span<const std::byte> data);
  bool operator==(const MemoryDescriptor&) const = default;
};

/// "I am process `origin` of the job, and I mean window `window` of process `target`."
struct ConnectRequest {
  std::uint64_t job = 0; ///< jobNumber()
  std::uint32_t origin = 0;
  std::uint32_t target = 0;
  std::uint32_t window = 0;
  std::uint64_t nonce = 0; ///< higher than any before from this origin to this target

  static constexpr std::size_t wireBytes = 48;
  static constexpr std::size_t wireLimit = 56; ///< of Soft-RoCE and other RoCE devices
  std::array<std::byte, wireBytes> encode(const Secret& secret) const;
  bool operator==(const ConnectRequest&) const = default;
};
static_assert(ConnectRequest::wireBytes <= ConnectRequest::wireLimit);

/// Why a request is turned down.
enum class Refusal : std::uint8_t {
  none,
  length,
  version,
  padding,
  mac,
  job,
  target,
  origin,
  replayed,
  window
};
constexpr std::size_t refusalKinds = 10;
const char* refusalText(Refusal refusal) noexcept;

/// Takes the data apart; the request is set where the answer is `none`.
Refusal parseRequest(std::span<const std::byte> data, const Secret& secret, ConnectRequest& request);

/// Where one window lies at a target.
struct WindowRecord {
  std::uint32_t window = 0;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::int64_t dispUnit = 1;
  MemoryDescriptor memory;

  /// What no honest target can say.
  bool isPlausible() const noexcept;
  bool operator==(const WindowRecord&) const = default;
};

/// The target's answer: the window that was asked for, and the directory of all.
struct ConnectReply {
  std::uint64_t nonce = 0; ///< that of the request
  WindowRecord window;
  MemoryDescriptor directory;

  static constexpr std::size_t wireLimit = 196;
  std::vector<std::byte> encode(const Secret& secret) const;
  bool operator==(const ConnectReply&) const = default;
};

/// Nothing where the data is not the answer to the request of that nonce and window.
std::optional<ConnectReply> parseReply(std::span<const std::byte> data, const Secret& secret,
                                       const ConnectRequest& request);

} // namespace mpl
