#include "mpl/Datatype.h"

#include "mpl/DatatypeConstructors.h"
#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <thread>

namespace mpl::test {
namespace {

template <class Run> Error errorOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  return {MPI_SUCCESS, ""};
}

/// A handle that nobody gave; the compiler is not to know its value.
MPI_Datatype invented(std::uintptr_t value) {
  volatile std::uintptr_t hidden = value;
  return reinterpret_cast<MPI_Datatype>(hidden);
}

TEST(Datatype, HotFlags) {
  Datatype& integer = datatypeOf(MPI_INT);
  EXPECT_TRUE(integer.isPlain());
  EXPECT_TRUE(integer.isCommitted());
  EXPECT_TRUE(integer.isContiguous());
  EXPECT_TRUE(integer.isPredefined());
  EXPECT_EQ(integer.size(), 4U);

  const Ref<Datatype> ten = makeContiguous(10, integer);
  EXPECT_TRUE(ten->isContiguous());
  EXPECT_FALSE(ten->isPlain()) << "not committed yet";
  ten->commit();
  EXPECT_TRUE(ten->isPlain());
  EXPECT_FALSE(ten->isPredefined());

  const Ref<Datatype> moved = makeResized(*ten, 0, 48, false);
  moved->commit();
  EXPECT_FALSE(moved->isContiguous()) << "gaps between elements";
  EXPECT_TRUE(moved->isOneBlock());

  const MPI_Aint place = 8;
  const int one = 1;
  const Ref<Datatype> shifted = makeHindexed(std::span<const int>(&one, 1), &place, integer);
  shifted->commit();
  EXPECT_TRUE(shifted->isContiguous()) << "a run, though not at the buffer's address";
  EXPECT_FALSE(shifted->isPlain());
  EXPECT_EQ(shifted->trueLowerBound(), 8);

  const Ref<Datatype> empty = makeContiguous(0, integer);
  empty->commit();
  EXPECT_TRUE(empty->isPlain());
  EXPECT_FALSE(datatypeOf(MPI_DOUBLE_INT).isContiguous());
  EXPECT_TRUE(datatypeOf(MPI_2INT).isPlain());
}

TEST(Datatype, TheFlagsAndTheSizeShareACacheLine) {
  EXPECT_EQ(alignof(Datatype), 64U);
  EXPECT_EQ(sizeof(Datatype) % 64, 0U);
}

TEST(Datatype, SpanOfABuffer) {
  MPI_Count lowest = -1;
  EXPECT_EQ(datatypeOf(MPI_INT).span(3, lowest), 12);
  EXPECT_EQ(lowest, 0);
  EXPECT_EQ(datatypeOf(MPI_INT).span(0, lowest), 0);
  const Ref<Datatype> down = makeResized(datatypeOf(MPI_INT), 0, -8, false);
  EXPECT_EQ(down->span(3, lowest), 20);
  EXPECT_EQ(lowest, -16);
  const Ref<Datatype> wide = makeResized(datatypeOf(MPI_INT), -100, 200, false);
  EXPECT_EQ(wide->span(2, lowest), 204);
  EXPECT_EQ(lowest, 0);
}

TEST(Datatype, HandlesOfFreedTypesAreRecognised) {
  const MPI_Datatype handle = giveHandle(makeContiguous(3, datatypeOf(MPI_INT)));
  EXPECT_EQ(datatypeOf(handle).handle(), handle);
  freeDatatype(handle);
  const Error error = errorOf([&] { datatypeOf(handle); });
  EXPECT_EQ(error.errorClass(), MPI_ERR_TYPE);
  EXPECT_NE(error.message().find("freed"), std::string::npos);
  EXPECT_EQ(errorOf([&] { freeDatatype(handle); }).errorClass(), MPI_ERR_TYPE);
}

TEST(Datatype, BadHandles) {
  const Error null = errorOf([] { datatypeOf(MPI_DATATYPE_NULL); });
  EXPECT_EQ(null.errorClass(), MPI_ERR_TYPE);
  EXPECT_NE(null.message().find("MPI_DATATYPE_NULL"), std::string::npos);
  EXPECT_EQ(errorOf([] { datatypeOf(invented(0x123)); }).errorClass(), MPI_ERR_TYPE);
  EXPECT_EQ(errorOf([] { datatypeOf(invented(0x7fffffffffff)); }).errorClass(), MPI_ERR_TYPE);
  EXPECT_EQ(errorOf([] { datatypeOf(nullptr); }).errorClass(), MPI_ERR_TYPE);
  EXPECT_EQ(errorOf([] { freeDatatype(MPI_INT); }).errorClass(), MPI_ERR_TYPE);
}

TEST(Datatype, CommunicationNeedsCommittedTypes) {
  const Ref<Datatype> type = makeContiguous(3, datatypeOf(MPI_INT));
  const MPI_Datatype handle = giveHandle(type);
  const Error error = errorOf([&] { committedDatatypeOf(handle); });
  EXPECT_EQ(error.errorClass(), MPI_ERR_TYPE);
  EXPECT_NE(error.message().find("not committed"), std::string::npos);
  type->commit();
  type->commit();
  EXPECT_EQ(&committedDatatypeOf(handle), type.get());
  freeDatatype(handle);
}

TEST(Datatype, LivesWhileItIsUsed) {
  const Ref<Datatype> old = makeContiguous(3, datatypeOf(MPI_INT));
  const MPI_Datatype handle = giveHandle(old);
  EXPECT_EQ(old->references(), 2);
  Ref<Datatype> derived = makeContiguous(2, *old);
  EXPECT_EQ(old->references(), 3);
  freeDatatype(handle);
  EXPECT_EQ(old->handle(), MPI_DATATYPE_NULL);
  EXPECT_EQ(old->references(), 2) << "ours, and that of the datatype made from it";
  EXPECT_EQ(derived->envelope().datatypes[0].get(), old.get());
  derived = nullptr;
  EXPECT_EQ(old->references(), 1);
}

TEST(Datatype, PredefinedOnesAreNotCounted) {
  Datatype& integer = datatypeOf(MPI_INT);
  integer.retain();
  integer.release();
  integer.release();
  EXPECT_TRUE(integer.isImmortal());
  EXPECT_EQ(datatypes->find(MPI_INT), &integer);
}

TEST(Datatype, Duplicates) {
  const Ref<Datatype> old = makeVector(3, 1, 2, datatypeOf(MPI_INT));
  old->setName("columns");
  const Ref<Datatype> before = old->duplicate();
  EXPECT_FALSE(before->isCommitted());
  old->commit();
  const Ref<Datatype> copy = old->duplicate();
  EXPECT_TRUE(copy->isCommitted());
  EXPECT_EQ(copy->name(), "");
  EXPECT_EQ(copy->envelope().combiner, MPI_COMBINER_DUP);
  EXPECT_EQ(copy->envelope().datatypes[0].get(), old.get());
  EXPECT_EQ(copy->layout().root(), old->layout().root());
  const Ref<Datatype> same = old->duplicate(true);
  EXPECT_EQ(same->envelope().combiner, MPI_COMBINER_VECTOR);
  EXPECT_EQ(same->envelope().integers, (std::vector<int>{3, 1, 2}));
  const Ref<Datatype> basic = datatypeOf(MPI_INT).duplicate();
  EXPECT_FALSE(basic->isPredefined());
  EXPECT_EQ(basic->typeClass(), TypeClass::none) << "reductions take the predefined one only";
  EXPECT_EQ(basic->basic(), BasicType::int32);
}

TEST(Datatype, Names) {
  EXPECT_EQ(datatypeOf(MPI_INT).name(), "MPI_INT");
  const Ref<Datatype> type = makeContiguous(1, datatypeOf(MPI_INT));
  EXPECT_EQ(type->name(), "");
  type->setName("pixel");
  EXPECT_EQ(type->name(), "pixel");
  EXPECT_EQ(datatypeOf(MPI_INT).name(), "MPI_INT");
}

int destroyed = 0;

TEST(Datatype, PlaceForTheTransport) {
  destroyed = 0;
  int first = 1;
  int second = 2;
  const auto destroy = [](void* made) { destroyed += *static_cast<int*>(made); };
  {
    const Ref<Datatype> type = makeVector(3, 1, 2, datatypeOf(MPI_INT));
    EXPECT_EQ(type->transportType(), nullptr);
    EXPECT_EQ(type->setTransportType(&first, destroy), &first);
    EXPECT_EQ(type->transportType(), &first);
    EXPECT_EQ(type->setTransportType(&second, destroy), &first) << "the first one stays";
    EXPECT_EQ(destroyed, 2);
    type->clearTransportType();
    EXPECT_EQ(destroyed, 3);
    EXPECT_EQ(type->transportType(), nullptr);
    type->clearTransportType();
    EXPECT_EQ(destroyed, 3);
    type->setTransportType(&second, destroy);
  }
  EXPECT_EQ(destroyed, 5) << "destroyed with the datatype";
}

TEST(Datatype, ManyThreadsAskForTheTransportAtOnce) {
  for (int round = 0; round < 20; ++round) {
    const Ref<Datatype> type = makeVector(3, 1, 2, datatypeOf(MPI_INT));
    int made[4] = {};
    void* got[4] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] { got[i] = type->setTransportType(&made[i], [](void*) {}); });
    for (std::thread& thread : threads)
      thread.join();
    for (int i = 1; i < 4; ++i)
      ASSERT_EQ(got[i], got[0]);
  }
}

TEST(Datatype, ManyThreadsMakeAndFree) {
  const std::size_t live = datatypes->live();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 300; ++round) {
        const MPI_Datatype inner = giveHandle(makeVector(3, 1, 2, datatypeOf(MPI_INT)));
        const MPI_Datatype outer = giveHandle(makeContiguous(4, datatypeOf(inner)));
        freeDatatype(inner);
        EXPECT_EQ(datatypeOf(outer).size(), 48U);
        freeDatatype(outer);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(datatypes->live(), live);
}

} // namespace
} // namespace mpl::test
