// A check that a communicator works: messages and a collective go round in it, and it has the members it
// should.
#pragma once

#include "test/mpi/Check.h"

namespace check {

// The communicator must have these members (ranks of MPI_COMM_WORLD) in this order. Sends round the ring,
// sums over all: wrong contexts, ranks or sizes show.
inline void checkMembers(MPI_Comm comm, const std::vector<int>& members) {
  if (!CHECK_EQ(sizeOf(comm), static_cast<int>(members.size())))
    return;
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  CHECK_EQ(members[static_cast<std::size_t>(me)], rank());

  constexpr int tag = 17;
  int out = rank();
  int in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % ranks, tag, &in, 1, MPI_INT, (me + ranks - 1) % ranks, tag, comm,
               MPI_STATUS_IGNORE);
  CHECK_EQ(in, members[static_cast<std::size_t>((me + ranks - 1) % ranks)]);

  std::vector<int> all(members.size(), -1);
  MPI_Allgather(&out, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  CHECK(all == members);
}

inline std::vector<int> everybody() {
  std::vector<int> ranks(static_cast<std::size_t>(size()));
  for (int i = 0; i < size(); ++i)
    ranks[static_cast<std::size_t>(i)] = i;
  return ranks;
}

} // namespace check
