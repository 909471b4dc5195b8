#pragma once

#include <memory>

namespace mpl {

class BsendBuffer;

/// What a session keeps for the communicators that are made of its groups; theirs as long as they live. Used
/// with the engine held.
class SessionScope {
public:
  /// For buffered sends on those communicators, where they have none of their own.
  std::shared_ptr<BsendBuffer> bsendBuffer;
};

} // namespace mpl
