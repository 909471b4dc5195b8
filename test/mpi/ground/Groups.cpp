// Groups: MPI-5.0, section 7.3.
#include "test/mpi/Check.h"

#include <algorithm>
#include <numeric>

using check::errorClass;

namespace {

MPI_Group worldGroup() {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_SUCCESS);
  return group;
}

int sizeOf(MPI_Group group) {
  int size = -1;
  CHECK_EQ(MPI_Group_size(group, &size), MPI_SUCCESS);
  return size;
}

// The ranks that the members of a group have in MPI_COMM_WORLD.
std::vector<int> members(MPI_Group group) {
  MPI_Group world = worldGroup();
  const int size = sizeOf(group);
  std::vector<int> own(static_cast<size_t>(size));
  std::vector<int> out(static_cast<size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  CHECK_EQ(MPI_Group_translate_ranks(group, size, own.data(), world, out.data()), MPI_SUCCESS);
  MPI_Group_free(&world);
  return out;
}

MPI_Group include(const std::vector<int>& ranks) {
  MPI_Group world = worldGroup();
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group), MPI_SUCCESS);
  MPI_Group_free(&world);
  return group;
}

int compare(MPI_Group a, MPI_Group b) {
  int result = -1;
  CHECK_EQ(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
  return result;
}

// Members of the result of an operation, which is freed.
std::vector<int> membersOf(int (*operation)(MPI_Group, MPI_Group, MPI_Group*), MPI_Group a, MPI_Group b) {
  MPI_Group result = MPI_GROUP_NULL;
  CHECK_EQ(operation(a, b, &result), MPI_SUCCESS);
  std::vector<int> out = members(result);
  MPI_Group_free(&result);
  return out;
}

void worldAndSelf() {
  MPI_Group world = worldGroup();
  MPI_Group self = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  int rank = -1;
  CHECK_EQ(MPI_Group_rank(world, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, check::rank());
  CHECK_EQ(sizeOf(world), check::size());
  CHECK_EQ(MPI_Group_rank(self, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, 0);
  CHECK(members(self) == std::vector<int>{check::rank()});
  CHECK_EQ(compare(world, self), check::size() == 1 ? MPI_IDENT : MPI_UNEQUAL);
  MPI_Group again = worldGroup();
  CHECK_EQ(compare(world, again), MPI_IDENT);
  for (MPI_Group* group : {&world, &self, &again}) {
    CHECK_EQ(MPI_Group_free(group), MPI_SUCCESS);
    CHECK(*group == MPI_GROUP_NULL);
  }
}

void emptyGroup() {
  CHECK_EQ(sizeOf(MPI_GROUP_EMPTY), 0);
  int rank = 0;
  CHECK_EQ(MPI_Group_rank(MPI_GROUP_EMPTY, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, MPI_UNDEFINED);
  MPI_Group world = worldGroup();
  MPI_Group none = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Group_incl(world, 0, nullptr, &none), MPI_SUCCESS);
  CHECK_EQ(compare(none, MPI_GROUP_EMPTY), MPI_IDENT);
  CHECK_EQ(MPI_Group_free(&none), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_difference(world, world, &none), MPI_SUCCESS);
  CHECK_EQ(compare(none, MPI_GROUP_EMPTY), MPI_IDENT);
  CHECK_EQ(MPI_Group_free(&none), MPI_SUCCESS);
  CHECK_EQ(compare(world, MPI_GROUP_EMPTY), MPI_UNEQUAL);
  CHECK(membersOf(MPI_Group_union, MPI_GROUP_EMPTY, world) == members(world));
  CHECK(membersOf(MPI_Group_intersection, world, MPI_GROUP_EMPTY).empty());
  MPI_Group_free(&world);
}

void setOperations() {
  const int n = check::size();
  const int last = n - 1;
  MPI_Group a = include({0, last});
  MPI_Group b = include({last, 1});
  CHECK(membersOf(MPI_Group_union, a, b) == (std::vector<int>{0, last, 1}));
  CHECK(membersOf(MPI_Group_union, b, a) == (std::vector<int>{last, 1, 0}));
  CHECK(membersOf(MPI_Group_intersection, a, b) == std::vector<int>{last});
  CHECK(membersOf(MPI_Group_difference, a, b) == std::vector<int>{0});
  CHECK(membersOf(MPI_Group_difference, b, a) == std::vector<int>{1});
  MPI_Group_free(&a);
  MPI_Group_free(&b);
}

void orderAndComparison() {
  const int last = check::size() - 1;
  MPI_Group up = include({0, last});
  MPI_Group down = include({last, 0});
  MPI_Group zero = include({0});
  CHECK_EQ(compare(up, up), MPI_IDENT);
  CHECK_EQ(compare(up, down), MPI_SIMILAR);
  CHECK_EQ(compare(up, zero), MPI_UNEQUAL);
  int rank = -1;
  MPI_Group_rank(down, &rank);
  CHECK_EQ(rank, check::rank() == last ? 0 : check::rank() == 0 ? 1 : MPI_UNDEFINED);
  for (MPI_Group* group : {&up, &down, &zero})
    MPI_Group_free(group);
}

void translation() {
  const int n = check::size();
  std::vector<int> backwards(static_cast<size_t>(n));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  MPI_Group reverse = include(backwards);
  MPI_Group world = worldGroup();
  MPI_Group zero = include({0});
  const std::vector<int> ask{0, MPI_PROC_NULL, n - 1};
  std::vector<int> out(3, -77);
  CHECK_EQ(MPI_Group_translate_ranks(world, 3, ask.data(), reverse, out.data()), MPI_SUCCESS);
  CHECK(out == (std::vector<int>{n - 1, MPI_PROC_NULL, 0}));
  CHECK_EQ(MPI_Group_translate_ranks(world, 3, ask.data(), zero, out.data()), MPI_SUCCESS);
  CHECK(out == (std::vector<int>{0, MPI_PROC_NULL, n == 1 ? 0 : MPI_UNDEFINED}));
  CHECK_EQ(MPI_Group_translate_ranks(world, 0, nullptr, zero, nullptr), MPI_SUCCESS);
  for (MPI_Group* group : {&reverse, &world, &zero})
    MPI_Group_free(group);
}

void exclusion() {
  const int n = check::size();
  MPI_Group world = worldGroup();
  MPI_Group rest = MPI_GROUP_NULL;
  const int mine = check::rank();
  CHECK_EQ(MPI_Group_excl(world, 1, &mine, &rest), MPI_SUCCESS);
  CHECK_EQ(sizeOf(rest), n - 1);
  int rank = 0;
  MPI_Group_rank(rest, &rank);
  CHECK_EQ(rank, MPI_UNDEFINED);
  const std::vector<int> others = members(rest);
  CHECK(std::is_sorted(others.begin(), others.end()));
  CHECK(std::find(others.begin(), others.end(), mine) == others.end());
  MPI_Group_free(&rest);
  CHECK_EQ(MPI_Group_excl(world, 0, nullptr, &rest), MPI_SUCCESS);
  CHECK_EQ(compare(rest, world), MPI_IDENT);
  MPI_Group_free(&rest);
  MPI_Group_free(&world);
}

void ranges() {
  const int n = check::size();
  MPI_Group world = worldGroup();
  MPI_Group group = MPI_GROUP_NULL;
  int down[][3] = {{n - 1, 0, -1}};
  CHECK_EQ(MPI_Group_range_incl(world, 1, down, &group), MPI_SUCCESS);
  const std::vector<int> reversed = members(group);
  CHECK_EQ(static_cast<int>(reversed.size()), n);
  CHECK(std::is_sorted(reversed.rbegin(), reversed.rend()));
  MPI_Group_free(&group);
  int even[][3] = {{0, n - 1, 2}};
  CHECK_EQ(MPI_Group_range_incl(world, 1, even, &group), MPI_SUCCESS);
  CHECK_EQ(sizeOf(group), (n + 1) / 2);
  for (const int rank : members(group))
    CHECK_EQ(rank % 2, 0);
  MPI_Group odd = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Group_range_excl(world, 1, even, &odd), MPI_SUCCESS);
  CHECK_EQ(sizeOf(odd), n / 2);
  for (const int rank : members(odd))
    CHECK_EQ(rank % 2, 1);
  CHECK(membersOf(MPI_Group_intersection, odd, group).empty());
  MPI_Group_free(&odd);
  MPI_Group_free(&group);
  int two[][3] = {{n - 1, n - 1, 1}, {0, n - 2, 1}};
  if (n > 1) {
    CHECK_EQ(MPI_Group_range_incl(world, 2, two, &group), MPI_SUCCESS);
    CHECK_EQ(members(group).front(), n - 1);
    CHECK_EQ(sizeOf(group), n);
    MPI_Group_free(&group);
  }
  CHECK_EQ(MPI_Group_range_incl(world, 0, nullptr, &group), MPI_SUCCESS);
  CHECK_EQ(sizeOf(group), 0);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

void groupsOutliveTheirCommunicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
  MPI_Comm_free(&comm);
  MPI_Group world = worldGroup();
  CHECK_EQ(compare(group, world), MPI_IDENT);
  MPI_Group_free(&world);
  MPI_Group_free(&group);
}

void badArgumentsAreErrors() {
#ifdef MPI_ABI_VERSION
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int n = check::size();
  MPI_Group world = worldGroup();
  MPI_Group out = MPI_GROUP_NULL;
  MPI_Group freed = include({0});
  const MPI_Group stale = freed;
  MPI_Group_free(&freed);
  int number = -7;
  for (const MPI_Group bad : {MPI_GROUP_NULL, stale}) {
    CHECK_EQ(MPI_Group_size(bad, &number), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_rank(bad, &number), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_compare(bad, world, &number), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_compare(world, bad, &number), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_union(world, bad, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_intersection(bad, world, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_difference(world, bad, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_incl(bad, 0, nullptr, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_excl(bad, 0, nullptr, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_range_incl(bad, 0, nullptr, &out), MPI_ERR_GROUP);
    CHECK_EQ(MPI_Group_range_excl(bad, 0, nullptr, &out), MPI_ERR_GROUP);
    MPI_Group copy = bad;
    CHECK_EQ(MPI_Group_free(&copy), MPI_ERR_GROUP);
  }
  const int ranks[] = {0, n};
  const int twice[] = {0, 0};
  CHECK_EQ(MPI_Group_incl(world, 2, ranks, &out), MPI_ERR_RANK);
  CHECK_EQ(MPI_Group_incl(world, 2, twice, &out), MPI_ERR_RANK);
  CHECK_EQ(MPI_Group_excl(world, 2, ranks, &out), MPI_ERR_RANK);
  CHECK_EQ(MPI_Group_incl(world, -1, ranks, &out), MPI_ERR_ARG);
  CHECK_EQ(MPI_Group_incl(world, 1, nullptr, &out), MPI_ERR_ARG);
  CHECK_EQ(MPI_Group_incl(world, 1, ranks, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Group_translate_ranks(world, 2, ranks, world, &number), MPI_ERR_RANK);
  int still[][3] = {{0, 0, 0}};
  CHECK_EQ(MPI_Group_range_incl(world, 1, still, &out), MPI_ERR_ARG);
  int beyond[][3] = {{0, n, 1}};
  CHECK_EQ(MPI_Group_range_excl(world, 1, beyond, &out), MPI_ERR_RANK);
  CHECK(out == MPI_GROUP_NULL);
  CHECK_EQ(number, -7);
  CHECK_EQ(sizeOf(world), n);
  CHECK(MPI_Group_fromint(MPI_Group_toint(world)) == world);
  CHECK(MPI_Group_fromint(MPI_Group_toint(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
  MPI_Group_free(&world);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
#endif
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {
                        {"world", worldAndSelf},
                        {"empty", emptyGroup},
                        {"sets", setOperations, 3},
                        {"compare", orderAndComparison, 2},
                        {"translate", translation},
                        {"exclude", exclusion},
                        {"ranges", ranges},
                        {"outlive", groupsOutliveTheirCommunicator},
                        {"bad", badArgumentsAreErrors},
                    });
}
