#include "mpl/TypeMap.h"

#include "mpl/CheckedMath.h"

#include <algorithm>

namespace mpl {

TypeMap TypeMap::ofBasicType(BasicType basic) {
  const BasicTypeInfo& info = basicTypeInfo(basic);
  TypeMap map;
  map.bytes = Layout::block(info.size, basic);
  map.typed = map.bytes;
  map.upperBound = info.size;
  map.trueUpperBound = info.size;
  map.alignment = info.alignment;
  return map;
}

TypeMap TypeMap::repeated(MPI_Count count, MPI_Count stride) const {
  TypeMapJoiner joiner(bytes.basic() != BasicType::none, 1);
  joiner.add(*this, 0, count, stride);
  return joiner.join();
}

TypeMap TypeMap::resized(MPI_Count newLowerBound, MPI_Count newExtent) const {
  TypeMap map = *this;
  map.lowerBound = newLowerBound;
  map.upperBound = checkedAdd(newLowerBound, newExtent);
  map.explicitBounds = true;
  return map;
}

TypeMapJoiner::TypeMapJoiner(bool oneBasicType, std::size_t entries)
    : bytes_(false), typed_(true), oneBasicType_(oneBasicType) {
  bytes_.reserve(entries);
  if (!oneBasicType)
    typed_.reserve(entries);
}

void TypeMapJoiner::add(const TypeMap& map, MPI_Count displacement, MPI_Count count) {
  add(map, displacement, count, map.extent());
}

void TypeMapJoiner::add(const TypeMap& map, MPI_Count displacement, MPI_Count count, MPI_Count stride) {
  if (count == 0 || !(map.hasData() || map.explicitBounds))
    return;
  addBounds(map, displacement, count, stride);
  bytes_.add(map.bytes, displacement, count, stride);
  if (!oneBasicType_)
    typed_.add(map.typed, displacement, count, stride);
}

void TypeMapJoiner::addBounds(const TypeMap& map, MPI_Count displacement, MPI_Count count, MPI_Count stride) {
  const MPI_Count last = checkedAdd(displacement, checkedMultiply(count - 1, stride));
  const MPI_Count lowest = std::min(displacement, last);
  const MPI_Count highest = std::max(displacement, last);
  if (map.hasData()) {
    const MPI_Count from = checkedAdd(map.trueLowerBound, lowest);
    const MPI_Count to = checkedAdd(map.trueUpperBound, highest);
    result_.trueLowerBound = anyData_ ? std::min(result_.trueLowerBound, from) : from;
    result_.trueUpperBound = anyData_ ? std::max(result_.trueUpperBound, to) : to;
    result_.alignment = std::max(result_.alignment, map.alignment);
    anyData_ = true;
  }
  if (map.explicitBounds) {
    const MPI_Count from = checkedAdd(map.lowerBound, lowest);
    const MPI_Count to = checkedAdd(map.upperBound, highest);
    result_.lowerBound = result_.explicitBounds ? std::min(result_.lowerBound, from) : from;
    result_.upperBound = result_.explicitBounds ? std::max(result_.upperBound, to) : to;
    result_.explicitBounds = true;
  }
}

TypeMap TypeMapJoiner::join() {
  result_.bytes = bytes_.join();
  result_.typed = oneBasicType_ ? result_.bytes : typed_.join();
  if (!result_.explicitBounds) {
    result_.lowerBound = result_.trueLowerBound;
    result_.upperBound = result_.trueUpperBound;
    // The padding called epsilon in section 5.1.7.
    const MPI_Count extent = checkedSubtract(result_.upperBound, result_.lowerBound);
    if (const MPI_Count over = extent % result_.alignment; over != 0)
      result_.upperBound = checkedAdd(result_.upperBound, result_.alignment - over);
  } else {
    checkedSubtract(result_.upperBound, result_.lowerBound);
  }
  return result_;
}

} // namespace mpl
