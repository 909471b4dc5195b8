#pragma once

#include "mpl/Op.h"
#include "onesided/ElementType.h"
#include "onesided/Updater.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// Target memory of atomic operations: `count` elements of one type, extent() apart.
struct ElementRun {
  std::byte* at = nullptr;
  std::uint64_t place = 0; ///< the same number at all processes for the same location: chooses the lock
  std::size_t count = 0;
};

/// Who may update the same memory meanwhile.
enum class Others : bool { none, any };

/// target[i] = target[i] op operand[i], each element atomically, by processor instructions or under a lock
/// (see Updater); several small elements may change together. operand: packed elements, any alignment; not
/// read for MPI_NO_OP. previous: where not null, gets the packed elements as they were before. gate: of the
/// memory's owner. Any process and any thread that maps the memory may do this at the same time, where
/// `others` says so.
void updateAtomically(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                      std::byte* previous, UpdateGate& gate, const Updater& updater,
                      Others others = Others::any);

/// target = value where it equals compare; previous gets what it was. One element, without gaps.
void compareAndSwap(ElementType type, const ElementRun& target, const std::byte* compare,
                    const std::byte* value, std::byte* previous, UpdateGate& gate, const Updater& updater);

} // namespace mpl
