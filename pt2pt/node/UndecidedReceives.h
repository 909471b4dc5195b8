#pragma once

#include "mpl/IntrusiveList.h"
#include "pt2pt/Request.h"

namespace mpl {

/// Receives whose message may come through the node's memory or through UCX, in the order of posting:
///   - of any source, where the communicator has members of both kinds: such a receive stands in Matching as
///     well, and UCX is asked again and again;
///   - of a process of this node whose address is not known yet;
///   - of a process that UCX serves, posted after one of the first kind: it must not get a message that the
///     older one fits, so UCX does not see it before that one has its message.
/// Engine held.
class UndecidedReceives {
public:
  bool empty() const noexcept { return list_.empty(); }

  /// Takes over a receive of any source; it goes to its message at once where UCX has one.
  void addAnySource(Request& request);
  /// Takes over a receive with a given source.
  void add(Request& request);
  /// The receive is none of these any more, if it was: a message came for it, or it is taken back.
  void leave(Request& request) noexcept {
    if (isListed<Undecided>(request))
      unlist<Undecided>(request);
  }

  /// Gives messages that UCX has to those who were first; returns to how many. Wanted before a probe looks.
  unsigned advance();

private:
  bool advance(Request& request, bool& behindAnySource);

  IntrusiveList<Request, Undecided> list_;
  bool advancing_ = false;
};

} // namespace mpl
