#include "pt2pt/TagProbeInfo.h"

#include "mpl/Log.h"

#include <stdexcept>
#include <utility>

namespace mpl {

TagProbeInfo::~TagProbeInfo() {
  if (handle_ != nullptr)
    log::warning("a matched message from rank ", info_->source(), ", tag ", info_->tag(), ", of ",
                 info_->length, " bytes was never received");
}

TagProbeInfo TagProbeInfo::probe(ucp_worker_h worker, const envelope::Pattern& wanted, bool remove) {
  ucp_tag_recv_info_t info;
  ucp_tag_message_h message = ucp_tag_probe_nb(worker, wanted.bits, wanted.mask, remove ? 1 : 0, &info);
  if (message == nullptr)
    return {};
  return {info, remove ? message : nullptr};
}

const TagRecvInfo& TagProbeInfo::getInfo() const {
  if (!info_)
    throw std::runtime_error("TagProbeInfo::getInfo: no message was matched");
  return *info_;
}

ucp_tag_message_h TagProbeInfo::getHandle() const {
  if (handle_ == nullptr)
    throw std::runtime_error(info_ ? "TagProbeInfo::getHandle: the message was not removed or is released"
                                   : "TagProbeInfo::getHandle: no message was matched");
  return handle_;
}

ucp_tag_message_h TagProbeInfo::releaseHandle() {
  getHandle();
  return std::exchange(handle_, nullptr);
}

} // namespace mpl
