/// Set operations on groups, against a plain model, and their cost on large ones.

#include "mpl/Group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <thread>

namespace mpl {
namespace {

using Ids = std::vector<ProcessId>;

bool has(const Ids& ids, ProcessId id) {
  return std::ranges::find(ids, id) != ids.end();
}

Ids unionOf(const Ids& a, const Ids& b) {
  Ids out = a;
  std::ranges::copy_if(b, std::back_inserter(out), [&](ProcessId id) { return !has(a, id); });
  return out;
}

Ids intersectionOf(const Ids& a, const Ids& b) {
  Ids out;
  std::ranges::copy_if(a, std::back_inserter(out), [&](ProcessId id) { return has(b, id); });
  return out;
}

Ids differenceOf(const Ids& a, const Ids& b) {
  Ids out;
  std::ranges::copy_if(a, std::back_inserter(out), [&](ProcessId id) { return !has(b, id); });
  return out;
}

int relation(const Ids& a, const Ids& b) {
  if (a == b)
    return MPI_IDENT;
  return std::set(a.begin(), a.end()) == std::set(b.begin(), b.end()) ? MPI_SIMILAR : MPI_UNEQUAL;
}

Ids randomIds(std::mt19937& random, int universe) {
  Ids ids(static_cast<std::size_t>(universe));
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::shuffle(ids, random);
  ids.resize(random() % (static_cast<unsigned>(universe) + 1));
  switch (random() % 3) {
  case 0:
    std::ranges::sort(ids);
    break;
  case 1:
    std::ranges::sort(ids, std::greater<>());
    break;
  }
  return ids;
}

TEST(GroupSet, OrderIsThatOfTheFirstGroup) {
  const auto a = Group::of({4, 1, 3});
  const auto b = Group::of({3, 9, 1, 0});
  EXPECT_EQ(a->unite(*b)->members(), (Ids{4, 1, 3, 9, 0}));
  EXPECT_EQ(b->unite(*a)->members(), (Ids{3, 9, 1, 0, 4}));
  EXPECT_EQ(a->intersect(*b)->members(), (Ids{1, 3}));
  EXPECT_EQ(b->intersect(*a)->members(), (Ids{3, 1}));
  EXPECT_EQ(a->subtract(*b)->members(), (Ids{4}));
  EXPECT_EQ(b->subtract(*a)->members(), (Ids{9, 0}));
}

TEST(GroupSet, EmptyIsNeutral) {
  const auto group = Group::of({4, 1, 3});
  const auto empty = Group::empty();
  EXPECT_EQ(group->unite(*empty), group);
  EXPECT_EQ(empty->unite(*group)->members(), group->members());
  EXPECT_EQ(group->intersect(*empty), empty);
  EXPECT_EQ(empty->intersect(*group), empty);
  EXPECT_EQ(group->subtract(*empty), group);
  EXPECT_EQ(empty->subtract(*group), empty);
  EXPECT_EQ(group->subtract(*group), empty);
  EXPECT_EQ(group->unite(*group), group);
  EXPECT_EQ(group->intersect(*group), group);
  EXPECT_EQ(empty->unite(*empty), empty);
}

TEST(GroupSet, AgreesWithAPlainModel) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 2000; ++round) {
    const int universe = 1 + static_cast<int>(random() % 12);
    const Ids a = randomIds(random, universe);
    const Ids b = randomIds(random, universe);
    const auto groupA = Group::of(a);
    const auto groupB = Group::of(b);
    ASSERT_EQ(groupA->members(), a);
    ASSERT_EQ(groupA->unite(*groupB)->members(), unionOf(a, b));
    ASSERT_EQ(groupA->intersect(*groupB)->members(), intersectionOf(a, b));
    ASSERT_EQ(groupA->subtract(*groupB)->members(), differenceOf(a, b));
    ASSERT_EQ(groupA->compare(*groupB), relation(a, b));
  }
}

TEST(GroupSet, IncludeAndExcludeComplementEachOther) {
  std::mt19937 random(99);
  for (int round = 0; round < 500; ++round) {
    const Ids members = randomIds(random, 15);
    const auto group = Group::of(members);
    std::vector<int> ranks(members.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::ranges::shuffle(ranks, random);
    ranks.resize(ranks.empty() ? 0 : random() % (ranks.size() + 1));
    Ids expected;
    for (const int rank : ranks)
      expected.push_back(members[static_cast<std::size_t>(rank)]);
    const auto in = group->include(ranks);
    const auto out = group->exclude(ranks);
    ASSERT_EQ(in->members(), expected);
    ASSERT_EQ(out->members(), differenceOf(members, expected));
    ASSERT_EQ(in->unite(*out)->compare(*group) == MPI_UNEQUAL, false);
  }
}

/// With an operation that is quadratic in the size these would take hours: half a million members each.
TEST(GroupSet, LargeUnsortedGroupsTakeNoQuadraticTime) {
  constexpr int size = 1 << 19;
  std::mt19937 random(7);
  Ids a(size);
  std::iota(a.begin(), a.end(), 0);
  Ids b(size);
  std::iota(b.begin(), b.end(), size / 2);
  std::ranges::shuffle(a, random);
  std::ranges::shuffle(b, random);
  const auto groupA = Group::of(a);
  const auto groupB = Group::of(b);
  EXPECT_EQ(groupA->unite(*groupB)->size(), size + size / 2);
  EXPECT_EQ(groupA->intersect(*groupB)->size(), size / 2);
  EXPECT_EQ(groupA->subtract(*groupB)->size(), size / 2);
  EXPECT_EQ(groupA->compare(*groupB), MPI_UNEQUAL);
  std::vector<int> ranks(size);
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  std::vector<int> out(size);
  groupA->translate(ranks, *groupB, out.data());
  EXPECT_EQ(std::ranges::count(out, MPI_UNDEFINED), size / 2);
  EXPECT_EQ(groupA->include(ranks)->compare(*groupA), MPI_SIMILAR);
  EXPECT_EQ(groupA->exclude(ranks), Group::empty());
}

TEST(GroupSet, LargeResultsAreStridedWhereTheyCanBe) {
  const auto world = Group::strided(0, 1, 1 << 20);
  const int evens[][3] = {{0, (1 << 20) - 1, 2}};
  const auto even = world->includeRanges(evens);
  const auto odd = world->excludeRanges(evens);
  EXPECT_TRUE(even->isStrided());
  EXPECT_TRUE(odd->isStrided());
  EXPECT_EQ(even->size(), 1 << 19);
  EXPECT_EQ(odd->first(), 1);
  EXPECT_EQ(odd->stride(), 2);
  EXPECT_EQ(even->intersect(*odd), Group::empty());
  EXPECT_EQ(even->unite(*odd)->compare(*world), MPI_SIMILAR);
}

TEST(GroupSet, ThreadsMayLookUpInOneGroup) {
  std::mt19937 random(5);
  Ids ids(20000);
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::shuffle(ids, random);
  const auto group = Group::of(ids);
  std::vector<std::jthread> threads;
  std::array<int, 4> wrong{};
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t rank = t; rank < ids.size(); rank += 4)
        wrong[t] += group->rankOf(ids[rank]) != static_cast<int>(rank);
    });
  threads.clear();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

} // namespace
} // namespace mpl
