#pragma once

#include "coll/Block.h"
#include "mpl/Op.h"
#include "mpl/RefCounted.h"
#include "mpl/ScratchMemory.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mpl {

/// One step of a schedule. Sends and receives are started and go on in the background; the others are done
/// when the next step begins.
struct Step {
  enum class Kind : std::uint8_t {
    send,    ///< data to rank `peer`; the buffer must stay as it is until the send was waited for
    receive, ///< from rank `peer` into data
    wait,    ///< until the send or receive with number `slot` is complete
    waitAll, ///< until all that were started are complete
    reduce,  ///< other = data op other, element by element
    copy,    ///< data to other
    call,    ///< function(argument): a reduction of the library's own
  };

  Kind kind;
  int peer = 0;
  int slot = 0;
  Block data{};
  Block other{};
  const Op* op = nullptr;
  void (*function)(void*) = nullptr;
};

/// What one rank does in a collective: steps in order, with the waits between them that say what depends on
/// what, and the memory for intermediate results. Built once by the functions of Algorithms.h, and then run:
/// through to the end, piece by piece in the background, or many times (ScheduleRun). A schedule knows
/// nothing of communicators, so that it can be tested without any. One thread at a time.
class Schedule {
public:
  Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  /// These give the number to wait for.
  int send(const Block& data, int peer) { return communicate(Step::Kind::send, data, peer); }
  int receive(const Block& data, int peer) { return communicate(Step::Kind::receive, data, peer); }

  void wait(int slot) { steps_.push_back({.kind = Step::Kind::wait, .slot = slot}); }
  void waitAll() { steps_.push_back({.kind = Step::Kind::waitAll}); }

  /// right = left op right. Order matters where the operation does not commute.
  void reduce(const Block& left, void* right, const Op& op) {
    steps_.push_back({.kind = Step::Kind::reduce, .data = left, .other = left.movedTo(right), .op = &op});
  }
  void copy(const Block& from, const Block& to) {
    steps_.push_back({.kind = Step::Kind::copy, .data = from, .other = to});
  }
  void call(void (*function)(void*), void* argument) {
    steps_.push_back({.kind = Step::Kind::call, .data = Block::ofBytes(argument, 0), .function = function});
  }

  /// Memory for packed data, aligned to 64 bytes, that lives as long as the schedule (until clear()).
  std::byte* scratch(std::size_t bytes);
  Block scratchBlock(std::size_t bytes) { return Block::ofBytes(scratch(bytes), bytes); }
  /// Room for elements like those of the block, in the same layout.
  Block scratchLike(const Block& block);

  /// Keeps what the program may free while the schedule is alive.
  void keep(const Datatype& type);
  void keep(const Op& op);

  std::span<const Step> steps() const noexcept { return steps_; }
  /// How many sends and receives there are; they are numbered from 0 in the order of their steps.
  int slots() const noexcept { return slots_; }

  /// Empties the schedule for the next use; large memory is given back.
  void clear() noexcept;

private:
  int communicate(Step::Kind kind, const Block& data, int peer) {
    steps_.push_back({.kind = kind, .peer = peer, .slot = slots_, .data = data});
    return slots_++;
  }

  std::vector<Step> steps_;
  int slots_ = 0;
  std::size_t used_ = 0; // of the last chunk
  std::vector<ScratchMemory> chunks_;
  std::vector<Ref<const Datatype>> types_;
  std::vector<Ref<const Op>> ops_;
};

} // namespace mpl
