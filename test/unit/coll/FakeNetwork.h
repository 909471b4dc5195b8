#pragma once

#include "coll/ScheduleRun.h"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace mpl::test {

/// Carries messages between ranks that are all in this process, in a random order of events: a message may be
/// copied when it is sent (eager) or only when it is delivered (so that a buffer which is changed too early
/// shows), and arrives any time later.
class FakeNetwork {
public:
  struct Operation {
    Block data;
    std::vector<std::byte> packed; // of an eager send
    bool eager = false;
    bool complete = false;
    bool cancelled = false;
    int errorClass = MPI_SUCCESS;
  };

  explicit FakeNetwork(unsigned seed) : random_(seed) {}

  Operation* send(int from, int to, const Block& data) {
    auto& operation = make(data);
    operation.eager = random_() % 2 == 0;
    if (operation.eager) {
      operation.packed = packed(data);
      operation.complete = true;
    }
    sends_[{from, to}].push_back(&operation);
    if (operation.eager && random_() % 2 == 0) {
      ++done_; // the caller sees no pending operation
      return nullptr;
    }
    return &operation;
  }

  Operation* receive(int from, int to, const Block& data) {
    auto& operation = make(data);
    receives_[{from, to}].push_back(&operation);
    return &operation;
  }

  /// Delivers one message, chosen at random; false where none can be.
  bool deliver() {
    std::vector<std::pair<int, int>> ready;
    for (auto& [pair, sends] : sends_)
      if (!sends.empty() && !receives_[pair].empty())
        ready.push_back(pair);
    if (ready.empty())
      return false;
    const auto pair = ready[random_() % ready.size()];
    Operation& from = *sends_[pair].front();
    Operation& to = *receives_[pair].front();
    sends_[pair].pop_front();
    receives_[pair].pop_front();
    std::vector<std::byte> bytes = from.eager ? from.packed : packed(from.data);
    if (!copyData(Block::ofBytes(bytes.data(), bytes.size()), to.data))
      to.errorClass = MPI_ERR_TRUNCATE;
    from.complete = true;
    to.complete = true;
    return true;
  }

  void cancel(Operation& operation) {
    for (auto& [pair, receives] : receives_)
      std::erase(receives, &operation);
    operation.cancelled = true;
    operation.complete = true;
  }

  void finish() { ++done_; }

  /// Whether no message and no receive is left over, and everything that was started was ended.
  bool isQuiet() const {
    const auto empty = [](const auto& queues) {
      for (const auto& [pair, queue] : queues)
        if (!queue.empty())
          return false;
      return true;
    };
    return empty(sends_) && empty(receives_) && done_ == operations_.size();
  }

  void kill(int rank) { dead_.insert(rank); }
  void revive(int rank) { dead_.erase(rank); }
  bool anyDead() const { return !dead_.empty(); }
  bool isDead(int rank) const { return dead_.count(rank) != 0; }
  std::mt19937& random() { return random_; }

private:
  Operation& make(const Block& data) {
    operations_.push_back(std::make_unique<Operation>());
    operations_.back()->data = data;
    return *operations_.back();
  }

  static std::vector<std::byte> packed(const Block& data) {
    std::vector<std::byte> bytes(data.bytes());
    copyData(data, Block::ofBytes(bytes.data(), bytes.size()));
    return bytes;
  }

  using Queues = std::map<std::pair<int, int>, std::deque<Operation*>>;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::size_t done_ = 0;
  std::set<int> dead_;
  Queues sends_;
  Queues receives_;
};

/// One rank's access to the network.
class FakeTransport {
public:
  using Pending = FakeNetwork::Operation*;

  FakeTransport(FakeNetwork& network, int rank) : network_(network), rank_(rank) {}

  Pending send(const Block& data, int peer) {
    if (network_.isDead(peer))
      fail(MPI_ERR_PROC_ABORTED, "rank ", peer, " is dead");
    return network_.send(rank_, peer, data);
  }
  Pending receive(const Block& data, int peer) { return network_.receive(peer, rank_, data); }
  bool isComplete(Pending operation) const { return operation->complete; }
  std::optional<Error> finish(Pending operation) {
    network_.finish();
    if (operation->errorClass != MPI_SUCCESS)
      return Error(operation->errorClass, "the message is too long");
    return std::nullopt;
  }
  void cancel(Pending operation) { network_.cancel(*operation); }
  void checkMembers() const {
    if (network_.anyDead())
      fail(MPI_ERR_PROC_ABORTED, "a member died");
  }
  template <class Work> void work(std::size_t, bool, Work&& run) { run(); }

private:
  FakeNetwork& network_;
  int rank_;
};

static_assert(Transport<FakeTransport>);

/// Ranks that run a schedule each.
class FakeWorld {
public:
  FakeWorld(int size, unsigned seed) : network(seed) {
    for (int rank = 0; rank < size; ++rank)
      ranks_.push_back(std::make_unique<Rank>(network, rank));
  }

  int size() const { return static_cast<int>(ranks_.size()); }
  Schedule& schedule(int rank) { return ranks_[static_cast<std::size_t>(rank)]->schedule; }
  ScheduleRun<FakeTransport>& run(int rank) { return ranks_[static_cast<std::size_t>(rank)]->run; }

  /// Runs all schedules, those of the dead excepted; false where they wait for each other for ever.
  bool runAll() {
    std::vector<int> open;
    for (int rank = 0; rank < size(); ++rank) {
      run(rank).begin();
      if (!network.isDead(rank))
        open.push_back(rank);
    }
    for (int idle = 0; !open.empty();) {
      const auto index = network.random()() % open.size();
      if (run(open[index]).advance())
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(index));
      const bool delivered = network.random()() % 2 == 0 && network.deliver();
      idle = delivered ? 0 : idle + 1;
      if (idle > 10000)
        return false;
    }
    while (network.deliver()) {
    }
    return true;
  }

  FakeNetwork network;

private:
  struct Rank {
    Rank(FakeNetwork& network, int rank) : transport(network, rank), run(schedule, transport) {}
    Schedule schedule;
    FakeTransport transport;
    ScheduleRun<FakeTransport> run;
  };

  std::vector<std::unique_ptr<Rank>> ranks_;
};

} // namespace mpl::test
