#include "onesided/Rma.h"

#include "onesided/RmaLock.h"
#include "onesided/Statistics.h"
#include "onesided/TargetRuns.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace mpl::rma {

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void failRange(const Window& window, const Target& target,
                                                      const Remote& place, std::int64_t from,
                                                      std::uint64_t bytes) {
  fail(MPI_ERR_RMA_RANGE, "target_disp ", place.disp, ": ", bytes, " bytes from ", from,
       " on are not within the ", target.bytes, " bytes of ", window.comm().describePeer(place.rank), " of ",
       window.label());
}

/// The address at the target (or here, where it is mapped) that target_disp stands for.
std::uint64_t locate(const Window& window, const Target& target, const Remote& place) {
  if (window.isDynamic())
    return static_cast<std::uint64_t>(place.disp);
  if (place.disp < 0)
    fail(MPI_ERR_DISP, "target_disp is ", place.disp, ", which is negative");
  MPI_Count lowest = 0;
  const MPI_Count span = place.type->span(place.count, lowest);
  std::int64_t offset = 0;
  std::int64_t from = 0;
  if (__builtin_mul_overflow(place.disp, target.dispUnit, &offset) ||
      __builtin_add_overflow(offset, lowest, &from))
    fail(MPI_ERR_RMA_RANGE, "target_disp ", place.disp, " in units of ", target.dispUnit,
         " bytes is beyond all addresses of ", window.comm().describePeer(place.rank), " of ",
         window.label());
  if (span != 0 && (from < 0 || static_cast<std::uint64_t>(from) > target.bytes ||
                    static_cast<std::uint64_t>(span) > target.bytes - static_cast<std::uint64_t>(from)))
    failRange(window, target, place, from, static_cast<std::uint64_t>(span));
  return target.base + static_cast<std::uint64_t>(offset);
}

void checkFit(const Local& origin, const Remote& place, const char* name) {
  if (origin.bytes() != place.bytes())
    fail(MPI_ERR_TYPE, "the ", name, " has ", origin.bytes(), " bytes of data and the target ",
         place.bytes());
}

Target& openedTarget(Window& window, int rank) {
  if (Target* target = window.openTarget(rank))
    return *target;
  if (rank < 0 || rank >= window.size())
    fail(MPI_ERR_RANK, "target_rank is ", rank, ", which is not a rank of ", window.label(), " (0..",
         window.size() - 1, ")");
  return window.access(rank);
}

void note(const Target& target, Statistics::Counter calls, Statistics::Counter volume, std::size_t bytes) {
  Statistics::count(target.way(), calls);
  Statistics::count(target.way(), volume, bytes);
}

/// Copies between two layouts in this process's reach.
void copy(const PackCursor& from, const PackCursor& to) {
  std::byte chunk[8192];
  for (std::size_t done = 0; done < from.totalBytes(); done += sizeof chunk)
    to.unpack(done, chunk, from.pack(done, chunk, sizeof chunk));
}

/// An operation that has its own memory, the tracked one where there is one.
Tracked owner(const Tracked& tracked) {
  return tracked ? tracked : std::make_shared<RmaOperation>();
}

// RmaLock held.
void keep(Target& target, const Tracked& operation) {
  if (operation)
    target.operations.push_back(operation);
}

/// Where the packed data of origin lie: in place, or packed into memory of the operation.
const std::byte* packed(const Local& origin, Tracked& operation) {
  if (origin.isOneRun())
    return origin.start();
  operation = owner(operation);
  std::byte* staged = operation->stage(origin.bytes());
  origin.cursor().pack(0, staged, origin.bytes());
  return staged;
}

/// Where a put or get goes: no target where nothing is to be moved.
struct Found {
  Target* target = nullptr;
  std::uint64_t at = 0;
};

/// What put() and get() begin with.
[[gnu::always_inline]] inline Found find(Window& window, const Local& origin, const Remote& place,
                                         Statistics::Counter calls, Statistics::Counter volume) {
  if (place.rank == MPI_PROC_NULL)
    return {};
  Target& target = openedTarget(window, place.rank);
  checkFit(origin, place, "origin");
  const std::uint64_t at = locate(window, target, place);
  if (origin.bytes() == 0)
    return {};
  note(target, calls, volume, origin.bytes());
  return {&target, at};
}

} // namespace

void put(Window& window, const Local& origin, const Remote& place, const Tracked& tracked) {
  const Found found = find(window, origin, place, Statistics::Counter::puts, Statistics::Counter::putBytes);
  if (found.target == nullptr)
    return;
  Target& target = *found.target;
  const Local there{reinterpret_cast<void*>(found.at), place.count, place.type};
  if (target.isMapped()) {
    if (origin.isOneRun())
      there.cursor().unpack(0, origin.start(), origin.bytes());
    else if (there.isOneRun())
      origin.cursor().pack(0, there.start(), origin.bytes());
    else
      copy(origin.cursor(), there.cursor());
    return;
  }
  Tracked operation = tracked;
  const std::byte* data = packed(origin, operation);
  window.awaitRoom(target);
  RmaLock lock;
  Pending& pending = operation ? operation->pending : target.pending;
  withLink(target.link, [&](auto& link) {
    forEachRun(*place.type, found.at, place.count, [&](std::uint64_t address, std::size_t bytes) {
      link.put(data, address, bytes, pending);
      data += bytes;
    });
  });
  target.dirty = true;
  keep(target, operation);
}

