#pragma once

#include "mpl/DatatypeConstructors.h"

#include <random>
#include <vector>

namespace mpl::test {

/// A datatype written out as the standard defines it: the list of all its basic elements with their
/// displacements, and the markers of its bounds. Slow and simple, for comparison.
struct ReferenceType {
  struct Item {
    BasicType basic;
    MPI_Count at;
  };

  std::vector<Item> items;
  std::vector<MPI_Count> lowerMarks;
  std::vector<MPI_Count> upperMarks;

  static ReferenceType basic(BasicType type) { return {{{type, 0}}, {}, {}}; }
  static ReferenceType resized(const ReferenceType& old, MPI_Count lowerBound, MPI_Count extent);
  /// Adds `count` consecutive elements at a displacement.
  void add(const ReferenceType& old, MPI_Count at, MPI_Count count);

  MPI_Count size() const;
  MPI_Count lowerBound() const;
  MPI_Count upperBound() const;
  MPI_Count extent() const { return upperBound() - lowerBound(); }
  MPI_Count trueLowerBound() const;
  MPI_Count trueUpperBound() const;
  /// Whether two elements, of `count` repetitions, share a byte.
  bool overlaps(MPI_Count count) const;

  std::vector<unsigned char> pack(const unsigned char* base, MPI_Count count) const;
  void unpack(unsigned char* base, MPI_Count count, const std::vector<unsigned char>& packed) const;
};

/// The same datatype, made by the library and written out.
struct TypePair {
  Ref<Datatype> type;
  ReferenceType reference;
};

/// A random datatype of up to `depth` nested constructors; every constructor but darray may occur.
TypePair randomType(std::mt19937& random, int depth);

/// A predefined datatype by its handle.
TypePair predefinedType(MPI_Datatype handle);

/// Memory for `count` elements of a datatype, with some bytes around, filled with a pattern.
class TypeMemory {
public:
  TypeMemory(const ReferenceType& type, MPI_Count count, unsigned seed);

  /// What a program would give as buffer.
  unsigned char* base() { return reinterpret_cast<unsigned char*>(base_); }
  std::vector<unsigned char>& bytes() { return bytes_; }

private:
  std::vector<unsigned char> bytes_;
  std::uintptr_t base_ = 0;
};

/// Reproducible bytes that look random.
std::vector<unsigned char> patternBytes(std::size_t count, unsigned seed);

} // namespace mpl::test
