#include "test/unit/mpl/ReferenceType.h"

#include <algorithm>
#include <cstring>

namespace mpl::test {

namespace {

MPI_Count sizeOf(BasicType basic) {
  return basicTypeInfo(basic).size;
}

int pick(std::mt19937& random, int from, int to) {
  return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
}

} // namespace

ReferenceType ReferenceType::resized(const ReferenceType& old, MPI_Count lowerBound, MPI_Count extent) {
  return {old.items, {lowerBound}, {lowerBound + extent}};
}

void ReferenceType::add(const ReferenceType& old, MPI_Count at, MPI_Count count) {
  const MPI_Count step = old.extent();
  for (MPI_Count i = 0; i < count; ++i, at += step) {
    for (const Item& item : old.items)
      items.push_back({item.basic, item.at + at});
    for (const MPI_Count mark : old.lowerMarks)
      lowerMarks.push_back(mark + at);
    for (const MPI_Count mark : old.upperMarks)
      upperMarks.push_back(mark + at);
  }
}

MPI_Count ReferenceType::size() const {
  MPI_Count sum = 0;
  for (const Item& item : items)
    sum += sizeOf(item.basic);
  return sum;
}

MPI_Count ReferenceType::trueLowerBound() const {
  MPI_Count lowest = items.empty() ? 0 : items.front().at;
  for (const Item& item : items)
    lowest = std::min(lowest, item.at);
  return lowest;
}

MPI_Count ReferenceType::trueUpperBound() const {
  MPI_Count highest = items.empty() ? 0 : items.front().at + sizeOf(items.front().basic);
  for (const Item& item : items)
    highest = std::max(highest, item.at + sizeOf(item.basic));
  return highest;
}

MPI_Count ReferenceType::lowerBound() const {
  return lowerMarks.empty() ? trueLowerBound() : *std::min_element(lowerMarks.begin(), lowerMarks.end());
}

MPI_Count ReferenceType::upperBound() const {
  if (!upperMarks.empty())
    return *std::max_element(upperMarks.begin(), upperMarks.end());
  MPI_Count alignment = 1;
  for (const Item& item : items)
    alignment = std::max<MPI_Count>(alignment, basicTypeInfo(item.basic).alignment);
  MPI_Count end = trueUpperBound();
  while ((end - lowerBound()) % alignment != 0)
    ++end;
  return end;
}

bool ReferenceType::overlaps(MPI_Count count) const {
  std::vector<std::pair<MPI_Count, MPI_Count>> ranges;
  for (MPI_Count i = 0; i < count; ++i)
    for (const Item& item : items)
      ranges.emplace_back(item.at + i * extent(), item.at + i * extent() + sizeOf(item.basic));
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second)
      return true;
  return false;
}

std::vector<unsigned char> ReferenceType::pack(const unsigned char* base, MPI_Count count) const {
  std::vector<unsigned char> packed;
  const MPI_Count step = extent();
  for (MPI_Count i = 0; i < count; ++i)
    for (const Item& item : items) {
      const auto* from = reinterpret_cast<const unsigned char*>(
          reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(item.at + i * step));
      packed.insert(packed.end(), from, from + sizeOf(item.basic));
    }
  return packed;
}

void ReferenceType::unpack(unsigned char* base, MPI_Count count,
                           const std::vector<unsigned char>& packed) const {
  const MPI_Count step = extent();
  const unsigned char* from = packed.data();
  for (MPI_Count i = 0; i < count; ++i)
    for (const Item& item : items) {
      std::memcpy(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) +
                                          static_cast<std::uintptr_t>(item.at + i * step)),
                  from, static_cast<std::size_t>(sizeOf(item.basic)));
      from += sizeOf(item.basic);
    }
}

TypePair predefinedType(MPI_Datatype handle) {
  Datatype& type = datatypeOf(handle);
  TypePair pair{Ref<Datatype>(&type), {}};
  if (type.typeClass() == TypeClass::valueIndex) { // a C struct
    const LayoutNode& root = *type.map().typed.root();
    const bool same = root.basic != BasicType::none;
    const BasicType value = same ? root.basic : root.children[0]->basic;
    const BasicType index = same ? root.basic : root.children[1]->basic;
    const MPI_Count alignment = basicTypeInfo(index).alignment;
    pair.reference.items = {{value, 0}, {index, (sizeOf(value) + alignment - 1) / alignment * alignment}};
  } else {
    pair.reference = ReferenceType::basic(type.basic());
  }
  return pair;
}

