// MPI_Probe and MPI_Iprobe: they show a message and leave it (MPI 4.1, 3.8.1). The matched probe has a suite
// of its own.
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

// A loop of nothing but MPI_Iprobe finds the message, at every length and with every wildcard.
void iprobeFinds() {
  const ReturningComm comm;
  for (std::size_t bytes : fewSizes())
    for (int wild = 0; wild < 4; ++wild) {
      Guarded out(bytes);
      out.fillWith(static_cast<std::uint64_t>(wild));
      MPI_Request request;
      MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), 3, comm, &request);
      int found = 0;
      MPI_Status status;
      const int source = wild & 1 ? MPI_ANY_SOURCE : left();
      const int tag = wild & 2 ? MPI_ANY_TAG : 3;
      while (!found)
        MPI_Iprobe(source, tag, comm, &found, &status);
      CHECK_STATUS(status, left(), 3, bytes);
      // It is still there, for every kind of probe.
      for (int again = 0; again < 4; ++again) {
        found = 0;
        MPI_Iprobe(again & 1 ? MPI_ANY_SOURCE : left(), again & 2 ? MPI_ANY_TAG : 3, comm, &found, &status);
        CHECK(found);
        CHECK_STATUS(status, left(), 3, bytes);
        MPI_Probe(source, tag, comm, MPI_STATUS_IGNORE);
      }
      Guarded in(bytes);
      MPI_Recv(in.data(), in.count(), MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
      CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(wild)), bytes);
      found = 1;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(!found);
      MPI_Barrier(comm);
    }
}

// What does not match is not shown: other tag, other source, other communicator.
void onlyWhatMatches() {
  const ReturningComm comm;
  const ReturningComm other;
  const int value = 5;
  MPI_Send(&value, 1, MPI_INT, right(), 3, comm);
  MPI_Status status;
  MPI_Probe(left(), 3, comm, &status);
  int found = 1;
  MPI_Iprobe(left(), 4, comm, &found, &status);
  CHECK(!found);
  MPI_Iprobe(MPI_ANY_SOURCE, 4, comm, &found, &status);
  CHECK(!found);
  MPI_Iprobe(left(), 3, other, &found, &status);
  CHECK(!found);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &found, &status);
  CHECK(!found);
  if (size() > 2) {
    MPI_Iprobe(right(), MPI_ANY_TAG, comm, &found, &status);
    CHECK(!found);
  }
  int in = 0;
  MPI_Recv(&in, 1, MPI_INT, left(), 3, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(in, 5);
}

// A posted receive takes the message: a probe does not see it.
void postedReceiveIsFirst() {
  const ReturningComm comm;
  int in = -1;
  const int out = rank();
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 3, comm, &request);
  MPI_Barrier(comm);
  MPI_Send(&out, 1, MPI_INT, right(), 3, comm);
  int done = 0;
  while (!done) {
    int found = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  CHECK_EQ(in, left());
}

// A probe that waits while the message is still to come, and messages of unknown length from anyone.
void waitsForIt() {
  const ReturningComm comm;
  if (rank() != 0) {
    for (int i = 0; i < 20; ++i) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 9, comm, MPI_STATUS_IGNORE);
      std::vector<int> out(static_cast<std::size_t>(rank() * 100 + i * i * 40), rank());
      MPI_Send(out.data(), static_cast<int>(out.size()), MPI_INT, 0, i, comm);
    }
    return;
  }
  for (int i = 0; i < 20; ++i)
    for (int peer = 1; peer < size(); ++peer) {
      MPI_Send(nullptr, 0, MPI_BYTE, peer, 9, comm);
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, i, comm, &status);
      int count = -1;
      MPI_Get_count(&status, MPI_INT, &count);
      CHECK_EQ(status.MPI_SOURCE, peer);
      CHECK_EQ(count, peer * 100 + i * i * 40);
      std::vector<int> in(static_cast<std::size_t>(count), -1);
      MPI_Recv(in.data(), count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
      CHECK(in == std::vector<int>(in.size(), peer));
    }
}

// Two messages of one source with different tags: each can be probed for and taken first.
void secondFirst() {
  const ReturningComm comm;
  for (std::size_t bytes : {std::size_t{8}, std::size_t{200000}}) {
    Guarded a(bytes);
    Guarded b(bytes + 1);
    a.fillWith(1);
    b.fillWith(2);
    MPI_Request requests[2];
    MPI_Isend(a.data(), a.count(), MPI_BYTE, right(), 1, comm, &requests[0]);
    MPI_Isend(b.data(), b.count(), MPI_BYTE, right(), 2, comm, &requests[1]);
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 2, comm, &status);
    CHECK_STATUS(status, left(), 2, bytes + 1);
    MPI_Probe(left(), MPI_ANY_TAG, comm, &status);
    CHECK_STATUS(status, left(), 1, bytes);
    Guarded in(bytes + 1);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 2, comm, &status);
    CHECK_EQ(in.wrongAt(2), bytes + 1);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 1, comm, &status);
    CHECK_STATUS(status, left(), 1, bytes);
    CHECK_EQ(firstWrong(in.data(), bytes, 1), bytes);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// Probes that find nothing leave nothing behind: memory does not grow, and the message comes through
// afterwards.
void findsNothing() {
  const ReturningComm comm;
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    MPI_Iprobe(i % 2 ? MPI_ANY_SOURCE : left(), i % 3 ? MPI_ANY_TAG : 3, comm, &found, MPI_STATUS_IGNORE);
    if (found)
      break;
  }
  CHECK(!found);
  MPI_Barrier(comm);
  const int out = rank();
  int in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, right(), 3, &in, 1, MPI_INT, left(), 3, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(in, left());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"iprobe-finds", iprobeFinds},
              {"only-what-matches", onlyWhatMatches},
              {"posted-receive-is-first", postedReceiveIsFirst},
              {"waits-for-it", waitsForIt, 2},
              {"second-first", secondFirst},
              {"finds-nothing", findsNothing}});
}
