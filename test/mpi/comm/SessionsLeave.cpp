// Processes that leave sessions, and come back (MPI-5.0, 11.3): what they have sent arrives after their end,
// what is to come to them arrives before it, and MPI_Finalize leaves only what belongs to the World Model
// behind. The first argument names the case.
#include "test/mpi/Check.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace check;

namespace {

MPI_Session open() {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  return session;
}

MPI_Comm everybody(MPI_Session session, const char* tag) {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

std::vector<char> pattern(std::size_t bytes, int sender) {
  return std::vector<char>(bytes, static_cast<char>('a' + sender));
}

void send(std::size_t bytes, int to, int tag, MPI_Comm comm) {
  const std::vector<char> data = pattern(bytes, rankIn(comm));
  CHECK_EQ(MPI_Send(data.data(), static_cast<int>(bytes), MPI_CHAR, to, tag, comm), MPI_SUCCESS);
}

void receive(std::size_t bytes, int from, int sender, int tag, MPI_Comm comm) {
  std::vector<char> data(bytes);
  CHECK_EQ(MPI_Recv(data.data(), static_cast<int>(bytes), MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  CHECK(data == pattern(bytes, sender));
}

void use(MPI_Comm comm) {
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  int sum = 0;
  CHECK_EQ(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(sum, ranks * (ranks - 1) / 2);
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{300000}}) {
    const std::vector<char> out = pattern(bytes, me);
    std::vector<char> in(bytes);
    const int previous = (me + ranks - 1) % ranks;
    MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_CHAR, (me + 1) % ranks, 2, in.data(),
                 static_cast<int>(bytes), MPI_CHAR, previous, 2, comm, MPI_STATUS_IGNORE);
    CHECK(in == pattern(bytes, previous));
  }
}

// Long enough for those who make progress to see that a process has ended.
void waitForTheEnd(MPI_Comm comm) {
  int flag = 0;
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 1.5;)
    MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, MPI_STATUS_IGNORE);
}

// The last rank sends, does its part of a gather, and ends; the others look for it later.
void messages() {
  MPI_Session session = open();
  MPI_Comm comm = everybody(session, "messages");
  MPI_Comm other = everybody(session, "other");
  const int me = rankIn(comm);
  const int leaver = sizeOf(comm) - 1;
  use(comm);
  std::vector<int> all(static_cast<std::size_t>(sizeOf(comm)), -1);
  if (me == leaver) {
    for (int to = 0; to < leaver; ++to) {
      send(8, to, 9, comm);
      send(5000, to, 10, comm);
    }
    CHECK_EQ(MPI_Gather(&me, 1, MPI_INT, nullptr, 0, MPI_INT, 0, comm), MPI_SUCCESS);
  } else {
    waitForTheEnd(other);
    receive(8, leaver, leaver, 9, comm);
    receive(5000, MPI_ANY_SOURCE, leaver, 10, comm);
    CHECK_EQ(MPI_Gather(&me, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm), MPI_SUCCESS);
    for (int rank = 0; rank <= leaver && me == 0; ++rank)
      CHECK_EQ(all[static_cast<std::size_t>(rank)], rank);
    // Nothing more comes of it, but of others there does.
    char byte = 0;
    CHECK_EQ(errorClass(MPI_Recv(&byte, 1, MPI_CHAR, leaver, 11, comm, MPI_STATUS_IGNORE)),
             MPI_ERR_PROC_ABORTED);
    if (me == 0)
      for (int from = 1; from < leaver; ++from)
        receive(70000, MPI_ANY_SOURCE, from, 12 + from, comm);
    else
      send(70000, 0, 12 + me, comm);
  }
  MPI_Comm_free(&comm);
  MPI_Comm_free(&other);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

// Some keep a session through MPI_Finalize, others open one afterwards; and sessions come and go.
void comeBack(bool world) {
  MPI_Session session = MPI_SESSION_NULL;
  if (world) {
    MPI_Init(nullptr, nullptr);
    use(MPI_COMM_WORLD);
    const bool keeps = rank() == 0;
    if (keeps)
      session = open();
    MPI_Finalize();
    if (!keeps)
      session = open();
  } else {
    session = open();
  }
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Comm comm = everybody(session, "again");
    use(comm);
    const bool leaves = rankIn(comm) % 2 == turn % 2;
    MPI_Comm_free(&comm);
    if (!leaves)
      continue;
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * turn));
    session = open();
  }
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

// A receive whose request was freed: only MPI_Session_finalize can wait for it.
void freedReceives() {
  static char in[3][70000];
  constexpr int sizes[] = {100, 8000, 70000};
  MPI_Session session = open();
  MPI_Comm comm = everybody(session, "freed");
  const bool receives = rankIn(comm) == 0;
  for (int i = 0; i < 3; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (receives) {
      MPI_Irecv(in[i], sizes[i], MPI_CHAR, 1, i, comm, &request);
      MPI_Request_free(&request);
    }
  }
  MPI_Barrier(comm);
  if (rankIn(comm) == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    for (int i = 0; i < 3; ++i)
      send(static_cast<std::size_t>(sizes[i]), 0, i, comm);
  }
  MPI_Comm_free(&comm);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  for (int i = 0; i < 3 && receives; ++i)
    CHECK(std::vector<char>(in[i], in[i] + sizes[i]) == pattern(static_cast<std::size_t>(sizes[i]), 1));
}

// One is killed, with messages to it under way: the others get away all the same.
void killed() {
  MPI_Session session = open();
  MPI_Comm comm = everybody(session, "killed");
  const int victim = sizeOf(comm) - 1;
  use(comm);
  const bool dies = rankIn(comm) == victim;
  static char data[300000];
  MPI_Request requests[3];
  if (!dies) {
    MPI_Issend(data, 100, MPI_CHAR, victim, 1, comm, &requests[0]);
    MPI_Isend(data, sizeof data, MPI_CHAR, victim, 2, comm, &requests[1]);
    MPI_Irecv(data, sizeof data, MPI_CHAR, victim, 3, comm, &requests[2]);
    send(8, victim, 4, comm);
  } else {
    for (int from = 0; from < victim; ++from)
      receive(8, from, from, 4, comm);
    std::raise(SIGKILL);
  }
  for (MPI_Request& request : requests)
    CHECK_EQ(errorClass(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_PROC_ABORTED);
  MPI_Comm_free(&comm);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

// Of the World Model, with a session that goes on: a matched message, and messages that nobody looked at.
void leftovers() {
  static char data[300000];
  MPI_Session session = open();
  MPI_Init(nullptr, nullptr);
  const int next = (rank() + 1) % size();
  const int previous = (rank() + size() - 1) % size();
  MPI_Request request = MPI_REQUEST_NULL;
  for (int tag = 0; tag < 3; ++tag) {
    MPI_Isend(data, tag == 1 ? 8 : 300000, MPI_CHAR, next, tag, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(previous, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Finalize();
  MPI_Comm comm = everybody(session, "leftovers");
  use(comm);
  MPI_Comm_free(&comm);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

} // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "messages")
    messages();
  else if (name == "return")
    comeBack(false);
  else if (name == "return-world")
    comeBack(true);
  else if (name == "freed")
    freedReceives();
  else if (name == "killed")
    killed();
  else if (name == "leftovers")
    leftovers();
  else
    return 2;
  if (check::state().failures == 0)
    std::printf("PASS SessionsLeave %s: 1 cases, %ld checks\n", name.c_str(), check::state().checks.load());
  return check::state().failures != 0;
}