void get(Window& window, const Local& origin, const Remote& place, const Tracked& tracked) {
  const Found found = find(window, origin, place, Statistics::Counter::gets, Statistics::Counter::getBytes);
  if (found.target == nullptr)
    return;
  Target& target = *found.target;
  const Local there{reinterpret_cast<void*>(found.at), place.count, place.type};
  if (target.isMapped()) {
    if (origin.isOneRun())
      there.cursor().pack(0, origin.start(), origin.bytes());
    else if (there.isOneRun())
      origin.cursor().unpack(0, there.start(), origin.bytes());
    else
      copy(there.cursor(), origin.cursor());
    return;
  }
  Tracked operation = tracked;
  std::byte* data = origin.start();
  if (!origin.isOneRun()) {
    operation = owner(operation);
    data = operation->stage(origin.bytes());
    operation->unpackInto(origin.buffer, origin.count, *origin.type, data);
  }
  window.awaitRoom(target);
  RmaLock lock;
  Pending& pending = operation ? operation->pending : target.pending;
  withLink(target.link, [&](auto& link) {
    forEachRun(*place.type, found.at, place.count, [&](std::uint64_t address, std::size_t bytes) {
      link.get(data, address, bytes, pending);
      data += bytes;
    });
  });
  keep(target, operation);
}

namespace {

/// The predefined datatype of both sides of an accumulate. Errors: MPI_ERR_TYPE, MPI_ERR_OP.
ElementType commonElement(const Datatype* originType, const Datatype& targetType, const Op& op) {
  const Datatype* element = predefinedIn(targetType);
  if (element == nullptr)
    fail(MPI_ERR_TYPE, "target_datatype is not made of one predefined datatype");
  if (originType != nullptr && targetType.size() != 0 && originType->size() != 0) {
    const Datatype* other = predefinedIn(*originType);
    if (other == nullptr || ElementType::of(*other) != ElementType::of(*element))
      fail(MPI_ERR_TYPE, "origin_datatype and target_datatype are not made of the same predefined datatype");
  }
  if (!op.isDefinedForAccumulate(*element)) {
    const std::string name = element->name();
    fail(MPI_ERR_OP, "op ", op.name(), " cannot be used with ", name.empty() ? "this datatype" : name.c_str(),
         " in accumulate operations", op.isPredefined() ? "" : ", which take predefined operations only");
  }
  const ElementType type = ElementType::of(*element);
  if (type.packedSize() == 0 && element->size() != 0)
    fail(MPI_ERR_TYPE, "accumulate operations cannot be made on ", element->name());
  return type;
}

/// One element replaced, of a window whose operations on a location are all of one kind: a transport that
/// stores elements as a whole can do it without the target. Messages that came before must not arrive after
/// it. False where it does not do it.
bool storeByTransport(Window& window, Target& target, Op::Kind kind, ElementType element,
                      std::span<const UpdateRun> runs, const std::byte* operand, Pending& pending,
                      const Tracked& operation) {
  constexpr std::size_t wordBytes = 8;
  if (kind != Op::Kind::replace || element.packedSize() != wordBytes || element.isPair() ||
      runs.size() != 1 || runs[0].count != 1 || !window.hasSameOps())
    return false;
  RmaLock lock;
  if (target.messages->isDirty() || !target.arrival.isComplete() || !target.pending.isComplete() ||
      !target.operations.empty())
    return false;
  bool isStored = false;
  withLink(target.link, [&](auto& link) {
    if constexpr (requires { link.store(operand, runs[0].address, pending); })
      isStored = link.store(operand, runs[0].address, pending);
  });
  if (isStored) {
    target.stored = true;
    target.dirty = true;
    keep(target, operation);
  }
  return isStored;
}

void update(Window& window, const Local* origin, const Local* result, const Remote& place, const Op& op,
            const Tracked& tracked) {
  Target& target = openedTarget(window, place.rank);
  const ElementType element = commonElement(origin != nullptr ? origin->type : nullptr, *place.type, op);
  if (origin != nullptr)
    checkFit(*origin, place, "origin");
  if (result != nullptr)
    checkFit(*result, place, "result");
  const std::uint64_t at = locate(window, target, place);
  if (place.bytes() == 0)
    return;
  note(target, Statistics::Counter::updates, Statistics::Counter::updateBytes, place.bytes());
  Tracked operation = tracked;
  const std::byte* operand = nullptr;
  std::vector<std::byte> packedOperand; // not kept: messages take a copy
  if (origin != nullptr) {
    operand = origin->start();
    if (!origin->isOneRun()) {
      packedOperand.resize(origin->bytes());
      origin->cursor().pack(0, packedOperand.data(), packedOperand.size());
      operand = packedOperand.data();
    }
  }
  std::byte* previous = nullptr;
  if (result != nullptr) {
    previous = result->start();
    if (!result->isOneRun()) {
      operation = owner(operation);
      previous = operation->stage(result->bytes());
      operation->unpackInto(result->buffer, result->count, *result->type, previous);
    }
  }
  // Mostly one run, for which no list is made.
  UpdateRun whole{at + static_cast<std::uint64_t>(place.type->trueLowerBound()), 0};
  std::vector<UpdateRun> list;
  std::span<const UpdateRun> runs(&whole, 1);
  if (place.type->isContiguous() && element.packedSize() == element.extent()) {
    whole.count = place.bytes() / element.packedSize();
  } else {
    list = elementRuns(*place.type, at, place.count, element);
    runs = list;
  }
  if (target.isMapped()) {
    const std::size_t size = element.packedSize();
    // Whoever holds the lock alone is alone, but for its own threads.
    const bool alone = target.lock == Target::Lock::exclusive && !engineThreaded;
    for (const UpdateRun& run : runs) {
      updateAtomically(op.kind(), element,
                       {reinterpret_cast<std::byte*>(run.address), run.address - target.base, run.count},
                       operand, previous, target.block->gate, window.updater(),
                       alone ? Others::none : Others::any);
      operand = operand != nullptr ? operand + run.count * size : nullptr;
      previous = previous != nullptr ? previous + run.count * size : nullptr;
    }
    if (operation)
      operation->finished();
    return;
  }
  Pending& pending = operation ? operation->pending : target.pending;
  if (previous == nullptr &&
      storeByTransport(window, target, op.kind(), element, runs, operand, pending, operation))
    return;
  window.awaitStores(target);
  window.awaitRoom(target);
  RmaLock lock;
  target.messages->update(op.kind(), element, runs, operand, previous, pending);
  keep(target, operation);
}

} // namespace

