// Passive target synchronisation, and the completion of operations: MPI-5.0, sections 12.5.3 and 12.5.4.
#include "onesided/Window.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/Runtime.h"

#include <algorithm>

namespace mpl {

Target& Window::access(int rank) {
  switch (access_) {
  case Access::none:
    fail(MPI_ERR_RMA_SYNC, "no access epoch is open on ", label());
  case Access::fence:
    break;
  case Access::start:
    if (!target(rank).chosen)
      fail(MPI_ERR_RMA_SYNC, comm_->describePeer(rank), " is not in the group of MPI_Win_start on ", label());
    break;
  case Access::lock:
    if (target(rank).lock == Target::Lock::none)
      fail(MPI_ERR_RMA_SYNC, comm_->describePeer(rank), " of ", label(), " is not locked");
    break;
  case Access::lockAll:
    break;
  }
  Target& target = this->target(rank);
  checkDeaths(rank);
  connect(target);
  if (access_ == Access::lockAll && !noCheck_)
    acquire(target, false);
  open(target);
  return target;
}

void Window::checkDeaths(int rank) {
  if (endpoints.deadCount() == 0) [[likely]]
    return;
  EngineLock lock;
  comm_->checkAlive(rank);
}

void Window::acquire(Target& target, bool exclusive) {
  const Target::Lock wanted = exclusive ? Target::Lock::exclusive : Target::Lock::shared;
  {
    RmaLock lock;
    if (target.lock != Target::Lock::none && target.lock != Target::Lock::taking)
      return;
  }
  const int me = comm_->rank();
  // Whoever holds it may have died.
  if (target.block != nullptr) {
    rmaWait(*this, MPI_ANY_SOURCE, [&] {
      if (target.lock == wanted) // by another thread, which was faster
        return true;
      if (!target.block->lock.tryTake(exclusive, me))
        return false;
      target.lock = wanted;
      return true;
    });
    return;
  }
  Pending granted;
  bool asked = false;
  rmaWait(*this, target.rank, [&] {
    if (target.lock == wanted)
      return true;
    if (target.asking) // another thread does it
      return false;
    target.asking = true;
    target.messages->lock(exclusive, me, granted);
    asked = true;
    return true;
  });
  if (!asked)
    return;
  int error = MPI_SUCCESS;
  try {
    rmaWait(*this, MPI_ANY_SOURCE, [&] { return granted.isComplete(); });
    error = granted.error();
  } catch (const Error& failure) {
    // The answer may still come: to something that is there.
    RmaLock lock;
    if (!granted.isComplete())
      rmaWorker.markDead(comm_->group().process(target.rank));
    error = failure.errorClass();
  }
  RmaLock lock;
  target.asking = false;
  target.lock = error == MPI_SUCCESS ? wanted : Target::Lock::none;
  lock.release();
  if (error != MPI_SUCCESS)
    fail(error, "the lock of ", comm_->describePeer(target.rank), " of ", label(), " was not had",
         error == MPI_ERR_PROC_ABORTED ? ": a process that may hold it has died" : "");
}

void Window::giveBack(Target& target) {
  RmaLock lock;
  const Target::Lock held = std::exchange(target.lock, Target::Lock::none);
  if (held != Target::Lock::shared && held != Target::Lock::exclusive)
    return;
  if (target.block != nullptr)
    target.block->lock.release(held == Target::Lock::exclusive);
  else
    target.messages->unlock(held == Target::Lock::exclusive);
}

void Window::lock(bool exclusive, int rank, int assertion) {
  checkRank(rank);
  if (access_ != Access::lock && access_ != Access::none && !(access_ == Access::fence && opened_.empty()))
    failSync("MPI_Win_lock");
  // Others' parts may be locked meanwhile (section 12.5.3).
  if (posted_ && rank == comm_->rank())
    fail(MPI_ERR_RMA_SYNC, "MPI_Win_lock of rank ", rank, ", this process, does not fit ", label(),
         ", on which an exposure epoch of MPI_Win_post is open");
  Target& target = this->target(rank);
  checkDeaths(rank);
  {
    RmaLock lock;
    if (target.lock != Target::Lock::none)
      fail(MPI_ERR_RMA_SYNC, comm_->describePeer(rank), " of ", label(), " is locked already");
    target.lock = (assertion & MPI_MODE_NOCHECK) != 0 ? Target::Lock::unchecked : Target::Lock::taking;
  }
  try {
    connect(target);
    if (target.lock == Target::Lock::taking)
      acquire(target, exclusive);
  } catch (...) {
    target.lock = Target::Lock::none;
    throw;
  }
  {
    RmaLock lock;
    access_ = Access::lock;
    ++locks_;
  }
  open(target);
}

void Window::unlock(int rank) {
  checkRank(rank);
  if (access_ != Access::lock || target(rank).lock == Target::Lock::none)
    fail(MPI_ERR_RMA_SYNC, comm_->describePeer(rank), " of ", label(), " is not locked by MPI_Win_lock");
  Target& target = this->target(rank);
  const auto leave = [&] {
    giveBack(target);
    RmaLock lock;
    target.close();
    std::erase(opened_, &target);
    if (--locks_ == 0)
      access_ = Access::none;
  };
  try {
    finish(target, true);
  } catch (...) {
    leave();
    throw;
  }
  leave();
  checkDeaths(rank);
}

void Window::lockAll(int assertion) {
  if (access_ != Access::none && !(access_ == Access::fence && opened_.empty()))
    failSync("MPI_Win_lock_all");
  if (posted_)
    fail(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all does not fit ", label(),
         ", on which an exposure epoch of MPI_Win_post is open");
  access_ = Access::lockAll;
  noCheck_ = (assertion & MPI_MODE_NOCHECK) != 0;
  // Locks are taken at the first access, but for memory that the program may reach by itself.
  try {
    access(comm_->rank());
    if (flavor_ == Flavor::shared || queried_)
      for (int rank : nodeRanks_) {
        if (!endpoints.isDead(comm_->group().process(rank))) // else the first access tells
          access(rank);
      }
  } catch (...) {
    leaveAll();
    throw;
  }
}

void Window::leaveAll() {
  std::vector<Target*> held;
  {
    RmaLock lock;
    held = opened_;
  }
  closeTargets();
  for (Target* target : held)
    giveBack(*target);
  access_ = Access::none;
}

void Window::unlockAll() {
  if (access_ != Access::lockAll)
    fail(MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_lock_all is open on ", label());
  try {
    finishAll(true);
  } catch (...) {
    leaveAll();
    throw;
  }
  leaveAll();
}

void Window::flush(int rank, bool local) {
  checkRank(rank);
  if (!isPassive())
    fail(MPI_ERR_RMA_SYNC, "no passive-target epoch is open on ", label());
  Target* found = openTarget(rank);
  if (found == nullptr) {
    if (access_ == Access::lock)
      fail(MPI_ERR_RMA_SYNC, comm_->describePeer(rank), " of ", label(), " is not locked");
    return; // nothing was done there
  }
  if (!isFinishedSoon(*found, !local))
    finish(*found, !local);
}

void Window::flushAll(bool local) {
  if (!isPassive())
    fail(MPI_ERR_RMA_SYNC, "no passive-target epoch is open on ", label());
  finishAll(!local);
}

void Window::sync() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // A program may wait for another's store by calling this again and again.
  if ((++syncs_ & 63) == 0)
    progressOnce();
}

void Window::startFlush(Target& target) {
  if (std::exchange(target.dirty, false))
    withLink(target.link, [&](auto& link) { link.flush(target.arrival); });
  if (target.messages)
    target.messages->flush(target.arrival);
}

bool Window::isFlushed(Target& target, bool remote) {
  std::erase_if(target.operations, [&](const std::shared_ptr<RmaOperation>& operation) {
    const bool over = operation->finished();
    if (over && operation->pending.error() != MPI_SUCCESS)
      target.arrival.fail(operation->pending.error());
    return over;
  });
  return target.pending.isComplete() && target.operations.empty() && (!remote || target.arrival.isComplete());
}

void Window::throwErrors(Target& target) {
  int error = target.pending.takeError();
  if (const int other = target.arrival.takeError(); error == MPI_SUCCESS)
    error = other;
  if (error == MPI_SUCCESS)
    return;
  const char* why = error == MPI_ERR_PROC_ABORTED ? ", which has died"
                    : error == MPI_ERR_RMA_RANGE  ? ": they reach beyond the memory that is attached there"
                                                  : "";
  fail(error, "operations on ", comm_->describePeer(target.rank), " of ", label(), " have failed", why);
}

// What is sent to a dead target leaves its buffer all the same.
void Window::lookForDeath(Target& target) {
  if (target.isTimeToLook())
    checkPeersNow();
  checkDeaths(target.rank);
}

bool Window::isFinishedSoon(Target& target, bool remote) {
  if (target.isMapped())
    return false;
  if (!remote)
    lookForDeath(target);
  RmaLock lock;
  if (!target.operations.empty())
    return false;
  if (remote) {
    startFlush(target);
    linger(target);
  }
  return target.pending.isOver() && target.arrival.isOver();
}

void Window::linger(Target& target) {
  withLink(target.link, [&](auto& link) {
    if constexpr (requires { link.linger(target.pending, target.arrival); })
      link.linger(target.pending, target.arrival);
  });
}

void Window::finish(Target& target, bool remote) {
  if (target.isMapped()) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // A quick flush leaves every 64th to this one.
    const unsigned count = target.flushes.load(std::memory_order_relaxed);
    target.flushes.store(count + 1, std::memory_order_relaxed);
    if ((count & 63) == 0)
      checkPeersNow();
    return checkDeaths(target.rank);
  }
  if (remote) {
    RmaLock lock;
    startFlush(target);
    linger(target);
  }
  rmaWait(*this, target.rank, [&] { return isFlushed(target, remote); });
  throwErrors(target);
}

void Window::finishAll(bool remote) {
  std::vector<Target*> targets;
  {
    RmaLock lock;
    targets = opened_;
    if (remote)
      for (Target* target : targets)
        startFlush(*target);
  }
  std::optional<Error> error;
  for (Target* target : targets) {
    try {
      if (!remote)
        lookForDeath(*target);
      finish(*target, remote);
    } catch (const Error& failure) {
      if (!error)
        error = failure;
    }
  }
  if (error)
    throw *error;
}

} // namespace mpl
