#pragma once

#include "coll/Block.h"
#include "coll/Schedule.h"

namespace mpl {

/// The blocks of a collective, one for each rank, as its arguments describe them: all alike one after the
/// other, with counts and displacements (of either integer width), or with datatypes too. Refers to the
/// program's arrays, which must outlive it.
class Parts {
public:
  /// `count` elements for each rank, one block after the other.
  Parts(const void* base, MPI_Count count, const Datatype& type)
      : base_(const_cast<void*>(base)), type_(&type), count_(count) {}

  /// counts[rank] elements, displacements[rank] extents from the base. Without displacements (reduce-scatter)
  /// the blocks are asked for with count() only.
  Parts(const void* base, const int* counts, const int* displacements, const Datatype& type)
      : base_(const_cast<void*>(base)), type_(&type), counts_(counts), displacements_(displacements) {}
  Parts(const void* base, const MPI_Count* counts, const MPI_Aint* displacements, const Datatype& type)
      : base_(const_cast<void*>(base)), type_(&type), largeCounts_(counts),
        largeDisplacements_(displacements) {}

  /// counts[rank] elements of types[rank], displacements[rank] bytes from the base.
  Parts(const void* base, const int* counts, const int* displacements, const MPI_Datatype* types)
      : base_(const_cast<void*>(base)), types_(types), counts_(counts), displacements_(displacements) {}
  Parts(const void* base, const MPI_Count* counts, const MPI_Aint* displacements, const MPI_Datatype* types)
      : base_(const_cast<void*>(base)), types_(types), largeCounts_(counts),
        largeDisplacements_(displacements) {}

  Parts(const void* base, const int* counts, const MPI_Aint* displacements, const MPI_Datatype* types)
      : base_(const_cast<void*>(base)), types_(types), counts_(counts), largeDisplacements_(displacements) {}

  /// Of ranks that neither send nor receive parts.
  Parts() = default;

  static Parts inPlace() {
    Parts parts;
    parts.base_ = MPI_IN_PLACE;
    return parts;
  }

  bool isInPlace() const noexcept { return base_ == MPI_IN_PLACE; }
  /// All blocks have the same size and follow each other.
  bool isRegular() const noexcept { return counts_ == nullptr && largeCounts_ == nullptr; }
  void* base() const noexcept { return base_; }

  MPI_Count count(int rank) const noexcept {
    if (counts_ != nullptr)
      return counts_[rank];
    return largeCounts_ != nullptr ? largeCounts_[rank] : count_;
  }
  const Datatype& type(int rank) const { return types_ == nullptr ? *type_ : datatypeOf(types_[rank]); }

  Block block(int rank) const {
    if (types_ != nullptr && count(rank) == 0)
      return {}; // programs leave the datatype out
    const Datatype& of = type(rank);
    const MPI_Count unit = types_ == nullptr ? of.extent() : 1;
    return Block{base_, count(rank), &of}.movedTo(address(displacement(rank) * unit));
  }

  /// The blocks of `ranks` consecutive ranks as one; only where isRegular().
  Block blocks(int first, int ranks) const noexcept {
    return Block{base_, count_, type_}.elements(first * count_, ranks * count_);
  }

  /// Makes the schedule keep all datatypes.
  void keepTypes(Schedule& schedule, int ranks) const {
    if (isInPlace())
      return;
    if (type_ != nullptr)
      schedule.keep(*type_);
    for (int rank = 0; types_ != nullptr && rank < ranks; ++rank)
      if (count(rank) != 0)
        schedule.keep(type(rank));
  }

private:
  MPI_Count displacement(int rank) const noexcept {
    if (displacements_ != nullptr)
      return displacements_[rank];
    return largeDisplacements_ != nullptr ? largeDisplacements_[rank] : rank * count_;
  }
  void* address(MPI_Count offset) const noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base_) +
                                   static_cast<std::uintptr_t>(offset));
  }

  void* base_ = nullptr;
  const Datatype* type_ = nullptr;
  const MPI_Datatype* types_ = nullptr;
  MPI_Count count_ = 0;
  const int* counts_ = nullptr;
  const MPI_Count* largeCounts_ = nullptr;
  const int* displacements_ = nullptr;
  const MPI_Aint* largeDisplacements_ = nullptr;
};

} // namespace mpl