void accumulate(Window& window, const Local& origin, const Remote& place, const Op& op,
                const Tracked& tracked) {
  if (place.rank == MPI_PROC_NULL)
    return;
  if (op.kind() == Op::Kind::noOp)
    fail(MPI_ERR_OP, "op MPI_NO_OP is for operations that fetch");
  update(window, &origin, nullptr, place, op, tracked);
}

void getAccumulate(Window& window, const Local& origin, const Local& result, const Remote& place,
                   const Op& op, const Tracked& tracked) {
  if (place.rank == MPI_PROC_NULL)
    return;
  update(window, op.kind() == Op::Kind::noOp ? nullptr : &origin, &result, place, op, tracked);
}

void fetchAndOp(Window& window, const void* origin, void* result, const Datatype& type, int rank,
                MPI_Aint disp, const Op& op) {
  if (rank == MPI_PROC_NULL)
    return;
  if (!type.isPredefined())
    fail(MPI_ERR_TYPE, "datatype is not predefined");
  if (Target* target = window.openTarget(rank); target != nullptr && target->fast && target->isMapped() &&
                                                type.isPlain() && op.isDefinedForAccumulate(type)) {
    const ElementType element = ElementType::of(type);
    const std::uint64_t at = locate(window, *target, {rank, disp, 1, &type});
    if (element.packedSize() == type.size())
      return updateAtomically(op.kind(), element, {reinterpret_cast<std::byte*>(at), at - target->base, 1},
                              static_cast<const std::byte*>(origin), static_cast<std::byte*>(result),
                              target->block->gate, window.updater());
  }
  const Local operand{const_cast<void*>(origin), 1, &type};
  const Local fetched{result, 1, &type};
  const Remote place{rank, disp, 1, &type};
  update(window, op.kind() == Op::Kind::noOp ? nullptr : &operand, &fetched, place, op, {});
}

void compareAndSwap(Window& window, const void* origin, const void* compare, void* result,
                    const Datatype& type, int rank, MPI_Aint disp) {
  if (rank == MPI_PROC_NULL)
    return;
  switch (type.typeClass()) {
  case TypeClass::cInteger:
  case TypeClass::fortranInteger:
  case TypeClass::logical:
  case TypeClass::multiLanguage:
  case TypeClass::byte:
    break;
  default:
    fail(MPI_ERR_TYPE, "datatype is neither an integer, logical, multi-language nor byte type");
  }
  Target& target = openedTarget(window, rank);
  const Remote place{rank, disp, 1, &type};
  const std::uint64_t at = locate(window, target, place);
  note(target, Statistics::Counter::updates, Statistics::Counter::updateBytes, place.bytes());
  const ElementType element = ElementType::of(type);
  const auto* expected = static_cast<const std::byte*>(compare);
  const auto* value = static_cast<const std::byte*>(origin);
  auto* previous = static_cast<std::byte*>(result);
  if (target.isMapped()) {
    mpl::compareAndSwap(element, {reinterpret_cast<std::byte*>(at), at - target.base, 1}, expected, value,
                        previous, target.block->gate, window.updater());
    return;
  }
  window.awaitStores(target);
  window.awaitRoom(target);
  RmaLock lock;
  target.messages->compareAndSwap(element, at, expected, value, previous, target.pending);
}

} // namespace mpl::rma
