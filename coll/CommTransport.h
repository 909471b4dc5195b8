#pragma once

#include "coll/ScheduleRun.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/Transfer.h"

#include <cstdint>
#include <optional>
#include <span>

namespace mpl {

/// Carries the messages of one collective over point-to-point, apart from the program's messages (a context
/// of its own) and from other collectives (a tag of its own). Used with the engine held.
class CommTransport {
public:
  using Pending = Request*;

  CommTransport() = default; ///< not usable before it is assigned to
  /// ranks: the communicator's rank of each member, where only some of its ranks take part; must outlive
  /// this.
  CommTransport(Communicator& comm, std::uint64_t context, int tag, std::span<const int> ranks = {})
      : comm_(&comm), context_(context), tag_(tag), ranks_(ranks) {}

  Pending send(const Block& data, int peer) {
    if (data.type == nullptr)
      return transfer::sendBytes(*comm_, context_, data.at, data.bytes(), rankOf(peer), tag_);
    return transfer::send(*comm_, context_, data.at, data.count, *data.type, rankOf(peer), tag_);
  }
  Pending receive(const Block& data, int peer) {
    if (data.type == nullptr)
      return transfer::receiveBytes(*comm_, context_, data.at, data.bytes(), rankOf(peer), tag_);
    return transfer::receive(*comm_, context_, data.at, data.count, *data.type, rankOf(peer), tag_);
  }
  bool isComplete(Pending request) const noexcept { return request->isComplete(); }
  std::optional<Error> finish(Pending request) {
    std::optional<Error> error;
    if (request->outcome.error != MPI_SUCCESS) [[unlikely]]
      error = failureOf(*request);
    requestPool.releaseUnseen(*request);
    return error;
  }
  void cancel(Pending request) noexcept { transfer::cancel(*request); }
  void checkMembers() const;

  /// The engine is let go for work that takes long and for the program's functions: they may lock or call
  /// MPI.
  template <class Work> void work(std::size_t bytes, bool foreign, Work&& run) {
    constexpr std::size_t longBytes = 65536;
    if (engineThreaded && (foreign || bytes > longBytes)) {
      const EnginePause pause;
      run();
    } else {
      run();
    }
  }

private:
  struct EnginePause {
    EnginePause() noexcept { engineMutex.unlock(); }
    ~EnginePause() { engineMutex.lock(); }
    EnginePause(const EnginePause&) = delete;
    EnginePause& operator=(const EnginePause&) = delete;
  };

  int rankOf(int member) const noexcept {
    return ranks_.empty() ? member : ranks_[static_cast<std::size_t>(member)];
  }
  static Error failureOf(const Request& request);

  Communicator* comm_ = nullptr;
  std::uint64_t context_ = 0;
  int tag_ = 0;
  std::span<const int> ranks_;
};

static_assert(Transport<CommTransport>);

} // namespace mpl
