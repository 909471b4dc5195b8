// Threads that make communicators at the same time, each of a parent of its own, or of one parent with tags
// of their own (MPI 4.1, 7.4.2, 11.6).
#include "test/mpi/comm/Ring.h"

#include <thread>

using namespace check;

namespace {

constexpr int threads = 4;

template <class Body> void together(Body&& body) {
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i)
    team.emplace_back([&body, i] { body(i); });
  for (std::thread& member : team)
    member.join();
}

class Parents {
public:
  Parents() {
    for (MPI_Comm& parent : comms_)
      MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  }
  ~Parents() {
    for (MPI_Comm& parent : comms_)
      MPI_Comm_free(&parent);
  }
  MPI_Comm operator[](int thread) const { return comms_[thread]; }

private:
  MPI_Comm comms_[threads];
};

void duplicatesOfDifferentParents() {
  const Parents parents;
  together([&parents](int thread) {
    std::vector<MPI_Comm> kept;
    for (int round = 0; round < 200; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(parents[thread], &comm);
      checkMembers(comm, everybody());
      if (round % 3 == 0)
        kept.push_back(comm);
      else
        MPI_Comm_free(&comm);
    }
    for (MPI_Comm& comm : kept) {
      checkMembers(comm, everybody());
      MPI_Comm_free(&comm);
    }
  });
}

// One thread of rank 0 waits in a duplication that the other ranks come to only after they have made others:
// no agreement may hold up another.
void waitingDuplicationHoldsUpNobody() {
  const Parents parents;
  for (int round = 0; round < 100; ++round) {
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    if (rank() == 0) {
      std::thread other([&] { MPI_Comm_dup(parents[0], &first); });
      MPI_Comm_dup(parents[1], &second);
      other.join();
    } else {
      MPI_Comm_dup(parents[1], &second);
      MPI_Comm_dup(parents[0], &first);
    }
    checkMembers(first, everybody());
    checkMembers(second, everybody());
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  }
}

void groupsOfOneParentWithTagsOfTheirOwn() {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  together([world](int thread) {
    // Each thread has another set of ranks: all but one.
    std::vector<int> members;
    for (int other = 0; other < size(); ++other)
      if (size() == 1 || other != thread % size())
        members.push_back(other);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
    const bool member = size() == 1 || rank() != thread % size();
    for (int round = 0; round < 100; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      if (member)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &comm);
      if (member) {
        checkMembers(comm, members);
        MPI_Comm_free(&comm);
      }
    }
    MPI_Group_free(&group);
  });
  MPI_Group_free(&world);
}

void allKindsAtOnce() {
  const Parents parents;
  together([&parents](int thread) {
    const MPI_Comm parent = parents[thread];
    for (int round = 0; round < 60; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      switch (thread % 3) {
      case 0: {
        MPI_Comm_split(parent, rank() % 2, 0, &comm);
        std::vector<int> members;
        for (int other = rank() % 2; other < size(); other += 2)
          members.push_back(other);
        checkMembers(comm, members);
        break;
      }
      case 1: {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm_idup(parent, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        checkMembers(comm, everybody());
        break;
      }
      default:
        MPI_Comm_dup(parent, &comm);
        checkMembers(comm, everybody());
      }
      MPI_Comm_free(&comm);
    }
  });
}

// Collectives of different communicators in different threads, the program's own reduction among them.
void collectivesOfDifferentCommunicators() {
  const Parents parents;
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
      },
      1, &op);
  together([&parents, op](int thread) {
    const MPI_Comm comm = parents[thread];
    for (int round = 0; round < 200; ++round) {
      const int mine = rank() + thread + round;
      int sum = -1;
      MPI_Request request = MPI_REQUEST_NULL;
      if (round % 2 == 0) {
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, comm);
      } else {
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      CHECK_EQ(sum, size() * (size() - 1) / 2 + size() * (thread + round));
      int value = rank() == round % size() ? mine : -1;
      MPI_Bcast(&value, 1, MPI_INT, round % size(), comm);
      CHECK_EQ(value, round % size() + thread + round);
    }
  });
  MPI_Op_free(&op);
}

} // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (!CHECK_EQ(provided, MPI_THREAD_MULTIPLE))
    return finish("Threads", 0);
  return run(argc, argv,
             {{"duplicates of different parents", duplicatesOfDifferentParents},
              {"a waiting duplication", waitingDuplicationHoldsUpNobody},
              {"groups with tags", groupsOfOneParentWithTagsOfTheirOwn},
              {"all kinds at once", allKindsAtOnce},
              {"collectives of different communicators", collectivesOfDifferentCommunicators}});
}
