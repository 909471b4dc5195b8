#include "mpl/DatatypeConstructors.h"

#include "mpl/CheckedMath.h"

#include <array>

namespace mpl {

namespace {

/// Writes down a constructor's arguments in the form that fits the function that was called: ints and
/// addresses, or large counts.
template <CountType Count> class EnvelopeWriter {
public:
  explicit EnvelopeWriter(int combiner) { envelope_.combiner = combiner; }

  EnvelopeWriter& integer(int value) {
    envelope_.integers.push_back(value);
    return *this;
  }
  EnvelopeWriter& count(Count value) { return counts(&value, 1); }
  EnvelopeWriter& counts(const Count* values, std::size_t number) {
    if constexpr (std::same_as<Count, int>)
      envelope_.integers.insert(envelope_.integers.end(), values, values + number);
    else
      envelope_.largeCounts.insert(envelope_.largeCounts.end(), values, values + number);
    return *this;
  }
  template <class Displacement> EnvelopeWriter& addresses(const Displacement* values, std::size_t number) {
    if constexpr (std::same_as<Count, int>)
      envelope_.addresses.insert(envelope_.addresses.end(), values, values + number);
    else
      envelope_.largeCounts.insert(envelope_.largeCounts.end(), values, values + number);
    return *this;
  }
  EnvelopeWriter& datatype(Datatype& type) {
    envelope_.datatypes.emplace_back(&type);
    return *this;
  }
  Envelope done() { return std::move(envelope_); }

private:
  Envelope envelope_;
};

Ref<Datatype> make(TypeMap map, Envelope envelope) {
  return Ref<Datatype>(new Datatype(std::move(map), std::move(envelope)));
}

void requireCount(MPI_Count count) {
  if (count < 0)
    fail(MPI_ERR_COUNT, "count is ", count, ", which is negative");
}

void requireBlockLength(MPI_Count length) {
  if (length < 0)
    fail(MPI_ERR_ARG, "blocklength is ", length, ", which is negative");
}

template <CountType Count> void requireBlockLengths(std::span<const Count> lengths) {
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < 0)
      fail(MPI_ERR_ARG, "array_of_blocklengths[", i, "] is ", lengths[i], ", which is negative");
}

bool hasOneBasicType(const Datatype& type) {
  return type.basic() != BasicType::none;
}

TypeMap regular(MPI_Count count, MPI_Count blockLength, MPI_Count stride, const Datatype& old) {
  requireCount(count);
  requireBlockLength(blockLength);
  return old.map().repeated(blockLength, old.extent()).repeated(count, stride);
}

} // namespace

Ref<Datatype> makeDuplicate(Datatype& old) {
  return old.duplicate();
}

template <CountType Count> Ref<Datatype> makeContiguous(Count count, Datatype& old) {
  requireCount(count);
  return make(old.map().repeated(count, old.extent()),
              EnvelopeWriter<Count>(MPI_COMBINER_CONTIGUOUS).count(count).datatype(old).done());
}

template <CountType Count>
Ref<Datatype> makeVector(Count count, Count blockLength, Count stride, Datatype& old) {
  return make(regular(count, blockLength, checkedMultiply(stride, old.extent()), old),
              EnvelopeWriter<Count>(MPI_COMBINER_VECTOR)
                  .count(count)
                  .count(blockLength)
                  .count(stride)
                  .datatype(old)
                  .done());
}

template <CountType Count>
Ref<Datatype> makeHvector(Count count, Count blockLength, MPI_Count stride, Datatype& old) {
  return make(regular(count, blockLength, stride, old), EnvelopeWriter<Count>(MPI_COMBINER_HVECTOR)
                                                            .count(count)
                                                            .count(blockLength)
                                                            .addresses(&stride, 1)
                                                            .datatype(old)
                                                            .done());
}

