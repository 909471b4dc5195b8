#pragma once

#include "pt2pt/Tag.h"

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace mpl {

/// What is known of a message that a probe found: its envelope (see Tag.h) and the bytes of data it carries.
struct TagRecvInfo {
  std::uint64_t senderTag = 0;
  std::size_t length = 0;

  int source() const noexcept { return envelope::source(senderTag); }
  int tag() const noexcept { return envelope::tag(senderTag); }
};

/// The result of one UCX tag probe. When the probe was asked to remove what it found, the object owns the
/// message: exactly one holder may receive it, so the object is neither copied nor moved. Whoever receives
/// the message takes the handle with releaseHandle(); a handle that nobody took is reported when the object
/// dies, with source, tag and size, because its sender may wait for ever.
///
/// One thread at a time; probing and destroying an owner that is not consumed want the engine held.
class TagProbeInfo {
public:
  /// Nothing matched.
  TagProbeInfo() noexcept = default;
  /// A message matched; handle is null where it stayed in UCX's queue.
  TagProbeInfo(const ucp_tag_recv_info_t& info, ucp_tag_message_h handle) noexcept
      : info_(TagRecvInfo{info.sender_tag, info.length}), handle_(handle) {}
  /// Looks once for a message, without progress; finding and (with remove) taking it out is one step. Engine
  /// held.
  TagProbeInfo(ucp_worker_h worker, const envelope::Pattern& wanted, bool remove) {
    probeAgain(worker, wanted, remove);
  }
  ~TagProbeInfo() {
    if (handle_ != nullptr) [[unlikely]]
      reportLoss();
  }

  TagProbeInfo(const TagProbeInfo&) = delete;
  TagProbeInfo& operator=(const TagProbeInfo&) = delete;
  TagProbeInfo(TagProbeInfo&&) = delete;
  TagProbeInfo& operator=(TagProbeInfo&&) = delete;

  /// The probing constructor by name.
  static TagProbeInfo probe(ucp_worker_h worker, const envelope::Pattern& wanted, bool remove) {
    return {worker, wanted, remove};
  }

  /// Forgets what was found before and looks once more, as the constructor does; whether a message matched.
  /// Throws std::runtime_error where the object still owns a message.
  bool probeAgain(ucp_worker_h worker, const envelope::Pattern& wanted, bool remove) {
    if (handle_ != nullptr) [[unlikely]]
      failStillHeld();
    ucp_tag_recv_info_t info;
    const ucp_tag_message_h message =
        ucp_tag_probe_nb(worker, wanted.bits, wanted.mask, remove ? 1 : 0, &info);
    if (message == nullptr) {
      info_.reset();
      return false;
    }
    info_ = TagRecvInfo{info.sender_tag, info.length};
    if (remove)
      handle_ = message;
    return true;
  }

  bool isMatched() const noexcept { return info_.has_value(); }

  /// Whether the object owns a message that nobody has received.
  bool ownsMessage() const noexcept { return handle_ != nullptr; }

  /// Throws std::runtime_error where no message matched.
  const TagRecvInfo& getInfo() const {
    if (!info_) [[unlikely]]
      failNothingMatched();
    return *info_;
  }

  /// The message, still owned by this object. Throws std::runtime_error where there is none: nothing matched,
  /// it was left in the queue, or it was released before.
  ucp_tag_message_h getHandle() const {
    if (handle_ == nullptr) [[unlikely]]
      failNoHandle();
    return handle_;
  }

  /// The same, and from now on the caller has to receive the message.
  ucp_tag_message_h releaseHandle() {
    getHandle();
    return std::exchange(handle_, nullptr);
  }

private:
  void reportLoss() const noexcept;
  [[noreturn, gnu::cold]] void failNothingMatched() const;
  [[noreturn, gnu::cold]] void failNoHandle() const;
  [[noreturn, gnu::cold]] void failStillHeld() const;

  std::optional<TagRecvInfo> info_;
  ucp_tag_message_h handle_ = nullptr;
};

} // namespace mpl