namespace {

const MPI_Datatype leaves[] = {MPI_CHAR,        MPI_BYTE,      MPI_SHORT,      MPI_INT,
                               MPI_INT,         MPI_FLOAT,     MPI_LONG,       MPI_DOUBLE,
                               MPI_LONG_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_COMPLEX8,
                               MPI_2INT,        MPI_REAL2,     MPI_C_BOOL,     MPI_LONG_DOUBLE_INT};

constexpr std::size_t mostItems = 600;

TypePair randomVector(std::mt19937& random, TypePair old) {
  const int count = pick(random, 0, 5);
  const int length = pick(random, 0, 4);
  TypePair made;
  MPI_Count step = 0;
  if (pick(random, 0, 1) == 0) {
    const int stride = pick(random, -4, 7);
    step = stride * old.reference.extent();
    made.type = pick(random, 0, 1) == 0 ? makeVector(count, length, stride, *old.type)
                                        : makeVector<MPI_Count>(count, length, stride, *old.type);
  } else {
    step = pick(random, -60, 90);
    made.type = makeHvector(count, length, step, *old.type);
  }
  for (int i = 0; i < count; ++i)
    made.reference.add(old.reference, i * step, length);
  return made;
}

TypePair randomIndexed(std::mt19937& random, TypePair old) {
  const int count = pick(random, 0, 6);
  std::vector<int> lengths;
  std::vector<int> places;
  std::vector<MPI_Aint> offsets;
  for (int i = 0, place = pick(random, -5, 5); i < count; ++i) {
    lengths.push_back(pick(random, 0, 3));
    places.push_back(place);
    offsets.push_back(place * 7);
    place += lengths.back() + pick(random, -1, 3);
  }
  const MPI_Count extent = old.reference.extent();
  TypePair made;
  switch (pick(random, 0, 3)) {
  case 0:
    made.type = makeIndexed(std::span<const int>(lengths), places.data(), *old.type);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      made.reference.add(old.reference, places[i] * extent, lengths[i]);
    break;
  case 1:
    made.type = makeHindexed(std::span<const int>(lengths), offsets.data(), *old.type);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      made.reference.add(old.reference, offsets[i], lengths[i]);
    break;
  case 2:
    made.type = makeIndexedBlock(2, std::span<const int>(places), *old.type);
    for (const int place : places)
      made.reference.add(old.reference, place * extent, 2);
    break;
  default:
    made.type = makeHindexedBlock(1, std::span<const MPI_Aint>(offsets), *old.type);
    for (const MPI_Aint offset : offsets)
      made.reference.add(old.reference, offset, 1);
  }
  return made;
}

TypePair randomStruct(std::mt19937& random, int depth) {
  const int count = pick(random, 0, 4);
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> handles;
  TypePair made;
  std::vector<MPI_Datatype> own;
  MPI_Aint place = pick(random, -20, 20);
  for (int i = 0; i < count; ++i) {
    const TypePair part = randomType(random, depth - 1);
    lengths.push_back(pick(random, 0, 2));
    offsets.push_back(place);
    if (part.type->isPredefined()) {
      handles.push_back(part.type->handle());
    } else {
      handles.push_back(giveHandle(part.type));
      own.push_back(handles.back());
    }
    made.reference.add(part.reference, place, lengths.back());
    place += lengths.back() * part.reference.extent() + pick(random, -3, 9);
  }
  made.type = makeStruct(std::span<const int>(lengths), offsets.data(), handles.data());
  for (const MPI_Datatype handle : own)
    freeDatatype(handle);
  return made;
}

TypePair randomSubarray(std::mt19937& random, TypePair old) {
  const auto dimensions = static_cast<std::size_t>(pick(random, 1, 3));
  std::vector<int> sizes(dimensions);
  std::vector<int> subsizes(dimensions);
  std::vector<int> starts(dimensions);
  MPI_Count all = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    sizes[i] = pick(random, 1, 5);
    subsizes[i] = pick(random, 1, sizes[i]);
    starts[i] = pick(random, 0, sizes[i] - subsizes[i]);
    all *= sizes[i];
  }
  const int order = pick(random, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  TypePair made;
  made.type = makeSubarray(std::span<const int>(sizes), subsizes.data(), starts.data(), order, *old.type);
  // Every place of the whole array in memory order: those inside the box are taken.
  const MPI_Count extent = old.reference.extent();
  for (MPI_Count place = 0; place < all; ++place) {
    MPI_Count rest = place;
    bool inside = true;
    for (std::size_t step = 0; step < dimensions; ++step) {
      const std::size_t i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
      const MPI_Count index = rest % sizes[i];
      rest /= sizes[i];
      inside = inside && index >= starts[i] && index < starts[i] + subsizes[i];
    }
    if (inside)
      made.reference.add(old.reference, place * extent, 1);
  }
  made.reference = ReferenceType::resized(made.reference, 0, all * extent);
  return made;
}

} // namespace

TypePair randomType(std::mt19937& random, int depth) {
  if (depth == 0)
    return predefinedType(leaves[random() % std::size(leaves)]);
  const int kind = pick(random, 0, 6);
  if (kind == 0)
    return randomStruct(random, depth);
  TypePair old = randomType(random, depth - 1);
  if (old.reference.items.size() > mostItems)
    return old;
  switch (kind) {
  case 1: {
    const int count = pick(random, 0, 5);
    TypePair made{makeContiguous(count, *old.type), {}};
    made.reference.add(old.reference, 0, count);
    return made;
  }
  case 2:
    return randomVector(random, old);
  case 3:
    return randomIndexed(random, old);
  case 4:
    return randomSubarray(random, old);
  case 5: {
    const MPI_Count lower = pick(random, -30, 30);
    const MPI_Count extent = pick(random, -40, 80);
    return {makeResized(*old.type, lower, extent, false),
            ReferenceType::resized(old.reference, lower, extent)};
  }
  default:
    return {makeDuplicate(*old.type), old.reference};
  }
}

std::vector<unsigned char> patternBytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> bytes(count);
  for (unsigned char& byte : bytes)
    byte = static_cast<unsigned char>(random());
  return bytes;
}

TypeMemory::TypeMemory(const ReferenceType& type, MPI_Count count, unsigned seed) {
  constexpr MPI_Count around = 64;
  const MPI_Count shift = count > 0 ? (count - 1) * type.extent() : 0;
  const MPI_Count from = type.trueLowerBound() + std::min<MPI_Count>(shift, 0) - around;
  const MPI_Count to = type.trueUpperBound() + std::max<MPI_Count>(shift, 0) + around;
  bytes_ = patternBytes(static_cast<std::size_t>(to - from), seed);
  base_ = reinterpret_cast<std::uintptr_t>(bytes_.data()) - static_cast<std::uintptr_t>(from);
}

} // namespace mpl::test
