#pragma once

#include "pt2pt/Tag.h"

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <optional>

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
  ~TagProbeInfo();

  TagProbeInfo(const TagProbeInfo&) = delete;
  TagProbeInfo& operator=(const TagProbeInfo&) = delete;
  TagProbeInfo(TagProbeInfo&&) = delete;
  TagProbeInfo& operator=(TagProbeInfo&&) = delete;

  /// Looks once for a message, without progress; finding and (with remove) taking it out is one step. Engine
  /// held.
  static TagProbeInfo probe(ucp_worker_h worker, const envelope::Pattern& wanted, bool remove);

  bool isMatched() const noexcept { return info_.has_value(); }

  /// Throws std::runtime_error where no message matched.
  const TagRecvInfo& getInfo() const;

  /// The message, still owned by this object. Throws std::runtime_error where there is none: nothing matched,
  /// it was left in the queue, or it was released before.
  ucp_tag_message_h getHandle() const;

  /// The same, and from now on the caller has to receive the message.
  ucp_tag_message_h releaseHandle();

private:
  std::optional<TagRecvInfo> info_;
  ucp_tag_message_h handle_ = nullptr;
};

} // namespace mpl
