#pragma once

#include "mpl/Layout.h"

#include <vector>

namespace mpl {

/// What a datatype is apart from its handle: its data, in memory order of sending, and its bounds
/// (section 5.1). `bytes` is the layout that packs; `typed` keeps runs of different basic types apart and is
/// the same tree where there is only one basic type.
struct TypeMap {
  Layout bytes;
  Layout typed;
  MPI_Count lowerBound = 0;
  MPI_Count upperBound = 0;
  MPI_Count trueLowerBound = 0;
  MPI_Count trueUpperBound = 0;
  int alignment = 1;           ///< of the most demanding basic type
  bool hasEntries = false;     ///< false for the empty type map: it has no bounds of its own
  bool explicitBounds = false; ///< holds lower and upper bound markers (made by resizing)

  MPI_Count extent() const noexcept { return upperBound - lowerBound; }
  MPI_Count size() const noexcept { return bytes.size(); }

  static TypeMap basicType(BasicType basic);
  /// `count` times, `stride` bytes apart.
  TypeMap repeated(MPI_Count count, MPI_Count stride) const;
  /// The same data between new bounds.
  TypeMap resized(MPI_Count lowerBound, MPI_Count extent) const;
};

/// Joins type maps at displacements into one, with the bounds of section 5.1.7.
class TypeMapJoiner {
public:
  explicit TypeMapJoiner(bool oneBasicType, std::size_t entries);

  /// Adds `count` consecutive elements of `map`, displaced by `displacement` bytes.
  void add(MPI_Count displacement, MPI_Count count, const TypeMap& map);
  /// The joined map, its upper bound padded for alignment where no marker sets it.
  TypeMap join();

private:
  TypeMap result_;
  LayoutJoiner bytes_;
  LayoutJoiner typed_;
  bool oneBasicType_;
};

} // namespace mpl
