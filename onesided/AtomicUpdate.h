#pragma once

#include "mpl/Op.h"
#include "onesided/ElementType.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mpl {

/// Locks for elements that no processor instruction updates as a whole: of 16 bytes, pairs, and those that
/// are not aligned. They lie in memory that all who update by themselves can see. An element's lock follows
/// from where it begins, and the same location is always accessed with the same datatype (section 12.7.1), so
/// it always has the same lock.
struct ElementLocks {
  static constexpr std::size_t count = 16;
  std::array<std::atomic<std::uint32_t>, count> words;
};

/// Target memory of atomic operations: `count` elements of one type, extent() apart.
struct ElementRun {
  std::byte* at = nullptr;
  std::uint64_t place = 0; ///< the same number at all processes for the same location: chooses the lock
  std::size_t count = 0;
};

/// Who may update the same memory meanwhile.
enum class Others : bool { none, any };

/// target[i] = target[i] op operand[i], each element atomically, by processor instructions where there are
/// some for it; several small elements may change together. operand: packed elements, any alignment; not
/// read for MPI_NO_OP. previous: where not null, gets the packed elements as they were before. Any process
/// and any thread that maps the memory may do this at the same time, where `others` says so.
void updateAtomically(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                      std::byte* previous, ElementLocks& locks, Others others = Others::any);

/// target = value where it equals compare; previous gets what it was. One element, without gaps.
void compareAndSwap(ElementType type, const ElementRun& target, const std::byte* compare,
                    const std::byte* value, std::byte* previous, ElementLocks& locks);

} // namespace mpl