template <CountType Count>
Ref<Datatype> makeIndexed(std::span<const Count> blockLengths, const Count* displacements, Datatype& old) {
  requireBlockLengths(blockLengths);
  TypeMapJoiner joiner(hasOneBasicType(old), blockLengths.size());
  for (std::size_t i = 0; i < blockLengths.size(); ++i)
    joiner.add(old.map(), checkedMultiply(displacements[i], old.extent()), blockLengths[i]);
  return make(joiner.join(), EnvelopeWriter<Count>(MPI_COMBINER_INDEXED)
                                 .count(static_cast<Count>(blockLengths.size()))
                                 .counts(blockLengths.data(), blockLengths.size())
                                 .counts(displacements, blockLengths.size())
                                 .datatype(old)
                                 .done());
}

template <CountType Count, class Displacement>
Ref<Datatype> makeHindexed(std::span<const Count> blockLengths, const Displacement* displacements,
                           Datatype& old) {
  requireBlockLengths(blockLengths);
  TypeMapJoiner joiner(hasOneBasicType(old), blockLengths.size());
  for (std::size_t i = 0; i < blockLengths.size(); ++i)
    joiner.add(old.map(), displacements[i], blockLengths[i]);
  return make(joiner.join(), EnvelopeWriter<Count>(MPI_COMBINER_HINDEXED)
                                 .count(static_cast<Count>(blockLengths.size()))
                                 .counts(blockLengths.data(), blockLengths.size())
                                 .addresses(displacements, blockLengths.size())
                                 .datatype(old)
                                 .done());
}

template <CountType Count>
Ref<Datatype> makeIndexedBlock(Count blockLength, std::span<const Count> displacements, Datatype& old) {
  requireBlockLength(blockLength);
  TypeMapJoiner joiner(hasOneBasicType(old), displacements.size());
  for (const Count displacement : displacements)
    joiner.add(old.map(), checkedMultiply(displacement, old.extent()), blockLength);
  return make(joiner.join(), EnvelopeWriter<Count>(MPI_COMBINER_INDEXED_BLOCK)
                                 .count(static_cast<Count>(displacements.size()))
                                 .count(blockLength)
                                 .counts(displacements.data(), displacements.size())
                                 .datatype(old)
                                 .done());
}

template <CountType Count, class Displacement>
Ref<Datatype> makeHindexedBlock(Count blockLength, std::span<const Displacement> displacements,
                                Datatype& old) {
  requireBlockLength(blockLength);
  TypeMapJoiner joiner(hasOneBasicType(old), displacements.size());
  for (const Displacement displacement : displacements)
    joiner.add(old.map(), displacement, blockLength);
  return make(joiner.join(), EnvelopeWriter<Count>(MPI_COMBINER_HINDEXED_BLOCK)
                                 .count(static_cast<Count>(displacements.size()))
                                 .count(blockLength)
                                 .addresses(displacements.data(), displacements.size())
                                 .datatype(old)
                                 .done());
}

template <CountType Count, class Displacement>
Ref<Datatype> makeStruct(std::span<const Count> blockLengths, const Displacement* displacements,
                         const MPI_Datatype* types) {
  requireBlockLengths(blockLengths);
  bool oneBasicType = true;
  BasicType basic = BasicType::none;
  for (std::size_t i = 0; i < blockLengths.size(); ++i) {
    const Datatype& type = datatypeOf(types[i]);
    if (blockLengths[i] == 0 || type.size() == 0)
      continue;
    if (basic == BasicType::none)
      basic = type.basic();
    oneBasicType = oneBasicType && basic != BasicType::none && type.basic() == basic;
  }
  TypeMapJoiner joiner(oneBasicType, blockLengths.size());
  EnvelopeWriter<Count> envelope(MPI_COMBINER_STRUCT);
  envelope.count(static_cast<Count>(blockLengths.size()))
      .counts(blockLengths.data(), blockLengths.size())
      .addresses(displacements, blockLengths.size());
  for (std::size_t i = 0; i < blockLengths.size(); ++i) {
    Datatype& type = datatypeOf(types[i]);
    joiner.add(type.map(), displacements[i], blockLengths[i]);
    envelope.datatype(type);
  }
  return make(joiner.join(), envelope.done());
}

