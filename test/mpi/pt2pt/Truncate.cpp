// A message longer than its buffer is MPI_ERR_TRUNCATE whatever its way: source and tag in the status, not a
// byte outside the buffer, the sender completes, the next message is received (MPI 4.1, 3.2.4 and 3.2.5).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int dataTag = 11;
constexpr int goTag = 12;

enum class Way {
  recv,
  irecvWait,
  irecvTest,
  irecvWaitany,
  irecvTestany,
  irecvWaitall,
  irecvTestall,
  irecvWaitsome,
  irecvTestsome,
  persistent,
  mrecv,
  imrecv,
  sendrecv
};

const Way allWays[] = {Way::recv,          Way::irecvWait,    Way::irecvTest,    Way::irecvWaitany,
                       Way::irecvTestany,  Way::irecvWaitall, Way::irecvTestall, Way::irecvWaitsome,
                       Way::irecvTestsome, Way::persistent,   Way::mrecv,        Way::imrecv,
                       Way::sendrecv};

bool completesMany(Way way) {
  return way == Way::irecvWaitall || way == Way::irecvTestall || way == Way::irecvWaitsome ||
         way == Way::irecvTestsome;
}

bool canBePosted(Way way) {
  return way != Way::recv && way != Way::mrecv && way != Way::imrecv && way != Way::sendrecv;
}

int complete(Way way, MPI_Request* request, MPI_Status* status) {
  int code = MPI_SUCCESS;
  int done = 0;
  int index = -1;
  switch (way) {
  case Way::irecvTest:
    while (!done && code == MPI_SUCCESS)
      code = MPI_Test(request, &done, status);
    return code;
  case Way::irecvWaitany:
    code = MPI_Waitany(1, request, &index, status);
    CHECK_EQ(index, 0);
    return code;
  case Way::irecvTestany:
    while (!done && code == MPI_SUCCESS)
      code = MPI_Testany(1, request, &index, &done, status);
    CHECK_EQ(index, 0);
    return code;
  case Way::irecvWaitall:
    return MPI_Waitall(1, request, status);
  case Way::irecvTestall:
    while (!done && code == MPI_SUCCESS)
      code = MPI_Testall(1, request, &done, status);
    return code;
  case Way::irecvWaitsome:
    return MPI_Waitsome(1, request, &done, &index, status);
  case Way::irecvTestsome:
    while (!done && code == MPI_SUCCESS)
      code = MPI_Testsome(1, request, &done, &index, status);
    return code;
  default:
    return MPI_Wait(request, status);
  }
}

void receiver(Way way, std::size_t sent, std::size_t room, int peer, bool posted, MPI_Comm comm) {
  Guarded in(room);
  MPI_Status status;
  std::memset(&status, 0x11, sizeof status);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  int code = MPI_SUCCESS;
  const auto start = [&] {
    if (way == Way::persistent) {
      MPI_Recv_init(in.data(), in.count(), MPI_BYTE, peer, dataTag, comm, &request);
      MPI_Start(&request);
    } else if (way == Way::imrecv) {
      MPI_Mprobe(peer, dataTag, comm, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(in.data(), in.count(), MPI_BYTE, &message, &request);
    } else {
      MPI_Irecv(in.data(), in.count(), MPI_BYTE, peer, dataTag, comm, &request);
    }
  };
  if (posted) {
    start();
    MPI_Send(nullptr, 0, MPI_BYTE, peer, goTag, comm);
  } else {
    MPI_Send(nullptr, 0, MPI_BYTE, peer, goTag, comm);
    MPI_Status probed;
    MPI_Probe(MPI_ANY_SOURCE, dataTag, comm, &probed);
    CHECK_STATUS(probed, peer, dataTag, sent);
  }
  if (way == Way::recv) {
    code = MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, dataTag, comm, &status);
  } else if (way == Way::mrecv) {
    MPI_Mprobe(peer, dataTag, comm, &message, MPI_STATUS_IGNORE);
    code = MPI_Mrecv(in.data(), in.count(), MPI_BYTE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL);
  } else if (way == Way::sendrecv) {
    code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, in.data(), in.count(), MPI_BYTE, peer,
                        dataTag, comm, &status);
  } else {
    if (!posted)
      start();
    code = complete(way, &request, &status);
  }
  if (completesMany(way)) {
    CHECK_EQ(errorClass(code), MPI_ERR_IN_STATUS);
    CHECK_EQ(errorClass(status.MPI_ERROR), MPI_ERR_TRUNCATE);
  } else {
    CHECK_EQ(errorClass(code), MPI_ERR_TRUNCATE);
  }
  CHECK_EQ(status.MPI_SOURCE, peer);
  CHECK_EQ(status.MPI_TAG, dataTag);
  CHECK(in.intact());
  if (way == Way::persistent) {
    CHECK(request != MPI_REQUEST_NULL);
    if (request != MPI_REQUEST_NULL)
      MPI_Request_free(&request);
  } else {
    CHECK(request == MPI_REQUEST_NULL);
  }
}

// The next message on the same path is as good as ever.
void next(int peer, bool sends, MPI_Comm comm) {
  Guarded data(5000);
  if (sends) {
    data.fillWith(9);
    MPI_Send(data.data(), data.count(), MPI_BYTE, peer, dataTag, comm);
  } else {
    MPI_Status status;
    CHECK_EQ(MPI_Recv(data.data(), data.count(), MPI_BYTE, peer, dataTag, comm, &status), MPI_SUCCESS);
    CHECK_STATUS(status, peer, dataTag, 5000u);
    CHECK_EQ(data.wrongAt(9), 5000u);
  }
}

