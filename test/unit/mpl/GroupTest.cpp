#include "mpl/Group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <thread>

namespace mpl {
namespace {

using Ids = std::vector<ProcessId>;

template <class Run> int classOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

TEST(Group, StridedGroupsStoreNoList) {
  const auto world = Group::strided(0, 1, 1 << 20);
  EXPECT_TRUE(world->isStrided());
  EXPECT_EQ(world->size(), 1 << 20);
  EXPECT_EQ(world->process(12345), 12345);
  EXPECT_EQ(world->rankOf((1 << 20) - 1), (1 << 20) - 1);
  EXPECT_EQ(world->rankOf(1 << 20), MPI_UNDEFINED);
  EXPECT_EQ(world->rankOf(-1), MPI_UNDEFINED);
}

TEST(Group, StridesMayBeAnyNumberButZero) {
  const auto down = Group::strided(9, -3, 4);
  EXPECT_EQ(down->members(), (Ids{9, 6, 3, 0}));
  EXPECT_EQ(down->rankOf(3), 2);
  EXPECT_EQ(down->rankOf(4), MPI_UNDEFINED);
  EXPECT_EQ(down->rankOf(12), MPI_UNDEFINED);
  EXPECT_EQ(down->rankOf(-3), MPI_UNDEFINED);
}

TEST(Group, EvenListsBecomeStrided) {
  EXPECT_TRUE(Group::of({4, 6, 8, 10})->isStrided());
  EXPECT_TRUE(Group::of({4, 3, 2})->isStrided());
  EXPECT_TRUE(Group::of({7})->isStrided());
  EXPECT_TRUE(Group::of({7, 1})->isStrided());
  EXPECT_FALSE(Group::of({0, 1, 3})->isStrided());
  EXPECT_EQ(Group::of({4, 6, 8, 10})->stride(), 2);
  EXPECT_EQ(Group::of({7})->first(), 7);
}

TEST(Group, ListsFindTheirMembersSortedOrNot) {
  for (const Ids& ids : {Ids{1, 2, 4, 8, 16}, Ids{16, 1, 8, 2, 4}, Ids{5, 3, 9}}) {
    const auto group = Group::of(ids);
    for (std::size_t rank = 0; rank < ids.size(); ++rank) {
      EXPECT_EQ(group->process(static_cast<int>(rank)), ids[rank]);
      EXPECT_EQ(group->rankOf(ids[rank]), static_cast<int>(rank));
    }
    for (const ProcessId absent : {-1, 0, 7, 100})
      EXPECT_EQ(group->rankOf(absent), MPI_UNDEFINED) << absent;
    EXPECT_EQ(group->members(), ids);
  }
}

TEST(Group, EmptyIsOneObject) {
  EXPECT_EQ(Group::empty()->size(), 0);
  EXPECT_EQ(Group::of({}), Group::empty());
  EXPECT_EQ(Group::strided(3, 1, 0), Group::empty());
  EXPECT_EQ(Group::empty()->rankOf(0), MPI_UNDEFINED);
  EXPECT_TRUE(Group::empty()->members().empty());
  EXPECT_EQ(Group::empty()->first(), 0);
}

TEST(Group, KnowsThisProcess) {
  setThisProcess(6);
  EXPECT_EQ(thisProcess(), 6);
  EXPECT_EQ(Group::of({4, 6, 8})->rank(), 1);
  EXPECT_EQ(Group::of({4, 5})->rank(), MPI_UNDEFINED);
  setThisProcess(0);
  EXPECT_EQ(Group::of({4, 5})->rank(), MPI_UNDEFINED);
  EXPECT_EQ(Group::of({2, 1, 0})->rank(), 2);
}

TEST(Group, ProcessIdsNeedNotBeWorldRanks) {
  const ProcessId far = ProcessId(1) << 40;
  const auto group = Group::of({far + 1, 0, far});
  EXPECT_EQ(group->rankOf(far), 2);
  EXPECT_EQ(group->rankOf(0), 1);
  EXPECT_EQ(group->rankOf(1), MPI_UNDEFINED);
}

TEST(Group, ComparesOrderAndMembers) {
  const auto a = Group::of({1, 2, 5});
  EXPECT_EQ(a->compare(*a), MPI_IDENT);
  EXPECT_EQ(a->compare(*Group::of({1, 2, 5})), MPI_IDENT);
  EXPECT_EQ(a->compare(*Group::of({5, 2, 1})), MPI_SIMILAR);
  EXPECT_EQ(a->compare(*Group::of({1, 2, 6})), MPI_UNEQUAL);
  EXPECT_EQ(a->compare(*Group::of({1, 2})), MPI_UNEQUAL);
  EXPECT_EQ(a->compare(*Group::of({1, 2, 5, 6})), MPI_UNEQUAL);
  EXPECT_EQ(Group::empty()->compare(*Group::empty()), MPI_IDENT);
  EXPECT_EQ(Group::empty()->compare(*a), MPI_UNEQUAL);
  EXPECT_EQ(Group::strided(0, 1, 4)->compare(*Group::strided(3, -1, 4)), MPI_SIMILAR);
  EXPECT_EQ(Group::strided(0, 1, 4)->compare(*Group::strided(0, 2, 4)), MPI_UNEQUAL);
  EXPECT_EQ(Group::strided(0, 1, 1000000)->compare(*Group::strided(0, 1, 1000000)), MPI_IDENT);
}

TEST(Group, TranslatesRanks) {
  const auto a = Group::of({10, 11, 13});
  const auto b = Group::of({13, 10});
  const std::array ranks{2, 0, MPI_PROC_NULL, 1, 2};
  std::array<int, 5> out{};
  a->translate(ranks, *b, out.data());
  EXPECT_EQ(out, (std::array{0, 1, MPI_PROC_NULL, MPI_UNDEFINED, 0}));
}

TEST(Group, TranslateChecksAllRanksFirst) {
  const auto a = Group::of({10, 11});
  for (const int bad : {2, -1, MPI_ANY_SOURCE, MPI_UNDEFINED}) {
    const std::array ranks{0, bad};
    std::array<int, 2> out{77, 77};
    EXPECT_EQ(classOf([&] { a->translate(ranks, *a, out.data()); }), MPI_ERR_RANK) << bad;
    EXPECT_EQ(out[0], 77);
  }
}

TEST(Group, IncludeKeepsTheGivenOrder) {
  const auto world = Group::strided(0, 1, 8);
  const std::array ranks{7, 0, 3};
  EXPECT_EQ(world->include(ranks)->members(), (Ids{7, 0, 3}));
  const auto nested = Group::of({20, 10, 15});
  EXPECT_EQ(nested->include(std::array{2, 0})->members(), (Ids{15, 20}));
  EXPECT_EQ(world->include(std::span<const int>{}), Group::empty());
}

TEST(Group, ExcludeKeepsTheOwnOrder) {
  const auto group = Group::of({20, 10, 15, 3});
  EXPECT_EQ(group->exclude(std::array{2, 0})->members(), (Ids{10, 3}));
  EXPECT_EQ(group->exclude(std::span<const int>{}), group);
  EXPECT_EQ(group->exclude(std::array{3, 2, 1, 0}), Group::empty());
}

TEST(Group, IncludeAndExcludeRefuseBadRanks) {
  const auto world = Group::strided(0, 1, 4);
  for (const auto& bad :
       {std::vector{0, 4}, std::vector{-1}, std::vector{1, 2, 1}, std::vector{MPI_PROC_NULL}}) {
    EXPECT_EQ(classOf([&] { world->include(bad); }), MPI_ERR_RANK);
    EXPECT_EQ(classOf([&] { world->exclude(bad); }), MPI_ERR_RANK);
  }
  EXPECT_EQ(classOf([&] { Group::empty()->include(std::array{0}); }), MPI_ERR_RANK);
}

TEST(Group, RangesExpandAsTheStandardSays) {
  const auto world = Group::strided(0, 1, 20);
  const int ranges[][3] = {{6, 7, 1}, {1, 6, 2}, {0, 10, 4}, {18, 12, -3}};
  const Ids expected{6, 7, 1, 3, 5, 0, 4, 8, 18, 15, 12};
  EXPECT_EQ(world->includeRanges(ranges)->members(), expected);
  const auto others = world->excludeRanges(ranges);
  EXPECT_EQ(others->members(), (Ids{2, 9, 10, 11, 13, 14, 16, 17, 19}));
  const int one[][3] = {{5, 5, 7}};
  EXPECT_EQ(world->includeRanges(one)->members(), (Ids{5}));
  EXPECT_EQ(world->includeRanges({}), Group::empty());
  EXPECT_EQ(world->excludeRanges({}), world);
}

TEST(Group, BadRangesAreErrors) {
  const auto world = Group::strided(0, 1, 10);
  const auto both = [&](std::array<int, 3> range) {
    const int ranges[][3] = {{range[0], range[1], range[2]}};
    const int include = classOf([&] { world->includeRanges(ranges); });
    EXPECT_EQ(classOf([&] { world->excludeRanges(ranges); }), include);
    return include;
  };
  EXPECT_EQ(both({0, 5, 0}), MPI_ERR_ARG);
  EXPECT_EQ(both({3, 3, 0}), MPI_ERR_ARG);
  EXPECT_EQ(both({0, 5, -1}), MPI_ERR_ARG);
  EXPECT_EQ(both({5, 0, 1}), MPI_ERR_ARG);
  EXPECT_EQ(both({0, 10, 1}), MPI_ERR_RANK);
  EXPECT_EQ(both({0, 10, 3}), MPI_SUCCESS) << "10 itself is not reached";
  EXPECT_EQ(both({-1, 5, 1}), MPI_ERR_RANK);
  EXPECT_EQ(both({5, -2, -1}), MPI_ERR_RANK);
  EXPECT_EQ(both({0, INT32_MAX, 1}), MPI_ERR_RANK);
  EXPECT_EQ(both({0, INT32_MAX, INT32_MAX}), MPI_ERR_RANK);
  const int overlapping[][3] = {{0, 4, 2}, {3, 6, 1}};
  EXPECT_EQ(classOf([&] { world->includeRanges(overlapping); }), MPI_ERR_RANK);
}

TEST(GroupHandle, OwnsAReference) {
  const auto group = Group::of({3, 4, 9});
  const MPI_Group handle = newHandle(group);
  EXPECT_EQ(group->references(), 2);
  EXPECT_EQ(&groupOf(handle), group.get());
  const MPI_Group other = newHandle(group);
  EXPECT_NE(handle, other);
  freeGroup(handle);
  EXPECT_EQ(group->references(), 2);
  EXPECT_EQ(classOf([&] { groupOf(handle); }), MPI_ERR_GROUP);
  EXPECT_EQ(classOf([&] { freeGroup(handle); }), MPI_ERR_GROUP);
  EXPECT_EQ(&groupOf(other), group.get());
  freeGroup(other);
  EXPECT_EQ(group->references(), 1);
}

TEST(GroupHandle, EmptyGroupsShareThePredefinedHandle) {
  EXPECT_EQ(newHandle(Group::of({})), MPI_GROUP_EMPTY);
  EXPECT_EQ(&groupOf(MPI_GROUP_EMPTY), Group::empty().get());
  freeGroup(MPI_GROUP_EMPTY);
  EXPECT_EQ(groupOf(MPI_GROUP_EMPTY).size(), 0);
}

TEST(GroupHandle, NullAndInventedHandlesAreErrors) {
  EXPECT_EQ(classOf([] { groupOf(MPI_GROUP_NULL); }), MPI_ERR_GROUP);
  EXPECT_EQ(classOf([] { freeGroup(MPI_GROUP_NULL); }), MPI_ERR_GROUP);
  for (const std::uintptr_t value : {std::uintptr_t(0), std::uintptr_t(0x555500001000), ~std::uintptr_t(0)})
    EXPECT_EQ(classOf([&] { groupOf(reinterpret_cast<MPI_Group>(value)); }), MPI_ERR_GROUP) << value;
}

} // namespace
} // namespace mpl
