// The job in two groups, joined by an inter-communicator.
#pragma once

#include "test/mpi/Check.h"

namespace check {

// The job in two groups of unlike size, the second one with its ranks turned round.
struct Pair {
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  bool second = false;
  int localSize = 0;
  int remoteSize = 0;
  int me = 0;

  Pair() {
    const int cut = (size() + 2) / 3;
    second = rank() >= cut;
    MPI_Comm_split(MPI_COMM_WORLD, second, second ? -rank() : rank(), &local);
    const int firstLeader = 0;
    const int secondLeader = size() - cut - 1; // of the turned group: the lowest rank of the world in it
    CHECK_EQ(MPI_Intercomm_create(local, second ? secondLeader : firstLeader, MPI_COMM_WORLD,
                                  second ? 0 : cut, 77, &inter),
             MPI_SUCCESS);
    MPI_Comm_size(local, &localSize);
    MPI_Comm_remote_size(inter, &remoteSize);
    MPI_Comm_rank(inter, &me);
  }
  ~Pair() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// A number that names a member of either group.
  int own() const { return (second ? 1000 : 0) + me; }
  int other(int remote) const { return (second ? 0 : 1000) + remote; }
  int sumOfOthers() const {
    int sum = 0;
    for (int i = 0; i < remoteSize; ++i)
      sum += other(i);
    return sum;
  }
};

} // namespace check