void oneTruncation(Way way, Mode mode, std::size_t sent, std::size_t room, bool posted, MPI_Comm comm) {
  const int peer = partner();
  if (peer < 0)
    return;
  for (int turn = 0; turn < 2; ++turn) {
    const bool sends = rank() % 2 == turn;
    if (sends) {
      Guarded out(sent);
      out.fillWith(1);
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, goTag, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(send(mode, Twin::small, out.data(), out.count(), MPI_BYTE, peer, dataTag, comm), MPI_SUCCESS);
    } else {
      receiver(way, sent, room, peer, posted, comm);
    }
    next(peer, sends, comm);
  }
}

void everyWay() {
  const ReturningComm comm;
  for (Way way : allWays)
    for (std::size_t sent :
         {std::size_t{1}, std::size_t{64}, std::size_t{5000}, std::size_t{70000}, std::size_t{1} << 20})
      for (bool posted : {false, true})
        if (!posted || canBePosted(way))
          for (std::size_t room : {sent - 1, sent / 2, std::size_t{0}})
            oneTruncation(way, Mode::standard, sent, room, posted, comm);
}

void everyMode() {
  const ReturningComm comm;
  BsendSpace space(1 << 21);
  for (Mode mode : allModes())
    for (std::size_t sent : switchSizes(1 << 18)) {
      if (sent < 2)
        continue;
      oneTruncation(Way::irecvWait, mode, sent, sent - 1, true, comm);
      if (mode != Mode::ready)
        oneTruncation(Way::recv, mode, sent, sent - 1, false, comm);
    }
}

// Truncation into a strided type: neither the gaps nor what follows the type is touched.
void strided() {
  const ReturningComm comm;
  const int peer = partner();
  if (peer < 0)
    return;
  for (int blocks : {4, 1000, 100000}) {
    MPI_Datatype type;
    MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank() % 2 == 0) {
      const std::vector<int> out(static_cast<std::size_t>(blocks) + 1, 5);
      MPI_Send(out.data(), blocks + 1, MPI_INT, peer, dataTag, comm);
    } else {
      std::vector<int> in(static_cast<std::size_t>(blocks) * 2 + 10, -1);
      MPI_Status status;
      const int code = MPI_Recv(in.data(), 1, type, peer, dataTag, comm, &status);
      CHECK_EQ(errorClass(code), MPI_ERR_TRUNCATE);
      CHECK_EQ(status.MPI_SOURCE, peer);
      CHECK_EQ(status.MPI_TAG, dataTag);
      int touched = 0;
      for (int i = 0; i < blocks; ++i)
        touched += in[2 * i + 1] != -1;
      for (int i = 2 * blocks; i < 2 * blocks + 10; ++i)
        touched += in[i] != -1;
      CHECK_EQ(touched, 0);
    }
    next(peer, rank() % 2 == 0, comm);
    MPI_Type_free(&type);
  }
}

// One bad receive among good ones: the others are complete and right, the statuses tell them apart (3.7.5).
void oneAmongMany() {
  const ReturningComm comm;
  const int peer = partner();
  if (peer < 0)
    return;
  for (std::size_t bytes : {std::size_t{100}, std::size_t{200000}})
    for (bool wait : {true, false}) {
      std::vector<Guarded> in(5, Guarded(bytes));
      std::vector<Guarded> out(5, Guarded(bytes));
      MPI_Request requests[10];
      MPI_Status statuses[10];
      for (int i = 0; i < 5; ++i) {
        statuses[i].MPI_ERROR = 77;
        out[i].fillWith(static_cast<std::uint64_t>(i));
        MPI_Irecv(in[i].data(), i == 2 ? in[i].count() / 2 : in[i].count(), MPI_BYTE, peer, i, comm,
                  &requests[i]);
      }
      for (int i = 0; i < 5; ++i)
        MPI_Isend(out[i].data(), out[i].count(), MPI_BYTE, peer, i, comm, &requests[5 + i]);
      int code = MPI_SUCCESS;
      int done = 0;
      if (wait)
        code = MPI_Waitall(10, requests, statuses);
      else
        while (!done && code == MPI_SUCCESS)
          code = MPI_Testall(10, requests, &done, statuses);
      CHECK_EQ(errorClass(code), MPI_ERR_IN_STATUS);
      for (int i = 0; i < 10; ++i) {
        // What was not finished when the failure was found is MPI_ERR_PENDING, and can be waited for.
        if (i != 2 && errorClass(statuses[i].MPI_ERROR) == MPI_ERR_PENDING)
          CHECK_EQ(MPI_Wait(&requests[i], &statuses[i]), MPI_SUCCESS);
        else
          CHECK_EQ(errorClass(statuses[i].MPI_ERROR), i == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        CHECK(requests[i] == MPI_REQUEST_NULL);
        if (i < 5) {
          CHECK_EQ(statuses[i].MPI_SOURCE, peer);
          CHECK_EQ(statuses[i].MPI_TAG, i);
          CHECK(in[i].intact());
          if (i != 2)
            CHECK_EQ(in[i].wrongAt(static_cast<std::uint64_t>(i)), bytes);
        }
      }
    }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"every-way", everyWay, 2},
              {"every-mode", everyMode, 2},
              {"strided", strided, 2},
              {"one-among-many", oneAmongMany, 2}});
}
