#include "onesided/AtomicUpdate.h"

#include "mpl/Op.h"
#include "test/unit/onesided/Members.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace mpl {
namespace {

ElementType elementOf(MPI_Datatype type) {
  return ElementType::of(datatypeOf(type));
}

template <class T> ElementRun runOf(T* at, std::size_t count) {
  return {reinterpret_cast<std::byte*>(at), 0, count};
}

template <class T> const std::byte* bytesOf(const T* at) {
  return reinterpret_cast<const std::byte*>(at);
}

TEST(AtomicUpdate, SumsWholeNumbersAndGivesWhatWasThere) {
  Members members;
  std::int32_t target[3] = {1, -2, 2147483647};
  const std::int32_t operand[3] = {10, 20, 1};
  std::int32_t previous[3] = {};
  updateAtomically(Op::Kind::sum, elementOf(MPI_INT32_T), runOf(target, 3), bytesOf(operand),
                   reinterpret_cast<std::byte*>(previous), members.gate(), members.updater());
  EXPECT_EQ(target[0], 11);
  EXPECT_EQ(target[1], 18);
  EXPECT_EQ(target[2], INT32_MIN); // wraps, as reductions do
  EXPECT_EQ(previous[1], -2);
}

TEST(AtomicUpdate, EveryOperationGivesWhatTheReductionGives) {
  Members members;
  for (const MPI_Op handle :
       {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR}) {
    const Op& op = opOf(handle);
    for (const std::int16_t before : {0, 1, -7, 300}) {
      for (const std::int16_t operand : {0, 1, 5, -300}) {
        std::int16_t expected = before;
        op.apply(&operand, &expected, 1, datatypeOf(MPI_INT16_T));
        std::int16_t target = before;
        updateAtomically(op.kind(), elementOf(MPI_INT16_T), runOf(&target, 1), bytesOf(&operand), nullptr,
                         members.gate(), members.updater());
        EXPECT_EQ(target, expected) << op.name() << " " << before << " " << operand;
      }
    }
  }
}

TEST(AtomicUpdate, ReplaceAndNoOp) {
  Members members;
  double target = 1.5;
  const double operand = 4.25;
  double previous = 0;
  auto* old = reinterpret_cast<std::byte*>(&previous);
  updateAtomically(Op::Kind::replace, elementOf(MPI_DOUBLE), runOf(&target, 1), bytesOf(&operand), old,
                   members.gate(), members.updater());
  EXPECT_EQ(target, 4.25);
  EXPECT_EQ(previous, 1.5);
  updateAtomically(Op::Kind::noOp, elementOf(MPI_DOUBLE), runOf(&target, 1), nullptr, old, members.gate(),
                   members.updater());
  EXPECT_EQ(target, 4.25);
  EXPECT_EQ(previous, 4.25);
}

TEST(AtomicUpdate, ElementsThatAreNotAligned) {
  Members members;
  alignas(8) char memory[24] = {};
  const std::int64_t operand = 77;
  updateAtomically(Op::Kind::sum, elementOf(MPI_INT64_T), {reinterpret_cast<std::byte*>(memory + 3), 3, 1},
                   bytesOf(&operand), nullptr, members.gate(), members.updater());
  std::int64_t found = 0;
  std::memcpy(&found, memory + 3, sizeof found);
  EXPECT_EQ(found, 77);
  EXPECT_EQ(memory[2], 0);
  EXPECT_EQ(memory[11], 0);
}

// Runs of any length from any element on, as single elements would give it; what is beside them stays.
template <class T> void updateRuns(MPI_Datatype type, Others others) {
  constexpr std::size_t room = 160;
  Members members;
  for (const MPI_Op handle : {MPI_SUM, MPI_MAX, MPI_REPLACE, MPI_NO_OP}) {
    const Op& op = opOf(handle);
    for (std::size_t from = 0; from < 9; ++from) {
      for (const std::size_t count : {1, 2, 3, 7, 8, 9, 23, 65, 140}) {
        alignas(8) T target[room];
        T expected[room], operand[room], previous[room];
        for (std::size_t i = 0; i < room; ++i) {
          target[i] = expected[i] = static_cast<T>(3 * i + 1);
          operand[i] = static_cast<T>(i % 5 * 40);
          previous[i] = T(0);
        }
        if (handle == MPI_REPLACE)
          std::copy_n(operand, count, expected + from);
        else if (handle != MPI_NO_OP)
          op.apply(operand, expected + from, static_cast<MPI_Count>(count), datatypeOf(type));
        updateAtomically(op.kind(), elementOf(type), runOf(target + from, count),
                         handle == MPI_NO_OP ? nullptr : bytesOf(operand),
                         reinterpret_cast<std::byte*>(previous), members.gate(), members.updater(), others);
        for (std::size_t i = 0; i < room; ++i) {
          ASSERT_EQ(target[i], expected[i]) << op.name() << " from " << from << ", " << count << ": " << i;
          if (i < count)
            ASSERT_EQ(previous[i], static_cast<T>(3 * (from + i) + 1));
          else
            ASSERT_EQ(previous[i], T(0));
        }
      }
    }
  }
}

TEST(AtomicUpdate, RunsOfElements) {
  for (const Others others : {Others::any, Others::none}) {
    updateRuns<std::int8_t>(MPI_INT8_T, others);
    updateRuns<std::uint16_t>(MPI_UINT16_T, others);
    updateRuns<std::int32_t>(MPI_INT32_T, others);
    updateRuns<float>(MPI_FLOAT, others);
    updateRuns<double>(MPI_DOUBLE, others);
  }
}

struct DoubleInt {
  double value;
  int index;
};

TEST(AtomicUpdate, PairsLieAsStructsAndTravelPacked) {
  Members members;
  const ElementType type = elementOf(MPI_DOUBLE_INT);
  EXPECT_EQ(type.packedSize(), 12u);
  EXPECT_EQ(type.extent(), sizeof(DoubleInt));
  DoubleInt target[2] = {{5.0, 1}, {5.0, 1}};
  std::byte operand[24];
  const double values[2] = {3.0, 5.0};
  const int indices[2] = {9, 0};
  for (int i = 0; i < 2; ++i) {
    std::memcpy(operand + 12 * i, &values[i], 8);
    std::memcpy(operand + 12 * i + 8, &indices[i], 4);
  }
  std::byte previous[24];
  updateAtomically(Op::Kind::minloc, type, runOf(target, 2), operand, previous, members.gate(),
                   members.updater());
  EXPECT_EQ(target[0].value, 3.0);
  EXPECT_EQ(target[0].index, 9);
  EXPECT_EQ(target[1].value, 5.0);
  EXPECT_EQ(target[1].index, 0); // of equal values the smaller index
  int oldIndex = 0;
  std::memcpy(&oldIndex, previous + 20, sizeof oldIndex);
  EXPECT_EQ(oldIndex, 1);
}

TEST(AtomicUpdate, CompareAndSwapSwapsOnlyWhatIsEqual) {
  Members members;
  std::uint8_t target = 5;
  const std::uint8_t wrong = 4;
  const std::uint8_t right = 5;
  const std::uint8_t value = 9;
  std::uint8_t previous = 0;
  auto* old = reinterpret_cast<std::byte*>(&previous);
  compareAndSwap(elementOf(MPI_UINT8_T), runOf(&target, 1), bytesOf(&wrong), bytesOf(&value), old,
                 members.gate(), members.updater());
  EXPECT_EQ(target, 5);
  EXPECT_EQ(previous, 5);
  compareAndSwap(elementOf(MPI_UINT8_T), runOf(&target, 1), bytesOf(&right), bytesOf(&value), old,
                 members.gate(), members.updater());
  EXPECT_EQ(target, 9);
  EXPECT_EQ(previous, 5);
}

template <class T> void sumByThreads(MPI_Datatype type) {
  constexpr int rounds = 2000;
  Members members;
  alignas(16) T target = T(0);
  const auto work = [&](std::size_t member) {
    const T one = T(1);
    for (int i = 0; i < rounds; ++i)
      updateAtomically(Op::Kind::sum, elementOf(type), runOf(&target, 1), bytesOf(&one), nullptr,
                       members.gate(), members.updater(member));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(target, T(2 * rounds));
}

// One thread updates all of a run, the other single elements of it.
TEST(AtomicUpdate, RunsAndElementsLoseNothing) {
  constexpr int rounds = 2000;
  constexpr std::size_t count = 19;
  Members members;
  alignas(8) std::uint8_t target[count] = {};
  std::uint8_t ones[count];
  std::fill_n(ones, count, std::uint8_t{1});
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i)
      updateAtomically(Op::Kind::sum, elementOf(MPI_UINT8_T), runOf(target, count), bytesOf(ones), nullptr,
                       members.gate(), members.updater(1));
  });
  for (int i = 0; i < rounds; ++i)
    for (std::size_t at = 0; at < count; ++at)
      updateAtomically(Op::Kind::sum, elementOf(MPI_UINT8_T), runOf(target + at, 1), bytesOf(ones), nullptr,
                       members.gate(), members.updater(0));
  other.join();
  for (const std::uint8_t one : target)
    EXPECT_EQ(one, static_cast<std::uint8_t>(2 * rounds));
}

TEST(AtomicUpdate, ThreadsLoseNothing) {
  sumByThreads<std::int64_t>(MPI_INT64_T);
  sumByThreads<std::int16_t>(MPI_INT16_T);
  sumByThreads<float>(MPI_FLOAT);
  sumByThreads<double>(MPI_DOUBLE);
  sumByThreads<long double>(MPI_LONG_DOUBLE);
}

} // namespace
} // namespace mpl
