#pragma once

#include "coll/ScheduleRun.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/Transfer.h"

#include <cstdint>
#include <optional>
#include <span>

namespace mpl {

/// Carries the messages of one collective over point-to-point, apart from the program's messages (a context
/// of its own) and from other collectives (a tag of its own). On an inter-communicator the members are the
/// local group's ranks and after them the remote group's. Used with the engine held.
class CommTransport {
public:
  using Pending = Request*;

  CommTransport() = default; ///< not usable before it is assigned to
  /// ranks: the communicator's rank of each member, where only some of its ranks take part; must outlive
  /// this.
  CommTransport(Communicator& comm, std::uint64_t context, int tag, std::span<const int> ranks = {})
      : comm_(&comm), context_(context), tag_(tag), ranks_(ranks),
        localSize_(comm.isInter() ? comm.size() : 0) {}

  Pending send(const Block& data, int member) {
    const Way way = wayTo(member);
    if (data.type == nullptr)
      return transfer::sendBytes(*way.comm, way.context, data.at, data.bytes(), way.rank, tag_);
    return transfer::send(*way.comm, way.context, data.at, data.count, *data.type, way.rank, tag_);
  }
  Pending receive(const Block& data, int member) {
    const Way way = wayTo(member);
    if (data.type == nullptr)
      return transfer::receiveBytes(*way.comm, way.context, data.at, data.bytes(), way.rank, tag_);
    return transfer::receive(*way.comm, way.context, data.at, data.count, *data.type, way.rank, tag_);
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

  struct Way {
    Communicator* comm;
    std::uint64_t context;
    int rank;
  };
  Way wayTo(int member) const noexcept {
    if (localSize_ != 0) [[unlikely]] {
      if (member >= localSize_)
        return {comm_, context_, member - localSize_};
      Communicator& local = *comm_->companion;
      return {&local, context_ ^ comm_->messageContext() ^ local.messageContext(), member};
    }
    return {comm_, context_, ranks_.empty() ? member : ranks_[static_cast<std::size_t>(member)]};
  }
  static Error failureOf(const Request& request);

  Communicator* comm_ = nullptr;
  std::uint64_t context_ = 0;
  int tag_ = 0;
  std::span<const int> ranks_;
  int localSize_ = 0; // of an inter-communicator, else 0
};

static_assert(Transport<CommTransport>);

} // namespace mpl
