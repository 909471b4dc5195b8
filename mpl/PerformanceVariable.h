#pragma once

#include "mpi.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mpl {

/// A number that tools may watch (MPI-5.0, section 15.3.7): it grows from the start of the process on. A room
/// lists those that it counts in a function of its own, and the tool interface asks all rooms for theirs.
struct PerformanceVariable {
  /// What it adds up: events one by one, or amounts.
  enum class Kind : std::uint8_t { counter, aggregate };

  std::string name;
  std::string meaning; ///< one line, with the unit
  Kind kind = Kind::counter;
  std::function<std::uint64_t()> read;   ///< by any thread
  std::function<void()> prepare = [] {}; ///< called before somebody watches it; by any thread
};

/// Variables that belong together, and what they are divided into.
struct VariableCategory {
  std::string name;
  std::string meaning;
  std::vector<PerformanceVariable> variables;
  std::vector<VariableCategory> parts;
};

/// What one tool sees of a variable: what has been added since it was started, and not while it was stopped.
/// One thread at a time.
class WatchedVariable {
public:
  explicit WatchedVariable(const PerformanceVariable& variable) : variable_(&variable) {}

  bool isRunning() const noexcept { return running_; }
  void start() {
    if (running_)
      return;
    variable_->prepare();
    begun_ = variable_->read();
    running_ = true;
  }
  void stop() {
    if (!running_)
      return;
    earlier_ += variable_->read() - begun_;
    running_ = false;
  }
  std::uint64_t value() const { return earlier_ + (running_ ? variable_->read() - begun_ : 0); }
  /// Goes on from `value`. Returns what it was: nothing that is counted meanwhile gets lost.
  std::uint64_t exchange(std::uint64_t value) {
    const std::uint64_t now = running_ ? variable_->read() : begun_;
    const std::uint64_t before = earlier_ + (now - begun_);
    begun_ = now;
    earlier_ = value;
    return before;
  }

private:
  const PerformanceVariable* variable_;
  std::uint64_t earlier_ = 0;
  std::uint64_t begun_ = 0;
  bool running_ = false;
};

} // namespace mpl
