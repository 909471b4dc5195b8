#pragma once

#include "pt2pt/Request.h"
#include "pt2pt/node/Lane.h"
#include "pt2pt/node/TransferBoard.h"

#include <vector>

namespace mpl {

/// The sends of this process whose data the receivers read out of its memory. Engine held.
class LongSends {
public:
  /// board: this process's own.
  explicit LongSends(TransferBoard board);

  /// Whether there is a record for one more.
  bool hasRoom() const noexcept { return !free_.empty(); }
  /// The record of a send that a message of this number offers to the lane's process; there is room. The
  /// request is to be a pending send with a described buffer before advance() is called.
  std::uint32_t offer(Lane& lane, Request& request, std::uint64_t number);
  /// Whether the data of an offered message was read; it is not under way any more then.
  bool takeIfRead(std::uint32_t record) noexcept;
  /// Takes an offer back that nobody has heard of.
  void withdraw(std::uint32_t record) noexcept;

  bool empty() const noexcept { return underWay_.empty(); }
  /// Completes the sends whose data was read, helps with the longest ones, and has UCX bring what cannot be
  /// read; returns how much there was to do.
  unsigned advance();
  /// The process is dead: sends to it fail.
  void forget(ProcessId process) noexcept;

private:
  struct Offer {
    std::uint32_t record;
    Lane* lane;
    Request* request;
    std::uint64_t number;
  };

  bool help(const Offer& offer) noexcept;
  void free(std::uint32_t record) noexcept;

  TransferBoard board_;
  std::vector<std::uint32_t> free_;
  std::vector<Offer> underWay_;
};

} // namespace mpl