template <CountType Count>
Ref<Datatype> makeSubarray(std::span<const Count> sizes, const Count* subsizes, const Count* starts,
                           int order, Datatype& old) {
  const std::size_t dimensions = sizes.size();
  if (dimensions == 0)
    fail(MPI_ERR_ARG, "ndims is 0, which is not positive");
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    fail(MPI_ERR_ARG, "order is ", order, ", which is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (sizes[i] < 1)
      fail(MPI_ERR_ARG, "array_of_sizes[", i, "] is ", sizes[i], ", which is not positive");
    if (subsizes[i] < 1 || subsizes[i] > sizes[i])
      fail(MPI_ERR_ARG, "array_of_subsizes[", i, "] is ", subsizes[i],
           ", which is not between 1 and the size ", sizes[i]);
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
      fail(MPI_ERR_ARG, "array_of_starts[", i, "] is ", starts[i], ", which is not between 0 and ",
           sizes[i] - subsizes[i], " (size less subsize)");
  }
  TypeMap part = old.map();
  MPI_Count stride = old.extent();
  MPI_Count start = 0;
  for (std::size_t step = 0; step < dimensions; ++step) {
    const std::size_t i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
    part = part.repeated(subsizes[i], stride);
    start = checkedAdd(start, checkedMultiply(starts[i], stride));
    stride = checkedMultiply(stride, sizes[i]);
  }
  TypeMapJoiner joiner(hasOneBasicType(old), 1);
  joiner.add(part, start, 1);
  return make(joiner.join().resized(0, stride), EnvelopeWriter<Count>(MPI_COMBINER_SUBARRAY)
                                                    .integer(static_cast<int>(dimensions))
                                                    .counts(sizes.data(), dimensions)
                                                    .counts(subsizes, dimensions)
                                                    .counts(starts, dimensions)
                                                    .integer(order)
                                                    .datatype(old)
                                                    .done());
}

Ref<Datatype> makeResized(Datatype& old, MPI_Count lowerBound, MPI_Count extent, bool largeCounts) {
  const std::array bounds = {lowerBound, extent};
  Envelope envelope =
      largeCounts
          ? EnvelopeWriter<MPI_Count>(MPI_COMBINER_RESIZED).addresses(bounds.data(), 2).datatype(old).done()
          : EnvelopeWriter<int>(MPI_COMBINER_RESIZED).addresses(bounds.data(), 2).datatype(old).done();
  return make(old.map().resized(lowerBound, extent), std::move(envelope));
}

template Ref<Datatype> makeContiguous(int, Datatype&);
template Ref<Datatype> makeContiguous(MPI_Count, Datatype&);
template Ref<Datatype> makeVector(int, int, int, Datatype&);
template Ref<Datatype> makeVector(MPI_Count, MPI_Count, MPI_Count, Datatype&);
template Ref<Datatype> makeHvector(int, int, MPI_Count, Datatype&);
template Ref<Datatype> makeHvector(MPI_Count, MPI_Count, MPI_Count, Datatype&);
template Ref<Datatype> makeIndexed(std::span<const int>, const int*, Datatype&);
template Ref<Datatype> makeIndexed(std::span<const MPI_Count>, const MPI_Count*, Datatype&);
template Ref<Datatype> makeHindexed(std::span<const int>, const MPI_Aint*, Datatype&);
template Ref<Datatype> makeHindexed(std::span<const MPI_Count>, const MPI_Count*, Datatype&);
template Ref<Datatype> makeIndexedBlock(int, std::span<const int>, Datatype&);
template Ref<Datatype> makeIndexedBlock(MPI_Count, std::span<const MPI_Count>, Datatype&);
template Ref<Datatype> makeHindexedBlock(int, std::span<const MPI_Aint>, Datatype&);
template Ref<Datatype> makeHindexedBlock(MPI_Count, std::span<const MPI_Count>, Datatype&);
template Ref<Datatype> makeStruct(std::span<const int>, const MPI_Aint*, const MPI_Datatype*);
template Ref<Datatype> makeStruct(std::span<const MPI_Count>, const MPI_Count*, const MPI_Datatype*);
template Ref<Datatype> makeSubarray(std::span<const int>, const int*, const int*, int, Datatype&);
template Ref<Datatype> makeSubarray(std::span<const MPI_Count>, const MPI_Count*, const MPI_Count*, int,
                                    Datatype&);

} // namespace mpl
