#include "mpl/CheckedMath.h"
#include "mpl/DatatypeConstructors.h"

namespace mpl {

namespace {

template <CountType Count> void check(const DarrayShape<Count>& shape) {
  if (shape.globalSizes.empty())
    fail(MPI_ERR_ARG, "ndims is 0, which is not positive");
  if (shape.size < 1)
    fail(MPI_ERR_ARG, "size is ", shape.size, ", which is not positive");
  if (shape.rank < 0 || shape.rank >= shape.size)
    fail(MPI_ERR_ARG, "rank is ", shape.rank, ", which is not between 0 and ", shape.size - 1);
  if (shape.order != MPI_ORDER_C && shape.order != MPI_ORDER_FORTRAN)
    fail(MPI_ERR_ARG, "order is ", shape.order, ", which is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
  MPI_Count processes = 1;
  for (std::size_t i = 0; i < shape.globalSizes.size(); ++i) {
    if (shape.globalSizes[i] < 1)
      fail(MPI_ERR_ARG, "array_of_gsizes[", i, "] is ", shape.globalSizes[i], ", which is not positive");
    if (shape.processSizes[i] < 1)
      fail(MPI_ERR_ARG, "array_of_psizes[", i, "] is ", shape.processSizes[i], ", which is not positive");
    processes = checkedMultiply(processes, shape.processSizes[i]);
    const int distribution = shape.distributions[i];
    const int argument = shape.arguments[i];
    if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC &&
        distribution != MPI_DISTRIBUTE_NONE)
      fail(MPI_ERR_ARG, "array_of_distribs[", i, "] is ", distribution,
           ", which is none of MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE");
    if (distribution == MPI_DISTRIBUTE_NONE) {
      if (shape.processSizes[i] != 1)
        fail(MPI_ERR_ARG, "array_of_psizes[", i, "] is ", shape.processSizes[i],
             ", but a dimension with MPI_DISTRIBUTE_NONE has one process");
    } else if (argument != MPI_DISTRIBUTE_DFLT_DARG && argument < 1) {
      fail(MPI_ERR_ARG, "array_of_dargs[", i, "] is ", argument,
           ", which is neither positive nor MPI_DISTRIBUTE_DFLT_DARG");
    }
  }
  if (processes != shape.size)
    fail(MPI_ERR_ARG, "size is ", shape.size, ", but the product of array_of_psizes is ", processes);
}

/// How many consecutive indices one process gets at a time. MPI_DISTRIBUTE_DFLT_DARG has the value of a
/// possible block length; it always means the default.
MPI_Count blockLength(MPI_Count globalSize, int distribution, int argument, int processes,
                      std::size_t dimension) {
  if (distribution == MPI_DISTRIBUTE_NONE)
    return globalSize;
  if (argument != MPI_DISTRIBUTE_DFLT_DARG) {
    if (distribution == MPI_DISTRIBUTE_BLOCK && checkedMultiply(argument, processes) < globalSize)
      fail(MPI_ERR_ARG, "array_of_dargs[", dimension, "] is ", argument, ": blocks of that length on ",
           processes, " processes do not cover the size ", globalSize);
    return argument;
  }
  return distribution == MPI_DISTRIBUTE_BLOCK ? (globalSize - 1) / processes + 1 : 1;
}

/// The part of one dimension that lies on the process with this coordinate: blocks of `block` indices, dealt
/// out in turn. The indices are `stride` bytes apart.
TypeMap dealtOut(const TypeMap& map, MPI_Count globalSize, MPI_Count block, int processes, int coordinate,
                 MPI_Count stride) {
  TypeMapJoiner joiner(map.bytes.basic() != BasicType::none, 2);
  const MPI_Count round = checkedMultiply(block, processes);
  const MPI_Count first = checkedMultiply(block, coordinate);
  if (first < globalSize) {
    const MPI_Count available = globalSize - first;
    // The last round may be cut short in the middle of this process's block.
    const MPI_Count whole = available / round + (available % round >= block ? 1 : 0);
    const MPI_Count rest = available % round < block ? available % round : 0;
    if (whole > 0)
      joiner.add(map.repeated(block, stride), checkedMultiply(first, stride), whole,
                 checkedMultiply(round, stride));
    if (rest > 0)
      joiner.add(map, checkedMultiply(first + whole * round, stride), rest, stride);
  }
  return joiner.join();
}

} // namespace

template <CountType Count> Ref<Datatype> makeDarray(const DarrayShape<Count>& shape, Datatype& old) {
  check(shape);
  const std::size_t dimensions = shape.globalSizes.size();

  // The processes are numbered in row-major order, whatever the order of the array.
  std::vector<int> coordinates(dimensions);
  int processes = shape.size;
  int rank = shape.rank;
  for (std::size_t i = 0; i < dimensions; ++i) {
    processes /= shape.processSizes[i];
    coordinates[i] = rank / processes;
    rank %= processes;
  }

  TypeMap part = old.map();
  MPI_Count stride = old.extent();
  for (std::size_t step = 0; step < dimensions; ++step) {
    const std::size_t i = shape.order == MPI_ORDER_C ? dimensions - 1 - step : step;
    const MPI_Count block = blockLength(shape.globalSizes[i], shape.distributions[i], shape.arguments[i],
                                        shape.processSizes[i], i);
    part = dealtOut(part, shape.globalSizes[i], block, shape.processSizes[i], coordinates[i], stride);
    stride = checkedMultiply(stride, shape.globalSizes[i]);
  }

  Envelope envelope;
  envelope.combiner = MPI_COMBINER_DARRAY;
  const auto addIntegers = [&](const int* values) {
    envelope.integers.insert(envelope.integers.end(), values, values + dimensions);
  };
  envelope.integers = {shape.size, shape.rank, static_cast<int>(dimensions)};
  if constexpr (std::same_as<Count, int>)
    addIntegers(shape.globalSizes.data());
  else
    envelope.largeCounts.assign(shape.globalSizes.begin(), shape.globalSizes.end());
  addIntegers(shape.distributions);
  addIntegers(shape.arguments);
  addIntegers(shape.processSizes);
  envelope.integers.push_back(shape.order);
  envelope.datatypes.emplace_back(&old);
  return Ref<Datatype>(new Datatype(part.resized(0, stride), std::move(envelope)));
}

template Ref<Datatype> makeDarray(const DarrayShape<int>&, Datatype&);
template Ref<Datatype> makeDarray(const DarrayShape<MPI_Count>&, Datatype&);

} // namespace mpl
