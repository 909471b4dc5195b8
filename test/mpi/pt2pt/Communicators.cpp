// Messages in copied, split and created communicators: contexts are apart, ranks are those of the
// communicator (MPI 4.1, 7.4).
#include "test/mpi/pt2pt/Modes.h"

#include <algorithm>

using namespace check;

namespace {

constexpr int dataTag = 61;

// A ring on a communicator, with an any-source, any-tag receive and a length beyond the eager limits.
void ringOn(MPI_Comm comm, std::uint64_t salt) {
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100000}}) {
    Guarded in(bytes);
    Guarded out(bytes);
    out.fillWith(salt * 100 + static_cast<std::uint64_t>(me));
    MPI_Request request;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    MPI_Send(out.data(), out.count(), MPI_BYTE, right, dataTag, comm);
    MPI_Status status;
    MPI_Wait(&request, &status);
    CHECK_STATUS(status, left, dataTag, bytes);
    CHECK_EQ(in.wrongAt(salt * 100 + static_cast<std::uint64_t>(left)), bytes);
  }
}

// The same tag and ranks on several copies: each message is received in its own communicator, in any order.
void copies() {
  constexpr int many = 8;
  MPI_Comm comms[many];
  const int me = rank();
  const int right = (me + 1) % size();
  const int left = (me + size() - 1) % size();
  for (MPI_Comm& comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int out[many];
  MPI_Request requests[many];
  for (int i = 0; i < many; ++i) {
    out[i] = me * 100 + i;
    MPI_Isend(&out[i], 1, MPI_INT, right, dataTag, comms[i], &requests[i]);
  }
  for (int i = many - 1; i >= 0; --i) {
    int in = -1;
    MPI_Status status;
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], &status);
    CHECK_EQ(in, left * 100 + i);
    CHECK_EQ(status.MPI_SOURCE, left);
  }
  MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : comms) {
    ringOn(comm, 3);
    MPI_Comm_free(&comm);
    CHECK(comm == MPI_COMM_NULL);
  }
}

void immediateCopies() {
  MPI_Comm comms[4];
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i)
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[i]);
  // Traffic on the parent while the copies are made.
  ringOn(MPI_COMM_WORLD, 4);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) {
    int result = -1;
    MPI_Comm_compare(MPI_COMM_WORLD, comms[i], &result);
    CHECK_EQ(result, MPI_CONGRUENT);
    ringOn(comms[i], static_cast<std::uint64_t>(5 + i));
    MPI_Comm_free(&comms[i]);
  }
}

void splits() {
  // Reversed ranks in one colour.
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size() - rank(), &reversed);
  CHECK_EQ(rankIn(reversed), size() - 1 - rank());
  ringOn(reversed, 10);
  // Odd and even ranks, the same tags at once in both halves.
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &half);
  CHECK_EQ(sizeOf(half), rank() % 2 ? size() / 2 : (size() + 1) / 2);
  CHECK_EQ(rankIn(half), rank() / 2);
  ringOn(half, static_cast<std::uint64_t>(20 + rank() % 2));
  // A split of a split, back in the old order.
  MPI_Comm again;
  MPI_Comm_split(reversed, 3, rank(), &again);
  CHECK_EQ(rankIn(again), rank());
  ringOn(again, 30);
  // Rank 0 wants none.
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank() == 0 ? MPI_UNDEFINED : 1, 0, &some);
  if (rank() == 0) {
    CHECK(some == MPI_COMM_NULL);
  } else {
    CHECK_EQ(rankIn(some), rank() - 1);
    ringOn(some, 40);
    MPI_Comm_free(&some);
  }
  MPI_Comm_free(&again);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

// Only the members call MPI_Comm_create_group (7.4.2).
void createGroup() {
  MPI_Group world;
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> members;
  for (int i = size() - 1; i >= 0; i -= 2)
    members.push_back(i);
  MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
  const auto place = std::find(members.begin(), members.end(), rank());
  if (place != members.end()) {
    MPI_Comm comm;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
    CHECK_EQ(rankIn(comm), static_cast<int>(place - members.begin()));
    CHECK_EQ(sizeOf(comm), static_cast<int>(members.size()));
    ringOn(comm, 50);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

// Traffic on the parent with the tag of the create_group call does not meet the library's own messages.
void createGroupAmongTraffic() {
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  const ReturningComm base;
  MPI_Group group;
  MPI_Comm_group(base, &group);
  int in = -1;
  const int out = rank() + 1000;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, base, &request);
  MPI_Comm comm;
  MPI_Comm_create_group(base, group, 5, &comm);
  int done = 1;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  CHECK(!done);
  MPI_Barrier(comm);
  MPI_Send(&out, 1, MPI_INT, right, 5, base);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(in, left + 1000);
  ringOn(comm, 60);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

// Library traffic is never seen by a user's wildcard receive or probe: barriers, copies and splits beside
// one.
void libraryTrafficIsHidden() {
  const ReturningComm base;
  const int right = (rank() + 1) % size();
  int in = -1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, base, &request);
  for (int round = 0; round < 5; ++round) {
    MPI_Comm copy;
    MPI_Comm_dup(base, &copy);
    MPI_Comm part;
    MPI_Comm_split(base, round % 2, rank(), &part);
    long sum = 0;
    const long mine = rank();
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, base);
    CHECK_EQ(sum, size() * (size() - 1L) / 2);
    MPI_Barrier(base);
    int found = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, base, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
    MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
  }
  // A faster rank's message must not come while a slower one still looks for library traffic.
  MPI_Barrier(base);
  MPI_Send(&right, 1, MPI_INT, right, 1, base);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(in, rank());
}

// A communicator may be freed with messages under way; they arrive (7.4.3: freed when the pending ones are
// done).
void freedWithPending() {
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  for (std::size_t bytes : {std::size_t{8}, std::size_t{300000}}) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Guarded in(bytes);
    Guarded out(bytes);
    out.fillWith(static_cast<std::uint64_t>(rank()));
    MPI_Request requests[2];
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left, 1, comm, &requests[0]);
    MPI_Isend(out.data(), out.count(), MPI_BYTE, right, 1, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    CHECK_STATUS(statuses[0], left, 1, bytes);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left)), bytes);
  }
}

// Many communicators made and freed: their contexts are given back.
void manyInTurn() {
  for (int i = 0; i < 300; ++i) {
    MPI_Comm comm;
    if (i % 2)
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank(), &comm);
    int in = -1;
    const int ranks = size();
    MPI_Sendrecv(&i, 1, MPI_INT, (rank() + 1) % ranks, 1, &in, 1, MPI_INT, (rank() + ranks - 1) % ranks, 1,
                 comm, MPI_STATUS_IGNORE);
    CHECK_EQ(in, i);
    MPI_Comm_free(&comm);
  }
}

// Many alive at once.
void manyAtOnce() {
  std::vector<MPI_Comm> comms(200);
  for (MPI_Comm& comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (std::size_t i = 0; i < comms.size(); i += 20)
    ringOn(comms[i], i);
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"copies", copies},
              {"immediate-copies", immediateCopies},
              {"splits", splits},
              {"create-group", createGroup},
              {"create-group-among-traffic", createGroupAmongTraffic},
              {"library-traffic-is-hidden", libraryTrafficIsHidden},
              {"freed-with-pending", freedWithPending},
              {"many-in-turn", manyInTurn},
              {"many-at-once", manyAtOnce}});
}
