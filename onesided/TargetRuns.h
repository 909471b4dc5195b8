#pragma once

#include "mpl/Datatype.h"
#include "mpl/LayoutWalk.h"
#include "onesided/ElementType.h"
#include "onesided/ucx/Wire.h"

#include <vector>

namespace mpl {

/// Calls visit(address, bytes) for each run of memory of `count` elements of a datatype, in packed order.
template <class Visit>
void forEachRun(const Datatype& type, std::uint64_t at, MPI_Count count, Visit&& visit) {
  struct Runs {
    Visit& visit;
    void run(std::uintptr_t place, std::size_t bytes, BasicType) { visit(place, bytes); }
    void strided(std::uintptr_t place, MPI_Count times, MPI_Count stride, std::size_t bytes, BasicType) {
      for (MPI_Count i = 0; i < times; ++i)
        visit(place + static_cast<std::uintptr_t>(i) * static_cast<std::uintptr_t>(stride), bytes);
    }
    void scattered(std::uintptr_t place, const MPI_Count* offsets, MPI_Count times, std::size_t bytes,
                   BasicType) {
      for (MPI_Count i = 0; i < times; ++i)
        visit(place + static_cast<std::uintptr_t>(offsets[i]), bytes);
    }
  };
  const Layout& layout = type.layout();
  if (layout.isEmpty() || count == 0)
    return;
  if (type.isContiguous()) {
    visit(at + static_cast<std::uint64_t>(type.trueLowerBound()),
          type.size() * static_cast<std::size_t>(count));
    return;
  }
  Runs runs{visit};
  LayoutWalk(runs).loop(*layout.root(), at + static_cast<std::uint64_t>(layout.offset()), count,
                        type.extent());
}

/// The elements of an accumulate in target memory, those that follow each other as one entry. element: the
/// predefined datatype that the whole is made of.
std::vector<UpdateRun> elementRuns(const Datatype& type, std::uint64_t at, MPI_Count count,
                                   ElementType element);

} // namespace mpl
