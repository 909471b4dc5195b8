#include "pt2pt/TagProbeInfo.h"

#include "mpl/Log.h"

#include <stdexcept>

namespace mpl {

void TagProbeInfo::reportLoss() const noexcept {
  log::warning("a matched message from rank ", info_->source(), ", tag ", info_->tag(), ", of ",
               info_->length, " bytes was never received");
}

void TagProbeInfo::failNothingMatched() const {
  throw std::runtime_error("TagProbeInfo::getInfo: no message was matched");
}

void TagProbeInfo::failStillHeld() const {
  throw std::runtime_error(
      "TagProbeInfo::probeAgain: the message that was matched before was never received");
}

void TagProbeInfo::failNoHandle() const {
  throw std::runtime_error(info_ ? "TagProbeInfo::getHandle: the message was not removed or is released"
                                 : "TagProbeInfo::getHandle: no message was matched");
}

} // namespace mpl
