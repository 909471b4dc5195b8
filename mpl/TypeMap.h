#pragma once

#include "mpl/Layout.h"
#include "mpl/LayoutJoiner.h"

#include <cstddef>

namespace mpl {

/// What a datatype is apart from its handle: its data, in the order of sending, and its bounds (section 5.1).
/// `bytes` is the layout that packs; `typed` keeps runs of different basic types apart and is the same tree
/// where there is only one basic type.
struct TypeMap {
  Layout bytes;
  Layout typed;
  MPI_Count lowerBound = 0;
  MPI_Count upperBound = 0;
  MPI_Count trueLowerBound = 0;
  MPI_Count trueUpperBound = 0;
  int alignment = 1;           ///< of the most demanding basic type
  bool explicitBounds = false; ///< holds markers of lower and upper bound, as resizing makes them

  MPI_Count extent() const noexcept { return upperBound - lowerBound; }
  MPI_Count size() const noexcept { return bytes.size(); }
  bool hasData() const noexcept { return !bytes.isEmpty(); }

  static TypeMap ofBasicType(BasicType basic);
  /// `count` times, `stride` bytes apart.
  TypeMap repeated(MPI_Count count, MPI_Count stride) const;
  /// The same data between new bounds.
  TypeMap resized(MPI_Count newLowerBound, MPI_Count newExtent) const;
};

/// Joins type maps at displacements into one, with the bounds of section 5.1.7. Errors of all: MPI_ERR_COUNT
/// where a size or bound goes beyond MPI_Count.
class TypeMapJoiner {
public:
  /// oneBasicType: all that will be added has one basic type, the same for all.
  TypeMapJoiner(bool oneBasicType, std::size_t entries);

  /// Adds `count` consecutive elements of `map`, displaced by `displacement` bytes.
  void add(const TypeMap& map, MPI_Count displacement, MPI_Count count);
  /// Adds `count` elements, `stride` bytes apart.
  void add(const TypeMap& map, MPI_Count displacement, MPI_Count count, MPI_Count stride);
  /// The joined map, its upper bound padded for alignment where no marker sets it.
  TypeMap join();

private:
  void addBounds(const TypeMap& map, MPI_Count displacement, MPI_Count count, MPI_Count stride);

  TypeMap result_;
  LayoutJoiner bytes_;
  LayoutJoiner typed_;
  bool oneBasicType_;
  bool anyData_ = false;
};

} // namespace mpl
