#include "coll/shared/SharedGroup.h"

#include "bootstrap/ProcessMemory.h"
#include "coll/CollectiveJob.h"
#include "pt2pt/Progress.h"
#include "pt2pt/Runtime.h"

#include <chrono>
#include <sched.h>
#include <unistd.h>

namespace mpl {

namespace {

// With a processor for each rank the others are about to come; else one of them may need this one.
constexpr unsigned patientSpins = 2000;
constexpr unsigned yields = 100;
constexpr unsigned progressEvery = 32;

} // namespace

std::unique_ptr<SharedGroup> SharedGroup::make(Communicator& comm, std::vector<int> ranks, int tag) {
  const auto found = std::find(ranks.begin(), ranks.end(), comm.rank());
  const Members me{static_cast<int>(found - ranks.begin()), static_cast<int>(ranks.size())};
  std::unique_ptr<SharedGroup> group(new SharedGroup(comm, std::move(ranks), me, tag));
  group->spins_ = runtime.oversubscribed() ? 1 : patientSpins;
  if (!group->share(firstSlotBytes))
    return nullptr;
  group->learnOfMembers();
  return group;
}

// The first member makes a segment, the others map it, and all learn whether all could. Nothing changes
// otherwise.
bool SharedGroup::share(std::size_t slotBytes) {
  const auto size = static_cast<std::size_t>(me_.size);
  constexpr std::size_t page = 4096;
  const std::size_t endsAt = size * mailDepth * sizeof(Mail);
  const std::size_t wishAt = endsAt + size * sizeof(End);
  const std::size_t head = (wishAt + sizeof(RoomWish) + page - 1) / page * page;
  const std::size_t bytes = head + size * slotDepth * slotBytes;

  std::unique_ptr<SharedSegment> segment;
  SharedSegment::Key key{};
  const auto attempt = [&](auto&& make) {
    try {
      segment = make();
      key = segment->key();
    } catch (const Error&) { // the others learn of it, and go another way
    }
  };
  if (me_.rank == 0)
    attempt([&] { return std::make_unique<SharedSegment>(bytes); });
  {
    JobHolder job(comm_, comm_.collectiveContext(), tag_, ranks_);
    algorithm::broadcast(job->schedule(), me_, Block::ofBytes(&key, sizeof key), 0);
    runThrough(*job);
  }
  const SharedSegment::Key given = key;
  if (me_.rank != 0 && given.bytes != 0)
    attempt([&] { return std::make_unique<SharedSegment>(given); });
  if (segment) {
    End& own = reinterpret_cast<End*>(segment->data() + endsAt)[me_.rank];
    own.process = ::getpid();
    own.probe = reinterpret_cast<std::uintptr_t>(&probe_);
    probe_ = segment->key().token + static_cast<std::uint64_t>(me_.rank);
  }
  int shared = segment ? 1 : 0;
  {
    JobHolder job(comm_, comm_.collectiveContext(), tag_, ranks_);
    algorithm::allreduce(job->schedule(), me_, Block::of(&shared, 1, datatypeOf(MPI_INT)), &shared,
                         opOf(MPI_MIN));
    runThrough(*job);
  }
  if (shared == 0)
    return false;
  segment->closeDescriptor();

  std::byte* const memory = segment->data();
  mails_ = reinterpret_cast<Mail*>(memory);
  ends_ = reinterpret_cast<End*>(memory + endsAt);
  wish_ = reinterpret_cast<RoomWish*>(memory + wishAt);
  slots_ = memory + head;
  slotBytes_ = slotBytes;
  segment_ = std::move(segment);
  step_ = 0;
  allEnded_ = 0;
  return true;
}

// Containers and security modules may not let processes look into each other.
void SharedGroup::learnOfMembers() {
  std::byte reaches{1};
  for (int rank = 0; rank < me_.size; ++rank) {
    std::uint64_t seen = 0;
    const std::uint64_t wanted = segment_->key().token + static_cast<std::uint64_t>(rank);
    if (rank != me_.rank &&
        (processMemory::read(process(rank), ends_[rank].probe, &seen, sizeof seen) != 0 || seen != wanted))
      reaches = std::byte{0};
  }
  const std::uint64_t step = begin(false);
  ownMail(step).data[0] = reaches;
  ownMail(step).data[1] = std::byte{runtime.oversubscribed()};
  post(step, 2);
  awaitAll(step);
  reachesMemory_ = true;
  for (int rank = 0; rank < me_.size; ++rank) {
    const std::byte* const said = mail(rank, step).data;
    reachesMemory_ = reachesMemory_ && said[0] != std::byte{0};
    crowded_ = crowded_ || said[1] != std::byte{0};
  }
  end(step);
}

void SharedGroup::grow() {
  canGrow_ = canGrow_ && share(mostSlotBytes);
}

void SharedGroup::awaitLonger(const std::atomic<std::uint64_t>& value, std::uint64_t least) {
  const auto ready = [&] { return value.load(std::memory_order_acquire) >= least; };
  // A rank that waits here may have sent what another one needs to come here.
  for (unsigned turn = 0; turn < yields; ++turn) {
    if (ready())
      return;
    if (turn % progressEvery == progressEvery - 1)
      progressOnce();
    sched_yield();
  }
  // Who left in good order has done its part, if the program is right.
  constexpr auto patience = std::chrono::seconds(2);
  const auto begin = std::chrono::steady_clock::now();
  try {
    waitUntil([&] {
      if (ready())
        return true;
      if (endpoints.deadCount() != 0) [[unlikely]] {
        const bool isLong = std::chrono::steady_clock::now() - begin > patience;
        for (const int rank : ranks_)
          isLong ? comm_.checkAlive(rank) : comm_.checkNotDied(rank);
      }
      return false;
    });
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void SharedGroup::awaitEnd(std::uint64_t step) {
  std::uint64_t least = step_;
  eachOther([&](int rank) {
    awaitValue(ends_[rank].step, step);
    least = std::min(least, ends_[rank].step.load(std::memory_order_acquire));
  });
  allEnded_ = std::max(allEnded_, least);
}

} // namespace mpl
