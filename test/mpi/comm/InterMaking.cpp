// How inter-communicators are made, and the communicators made of them (MPI 4.1, 7.4.2 and 7.6).
#include "test/mpi/comm/Pair.h"
#include "test/mpi/comm/Ring.h"

#include <algorithm>
#include <numeric>

using namespace check;

namespace {

void making() {
  Pair pair;
  int flag = 0;
  MPI_Comm_test_inter(pair.inter, &flag);
  CHECK(flag);
  CHECK_EQ(pair.localSize + pair.remoteSize, size());
  CHECK_EQ(pair.me, rankIn(pair.local));
  MPI_Group remote = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Comm_remote_group(pair.inter, &remote), MPI_SUCCESS);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int cut = (size() + 2) / 3;
  for (int i = 0; i < pair.remoteSize; ++i) {
    int world = -1;
    MPI_Group_translate_ranks(remote, 1, &i, all, &world);
    CHECK_EQ(world, pair.second ? i : size() - 1 - i);
  }
  CHECK(pair.second ? pair.localSize == size() - cut : pair.localSize == cut);
  MPI_Group_free(&remote);
  MPI_Group_free(&all);

  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(pair.inter, &copy);
  int result = -1;
  MPI_Comm_compare(copy, pair.inter, &result);
  CHECK_EQ(result, MPI_CONGRUENT);
  MPI_Comm_free(&copy);
}

void merging() {
  Pair pair;
  const int cut = (size() + 2) / 3;
  for (int firstHigh : {0, 1})
    for (int secondHigh : {0, 1}) {
      MPI_Comm merged = MPI_COMM_NULL;
      MPI_Intercomm_merge(pair.inter, pair.second ? secondHigh : firstHigh, &merged);
      std::vector<int> members;
      std::vector<int> first(static_cast<std::size_t>(cut));
      std::iota(first.begin(), first.end(), 0);
      std::vector<int> second;
      for (int r = size() - 1; r >= cut; --r)
        second.push_back(r);
      const bool swapped = firstHigh > secondHigh;
      members = swapped ? second : first;
      members.insert(members.end(), (swapped ? first : second).begin(), (swapped ? first : second).end());
      if (firstHigh != secondHigh)
        checkMembers(merged, members);
      CHECK_EQ(sizeOf(merged), size());
      int sum = 0;
      const int one = 1;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged);
      CHECK_EQ(sum, size());
      MPI_Comm_free(&merged);
    }
}

void children() {
  Pair pair;
  // Odd and even ranks; a color that is on one side only gives nothing.
  MPI_Comm part = MPI_COMM_NULL;
  const int color = pair.me % 2;
  MPI_Comm_split(pair.inter, color, -pair.me, &part);
  const int mine = (pair.localSize + 1 - color) / 2;
  const int theirs = (pair.remoteSize + 1 - color) / 2;
  CHECK_EQ(part == MPI_COMM_NULL, theirs == 0);
  if (part != MPI_COMM_NULL) {
    CHECK_EQ(sizeOf(part), mine);
    int remote = -1;
    MPI_Comm_remote_size(part, &remote);
    CHECK_EQ(remote, theirs);
    CHECK_EQ(rankIn(part), mine - 1 - pair.me / 2);
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
    CHECK_EQ(sum, theirs);
    MPI_Comm_free(&part);
  }

  // All but the last rank of the first group, and the last of the second.
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(pair.inter, &group);
  const int last = pair.localSize - 1;
  MPI_Group chosen = MPI_GROUP_NULL;
  if (pair.second)
    MPI_Group_incl(group, 1, &last, &chosen);
  else
    MPI_Group_excl(group, 1, &last, &chosen);
  MPI_Comm_create(pair.inter, chosen, &part);
  const bool member = pair.second ? pair.me == last : pair.me != last;
  const bool empty = (pair.second ? pair.remoteSize : pair.localSize) == 1;
  CHECK_EQ(part != MPI_COMM_NULL, member && !empty);
  if (part != MPI_COMM_NULL) {
    MPI_Barrier(part);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&chosen);

  MPI_Request request;
  MPI_Comm_idup(pair.inter, &part, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int sum = 0;
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
  CHECK_EQ(sum, pair.remoteSize);
  MPI_Comm_free(&part);
}

#if CHECK_MPI_40
void fromGroups() {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm made = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_from_group(all, "org.test.all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
           MPI_SUCCESS);
  checkMembers(made, everybody());
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(made, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_Comm_free(&made);

  int evens[1][3] = {{0, size() - 1, 2}};
  MPI_Group even = MPI_GROUP_NULL;
  MPI_Group odd = MPI_GROUP_NULL;
  MPI_Group_range_incl(all, 1, evens, &even);
  MPI_Group_range_excl(all, 1, evens, &odd);
  const bool isEven = rank() % 2 == 0;
  MPI_Comm inter = MPI_COMM_NULL;
  CHECK_EQ(MPI_Intercomm_create_from_groups(isEven ? even : odd, 0, isEven ? odd : even, 0, "org.test.halves",
                                            MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter),
           MPI_SUCCESS);
  int sum = 0;
  const int mine = rank();
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  int wanted = 0;
  for (int r = isEven ? 1 : 0; r < size(); r += 2)
    wanted += r;
  CHECK_EQ(sum, wanted);
  MPI_Comm_free(&inter);

  CHECK_EQ(errorClass(
               MPI_Comm_create_from_group(isEven ? odd : even, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made)),
           MPI_ERR_GROUP);
  CHECK_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
           MPI_SUCCESS);
  CHECK(made == MPI_COMM_NULL);
  MPI_Group_free(&even);
  MPI_Group_free(&odd);
  MPI_Group_free(&all);
}
#endif

void badUse() {
  Pair pair;
  MPI_Comm_set_errhandler(pair.inter, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(pair.local, MPI_ERRORS_RETURN);
  int a = 0;
  int b = 0;
  CHECK_EQ(errorClass(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, pair.inter)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Exscan(&a, &b, 1, MPI_INT, MPI_SUM, pair.inter)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Bcast(&a, 1, MPI_INT, pair.remoteSize, pair.inter)), MPI_ERR_ROOT);
  CHECK_EQ(errorClass(MPI_Bcast(&a, 1, MPI_INT, MPI_ROOT, pair.local)), MPI_ERR_ROOT);
  CHECK_EQ(errorClass(MPI_Allreduce(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM, pair.inter)), MPI_ERR_BUFFER);
  CHECK_EQ(errorClass(MPI_Send(&a, 1, MPI_INT, pair.remoteSize, 0, pair.inter)), MPI_ERR_RANK);
  MPI_Comm made = MPI_COMM_NULL;
  CHECK_EQ(errorClass(MPI_Intercomm_merge(pair.local, 0, &made)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Intercomm_create(pair.local, pair.localSize, MPI_COMM_WORLD, 0, 0, &made)),
           MPI_ERR_RANK);
  CHECK_EQ(errorClass(MPI_Intercomm_create(pair.inter, 0, MPI_COMM_WORLD, 0, 0, &made)), MPI_ERR_COMM);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {
    {"making", making, 2}, {"merging", merging, 2}, {"children", children, 2},
#if CHECK_MPI_40
        {"from-groups", fromGroups, 2},
#endif
    {
      "bad-use", badUse, 2
    }
  });
}
