#pragma once

#include "coll/Schedule.h"
#include "mpl/Error.h"

#include <concepts>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace mpl {

/// How a schedule reaches the other ranks. Pending stands for a send or receive under way; a default-made one
/// means that there is nothing to wait for. Errors of starting are thrown as mpl::Error.
template <class T>
concept Transport = requires(T transport, const Block& data, int peer, typename T::Pending pending) {
  requires std::equality_comparable<typename T::Pending>;
  { transport.send(data, peer) } -> std::same_as<typename T::Pending>;
  { transport.receive(data, peer) } -> std::same_as<typename T::Pending>;
  { transport.isComplete(pending) } -> std::same_as<bool>;
  /// Ends a complete operation; the error, where it failed.
  { transport.finish(pending) } -> std::same_as<std::optional<Error>>;
  /// Takes a receive back; it still has to complete.
  transport.cancel(pending);
  /// Throws when the collective cannot end any more, since a member died.
  transport.checkMembers();
  /// Runs a step's own work; bytes tells how much, foreign whether the program's code is called.
  transport.work(std::size_t{}, bool{}, [] {});
};

/// One run of a schedule. After an error that says nothing of the others (a message did not fit) the run goes
/// on, so that nobody waits for this rank in vain; when a member died it ends: receives are cancelled, sends
/// that are still under way stay in abandoned(), and the schedule's memory must outlive them.
///
/// The schedule and the transport must outlive the run. One thread at a time.
template <Transport T> class ScheduleRun {
public:
  using Pending = typename T::Pending;

  ScheduleRun(const Schedule& schedule, T& transport) : schedule_(schedule), transport_(transport) {}
  ScheduleRun(const ScheduleRun&) = delete;
  ScheduleRun& operator=(const ScheduleRun&) = delete;

  /// Makes ready for the (next) run.
  void begin() {
    pending_.assign(static_cast<std::size_t>(schedule_.slots()), Pending{});
    next_ = 0;
    started_ = 0;
    settled_ = 0;
    failing_ = false;
    error_.reset();
  }

  /// Goes on as far as possible without waiting; true when the run is over.
  bool advance() {
    if (!failing_) [[likely]] {
      try {
        if (!advanceSteps())
          return false;
        return true;
      } catch (const Error& error) {
        giveUp(error);
      } catch (const std::bad_alloc&) {
        giveUp(Error(MPI_ERR_NO_MEM, "no memory to go on with a collective operation"));
      }
    }
    return drained();
  }

  /// The error of a run that is over, where it failed.
  const std::optional<Error>& error() const noexcept { return error_; }
  std::vector<Pending>& abandoned() noexcept { return abandoned_; }

private:
  // How often a wait finds nothing before it looks whether a member died.
  static constexpr unsigned turnsBetweenChecks = 64;

  bool advanceSteps() {
    const auto steps = schedule_.steps();
    for (; next_ < steps.size(); ++next_) {
      const Step& step = steps[next_];
      switch (step.kind) {
      case Step::Kind::send:
        pending_[started_] = transport_.send(step.data, step.peer);
        ++started_;
        break;
      case Step::Kind::receive:
        pending_[started_] = transport_.receive(step.data, step.peer);
        ++started_;
        break;
      case Step::Kind::wait:
        if (!settle(static_cast<std::size_t>(step.slot)))
          return false;
        break;
      case Step::Kind::waitAll:
        if (!settleAll())
          return false;
        break;
      case Step::Kind::reduce:
        transport_.work(step.data.bytes(), !step.op->isPredefined(), [&step] {
          step.op->apply(step.data.at, step.other.at, step.data.count, *step.data.type);
        });
        break;
      case Step::Kind::copy:
        copy(step);
        break;
      case Step::Kind::call:
        step.function(step.data.at);
        break;
      }
    }
    return settleAll();
  }

  void copy(const Step& step) {
    bool fits = true;
    transport_.work(step.data.bytes(), false, [&] { fits = copyData(step.data, step.other); });
    if (!fits)
      note(Error(MPI_ERR_TRUNCATE, text("this rank's own ", step.data.bytes(), " bytes do not fit the ",
                                        step.other.bytes(), " bytes of room for them")));
  }

  bool settleAll() {
    for (; settled_ < started_; ++settled_)
      if (!settle(settled_))
        return false;
    return true;
  }

  bool settle(std::size_t slot) {
    Pending& pending = pending_[slot];
    if (pending == Pending{})
      return true;
    if (!transport_.isComplete(pending)) {
      if (++idleTurns_ % turnsBetweenChecks == 0)
        transport_.checkMembers();
      return false;
    }
    if (std::optional<Error> error = transport_.finish(std::exchange(pending, Pending{}))) [[unlikely]] {
      if (error->errorClass() != MPI_ERR_TRUNCATE)
        throw *error;
      note(*error);
    }
    return true;
  }

  void note(const Error& error) {
    if (!error_)
      error_ = error;
  }

  bool isReceive(std::size_t slot) const {
    for (const Step& step : schedule_.steps())
      if (step.slot == static_cast<int>(slot) &&
          (step.kind == Step::Kind::send || step.kind == Step::Kind::receive))
        return step.kind == Step::Kind::receive;
    return false;
  }

  void giveUp(const Error& error) {
    failing_ = true;
    error_ = error;
    for (std::size_t slot = 0; slot < started_; ++slot)
      if (pending_[slot] != Pending{} && isReceive(slot))
        transport_.cancel(pending_[slot]);
  }

  // A receive that had matched before it was cancelled may still write: it has to end first.
  bool drained() {
    for (std::size_t slot = 0; slot < started_; ++slot) {
      Pending& pending = pending_[slot];
      if (pending == Pending{})
        continue;
      if (transport_.isComplete(pending))
        transport_.finish(std::exchange(pending, Pending{}));
      else if (isReceive(slot))
        return false;
    }
    for (Pending& pending : pending_)
      if (pending != Pending{})
        abandoned_.push_back(std::exchange(pending, Pending{}));
    return true;
  }

  const Schedule& schedule_;
  T& transport_;
  std::vector<Pending> pending_;
  std::size_t next_ = 0;    // step
  std::size_t started_ = 0; // sends and receives
  std::size_t settled_ = 0; // all slots before it are settled
  unsigned idleTurns_ = 0;
  bool failing_ = false;
  std::optional<Error> error_;
  std::vector<Pending> abandoned_;
};

} // namespace mpl
