#include "mpl/DatatypeConstructors.h"

#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>

namespace mpl::test {
namespace {

template <class Run> int errorOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

Datatype& integer() {
  return datatypeOf(MPI_INT);
}

template <class T, std::size_t n> std::span<const T> spanOf(const std::array<T, n>& array) {
  return array;
}

void expectEnvelope(const Datatype& type, int combiner, const std::vector<int>& integers,
                    const std::vector<MPI_Aint>& addresses, const std::vector<MPI_Count>& counts) {
  const Envelope& envelope = type.envelope();
  EXPECT_EQ(envelope.combiner, combiner);
  EXPECT_EQ(envelope.integers, integers);
  EXPECT_EQ(envelope.addresses, addresses);
  EXPECT_EQ(envelope.largeCounts, counts);
}

const std::array<int, 2> lengths = {2, 3};
const std::array<int, 2> places = {4, 0};
const std::array<MPI_Aint, 2> offsets = {16, -8};
const std::array<MPI_Count, 2> largeLengths = {2, 3};
const std::array<MPI_Count, 2> largePlaces = {4, 0};

// The tables of section 5.1.13: which argument is found where.
TEST(DatatypeConstructors, EnvelopesOfTheIntForms) {
  expectEnvelope(*makeContiguous(7, integer()), MPI_COMBINER_CONTIGUOUS, {7}, {}, {});
  expectEnvelope(*makeVector(3, 2, -5, integer()), MPI_COMBINER_VECTOR, {3, 2, -5}, {}, {});
  expectEnvelope(*makeHvector(3, 2, -50, integer()), MPI_COMBINER_HVECTOR, {3, 2}, {-50}, {});
  expectEnvelope(*makeIndexed(spanOf(lengths), places.data(), integer()), MPI_COMBINER_INDEXED,
                 {2, 2, 3, 4, 0}, {}, {});
  expectEnvelope(*makeHindexed(spanOf(lengths), offsets.data(), integer()), MPI_COMBINER_HINDEXED, {2, 2, 3},
                 {16, -8}, {});
  expectEnvelope(*makeIndexedBlock(5, spanOf(places), integer()), MPI_COMBINER_INDEXED_BLOCK, {2, 5, 4, 0},
                 {}, {});
  expectEnvelope(*makeHindexedBlock(5, spanOf(offsets), integer()), MPI_COMBINER_HINDEXED_BLOCK, {2, 5},
                 {16, -8}, {});
  const std::array<MPI_Datatype, 2> types = {MPI_INT, MPI_DOUBLE};
  const Ref<Datatype> structure = makeStruct(spanOf(lengths), offsets.data(), types.data());
  expectEnvelope(*structure, MPI_COMBINER_STRUCT, {2, 2, 3}, {16, -8}, {});
  ASSERT_EQ(structure->envelope().datatypes.size(), 2U);
  EXPECT_EQ(structure->envelope().datatypes[1].get(), &datatypeOf(MPI_DOUBLE));
  const std::array<int, 2> sizes = {8, 9};
  const std::array<int, 2> starts = {1, 2};
  expectEnvelope(*makeSubarray(spanOf(sizes), lengths.data(), starts.data(), MPI_ORDER_C, integer()),
                 MPI_COMBINER_SUBARRAY, {2, 8, 9, 2, 3, 1, 2, MPI_ORDER_C}, {}, {});
  expectEnvelope(*makeResized(integer(), -4, 16, false), MPI_COMBINER_RESIZED, {}, {-4, 16}, {});
  expectEnvelope(*makeDuplicate(integer()), MPI_COMBINER_DUP, {}, {}, {});
  expectEnvelope(integer(), MPI_COMBINER_NAMED, {}, {}, {});
}

TEST(DatatypeConstructors, EnvelopesOfTheLargeForms) {
  expectEnvelope(*makeContiguous<MPI_Count>(7, integer()), MPI_COMBINER_CONTIGUOUS, {}, {}, {7});
  expectEnvelope(*makeVector<MPI_Count>(3, 2, -5, integer()), MPI_COMBINER_VECTOR, {}, {}, {3, 2, -5});
  expectEnvelope(*makeHvector<MPI_Count>(3, 2, -50, integer()), MPI_COMBINER_HVECTOR, {}, {}, {3, 2, -50});
  expectEnvelope(*makeIndexed(spanOf(largeLengths), largePlaces.data(), integer()), MPI_COMBINER_INDEXED, {},
                 {}, {2, 2, 3, 4, 0});
  expectEnvelope(*makeHindexed(spanOf(largeLengths), largePlaces.data(), integer()), MPI_COMBINER_HINDEXED,
                 {}, {}, {2, 2, 3, 4, 0});
  expectEnvelope(*makeIndexedBlock<MPI_Count>(5, spanOf(largePlaces), integer()), MPI_COMBINER_INDEXED_BLOCK,
                 {}, {}, {2, 5, 4, 0});
  expectEnvelope(*makeHindexedBlock<MPI_Count>(5, spanOf(largePlaces), integer()),
                 MPI_COMBINER_HINDEXED_BLOCK, {}, {}, {2, 5, 4, 0});
  const std::array<MPI_Datatype, 2> types = {MPI_INT, MPI_DOUBLE};
  expectEnvelope(*makeStruct(spanOf(largeLengths), largePlaces.data(), types.data()), MPI_COMBINER_STRUCT, {},
                 {}, {2, 2, 3, 4, 0});
  const std::array<MPI_Count, 2> sizes = {8, 9};
  const std::array<MPI_Count, 2> starts = {1, 2};
  expectEnvelope(
      *makeSubarray(spanOf(sizes), largeLengths.data(), starts.data(), MPI_ORDER_FORTRAN, integer()),
      MPI_COMBINER_SUBARRAY, {2, MPI_ORDER_FORTRAN}, {}, {8, 9, 2, 3, 1, 2});
  expectEnvelope(*makeResized(integer(), -4, 16, true), MPI_COMBINER_RESIZED, {}, {}, {-4, 16});
}

TEST(DatatypeConstructors, BothFormsGiveTheSameData) {
  const Ref<Datatype> small = makeIndexed(spanOf(lengths), places.data(), integer());
  const Ref<Datatype> large = makeIndexed(spanOf(largeLengths), largePlaces.data(), integer());
  EXPECT_EQ(small->size(), large->size());
  EXPECT_EQ(small->extent(), large->extent());
  EXPECT_EQ(small->lowerBound(), large->lowerBound());
}

TEST(DatatypeConstructors, NegativeCounts) {
  EXPECT_EQ(errorOf([] { makeContiguous(-1, integer()); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { makeVector(-1, 1, 1, integer()); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { makeVector(1, -1, 1, integer()); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { makeHvector(-1, 1, 1, integer()); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { makeIndexedBlock(-1, spanOf(places), integer()); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { makeHindexedBlock(-1, spanOf(offsets), integer()); }), MPI_ERR_ARG);
  const std::array<int, 2> bad = {1, -2};
  EXPECT_EQ(errorOf([&] { makeIndexed(spanOf(bad), places.data(), integer()); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([&] { makeHindexed(spanOf(bad), offsets.data(), integer()); }), MPI_ERR_ARG);
}

TEST(DatatypeConstructors, MessagesNameArgumentAndValue) {
  const std::array<int, 2> bad = {1, -2};
  try {
    makeIndexed(spanOf(bad), places.data(), integer());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "array_of_blocklengths[1] is -2, which is negative");
  }
}

TEST(DatatypeConstructors, StructsOfBadTypes) {
  const std::array<MPI_Datatype, 2> types = {MPI_INT, MPI_DATATYPE_NULL};
  EXPECT_EQ(errorOf([&] { makeStruct(spanOf(lengths), offsets.data(), types.data()); }), MPI_ERR_TYPE);
}

TEST(DatatypeConstructors, TooLargeForMpiCount) {
  const Ref<Datatype> large = makeContiguous<MPI_Count>(MPI_Count{1} << 60, integer());
  EXPECT_EQ(large->size(), std::size_t{1} << 62);
  EXPECT_EQ(errorOf([&] { makeContiguous(4, *large); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([&] { makeVector(2, 1, INT_MAX, *large); }), MPI_ERR_COUNT);
}

TEST(DatatypeConstructors, MoreThanTwoToThe31) {
  const Ref<Datatype> type = makeContiguous<MPI_Count>(MPI_Count{3} << 31, datatypeOf(MPI_BYTE));
  EXPECT_EQ(type->size(), std::size_t{3} << 31);
  EXPECT_EQ(type->extent(), MPI_Count{3} << 31);
  EXPECT_TRUE(type->isContiguous());
  const Ref<Datatype> vector = makeVector(INT_MAX, 1, 2, datatypeOf(MPI_DOUBLE));
  EXPECT_EQ(vector->size(), std::size_t{8} * INT_MAX);
  EXPECT_EQ(vector->extent(), MPI_Count{16} * INT_MAX - 8);
}

TEST(DatatypeConstructors, AHugeVectorIsSmallInMemory) {
  const Ref<Datatype> type = makeVector(10'000'000, 3, 5, integer());
  const LayoutNode& root = *type->layout().root();
  EXPECT_EQ(root.kind, LayoutNode::Kind::loop);
  EXPECT_EQ(root.child->kind, LayoutNode::Kind::block);
  const Ref<Datatype> matrix = makeVector(1000, 1, 1000, *makeResized(*type, 0, 4, false));
  EXPECT_EQ(matrix->layout().root()->child->child, root.child);
}

TEST(DatatypeConstructors, FullSubarraysAreContiguous) {
  const std::array<int, 3> sizes = {4, 5, 6};
  const std::array<int, 3> starts = {0, 0, 0};
  EXPECT_TRUE(
      makeSubarray(spanOf(sizes), sizes.data(), starts.data(), MPI_ORDER_C, integer())->isContiguous());
  const std::array<int, 3> slab = {2, 5, 6};
  const std::array<int, 3> from = {1, 0, 0};
  const Ref<Datatype> type = makeSubarray(spanOf(sizes), slab.data(), from.data(), MPI_ORDER_C, integer());
  EXPECT_TRUE(type->isOneBlock());
  EXPECT_EQ(type->trueLowerBound(), 120);
  EXPECT_EQ(type->extent(), 480);
}

TEST(DatatypeConstructors, BadSubarrays) {
  const std::array<int, 2> sizes = {4, 5};
  const std::array<int, 2> good = {2, 3};
  const std::array<int, 2> zero = {2, 0};
  const std::array<int, 2> big = {2, 6};
  const std::array<int, 2> start = {2, 2};
  const std::array<int, 2> late = {3, 0};
  const std::array<int, 2> early = {-1, 0};
  const auto make = [](auto& s, auto& sub, auto& from, int order) {
    return errorOf([&] { makeSubarray(spanOf(s), sub.data(), from.data(), order, integer()); });
  };
  EXPECT_EQ(make(sizes, good, start, MPI_ORDER_C), MPI_SUCCESS);
  EXPECT_EQ(make(sizes, zero, start, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(make(sizes, big, start, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(make(sizes, good, late, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(make(sizes, good, early, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(make(zero, good, start, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(make(sizes, good, start, 5), MPI_ERR_ARG);
}

} // namespace
} // namespace mpl::test
