// MPI_PROC_NULL in every call and by every way of completion: source MPI_PROC_NULL, tag MPI_ANY_TAG, count 0
// (MPI 4.1, 3.10), and buffers that are not touched.
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int untouched = 4711;

void checkNull(const MPI_Status& status, int value, const char* file, int line) {
  checkStatus(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, file, line);
  isEqual(value, untouched, "value", "untouched", file, line);
  int elements = -1;
  MPI_Get_elements(&status, MPI_INT, &elements);
  isEqual(elements, 0, "elements", "0", file, line);
  int cancelled = -1;
  MPI_Test_cancelled(&status, &cancelled);
  isEqual(cancelled, 0, "cancelled", "0", file, line);
}

MPI_Status dirty() {
  MPI_Status status;
  std::memset(&status, 0x77, sizeof status);
  return status;
}

void blockingCalls() {
  int value = untouched;
  for (Twin twin : twins()) {
    for (Mode mode : allModes())
      CHECK_EQ(send(mode, twin, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Status status = dirty();
    receive(twin, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    checkNull(status, value, __FILE__, __LINE__);
    status = dirty();
    receive(twin, &value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    checkNull(status, value, __FILE__, __LINE__);
    receive(twin, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void probes() {
  int value = untouched;
  MPI_Status status = dirty();
  MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  checkNull(status, value, __FILE__, __LINE__);
  int flag = 0;
  status = dirty();
  MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  CHECK(flag);
  checkNull(status, value, __FILE__, __LINE__);
  MPI_Message message = MPI_MESSAGE_NULL;
  status = dirty();
  MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  checkNull(status, value, __FILE__, __LINE__);
  status = dirty();
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  checkNull(status, value, __FILE__, __LINE__);
  flag = 0;
  MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(flag);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Request request;
  MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
  CHECK(message == MPI_MESSAGE_NULL);
  status = dirty();
  MPI_Wait(&request, &status);
  checkNull(status, value, __FILE__, __LINE__);
}

// Non-blocking and persistent requests of every kind, by every way of completion.
void everyCompletion() {
  int value = untouched;
  for (Twin twin : twins())
    for (int way = 0; way < 8; ++way) {
      std::vector<MPI_Request> requests;
      std::vector<bool> persistent;
      std::vector<bool> receives;
      const auto add = [&](MPI_Request request, bool isPersistent, bool isReceive) {
        requests.push_back(request);
        persistent.push_back(isPersistent);
        receives.push_back(isReceive);
        if (isPersistent)
          MPI_Start(&requests.back());
      };
      for (Mode mode : allModes()) {
        add(isend(mode, twin, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD), false, false);
        add(sendInit(mode, twin, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD), true, false);
      }
      for (int tag : {1, MPI_ANY_TAG}) {
        add(ireceive(twin, &value, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD), false, true);
        add(receiveInit(twin, &value, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD), true, true);
      }
      const int count = static_cast<int>(requests.size());
      std::vector<MPI_Status> statuses(requests.size(), dirty());
      std::vector<int> indices(requests.size());
      std::vector<MPI_Status> byRequest(requests.size(), dirty());
      int done = 0;
      int index = -1;
      for (int i = 0; i < count; ++i) {
        if (way == 0)
          MPI_Wait(&requests[i], &byRequest[i]);
        else if (way == 1)
          while (!MPI_Test(&requests[i], &done, &byRequest[i]) && !done) {
          }
        else if (way == 2) {
          MPI_Waitany(count, requests.data(), &index, &statuses[0]);
          if (!CHECK(index >= 0 && index < count))
            return;
          byRequest[index] = statuses[0];
        } else if (way == 3) {
          done = 0;
          while (!done)
            MPI_Testany(count, requests.data(), &index, &done, &statuses[0]);
          if (!CHECK(index >= 0 && index < count))
            return;
          byRequest[index] = statuses[0];
        }
      }
      if (way == 4)
        MPI_Waitall(count, requests.data(), byRequest.data());
      done = 0;
      while (way == 5 && !done)
        MPI_Testall(count, requests.data(), &done, byRequest.data());
      for (int all = 0; way >= 6 && all < count;) {
        if (way == 6)
          MPI_Waitsome(count, requests.data(), &done, indices.data(), statuses.data());
        else
          MPI_Testsome(count, requests.data(), &done, indices.data(), statuses.data());
        if (!CHECK(done >= 0 && done <= count))
          return;
        for (int i = 0; i < done; ++i)
          byRequest[indices[i]] = statuses[i];
        all += done;
      }
      for (int i = 0; i < count; ++i) {
        CHECK_EQ(requests[i] == MPI_REQUEST_NULL, !persistent[i]);
        if (receives[i])
          checkNull(byRequest[i], value, __FILE__, __LINE__);
        if (persistent[i])
          MPI_Request_free(&requests[i]);
      }
    }
}

void requestCalls() {
  int value = untouched;
  MPI_Request request;
  MPI_Status status = dirty();
  int done = 0;
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  MPI_Request_get_status(request, &done, &status);
  CHECK(done);
  checkNull(status, value, __FILE__, __LINE__);
  MPI_Wait(&request, &status);
  checkNull(status, value, __FILE__, __LINE__);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
}

void sendrecvCalls() {
  int value = untouched;
  int other = 1;
  MPI_Status status = dirty();
  MPI_Sendrecv(&other, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG,
               MPI_COMM_WORLD, &status);
  checkNull(status, value, __FILE__, __LINE__);
  status = dirty();
  MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  checkNull(status, value, __FILE__, __LINE__);
#if CHECK_MPI_40
  MPI_Request request;
  status = dirty();
  MPI_Isendrecv(&other, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  checkNull(status, value, __FILE__, __LINE__);
  status = dirty();
  MPI_Isendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  checkNull(status, value, __FILE__, __LINE__);
#endif
}

// A null buffer with count 0, and wildcards, beside real traffic that they must not disturb.
void besideTraffic() {
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  for (int round = 0; round < 20; ++round) {
    int in = -1;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, left, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(nullptr, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&round, 1, MPI_INT, right, round, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    CHECK_STATUS(statuses[0], MPI_PROC_NULL, MPI_ANY_TAG, 0u);
    CHECK_STATUS(statuses[1], left, round, sizeof(int));
    CHECK_EQ(in, round);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"blocking-calls", blockingCalls},
              {"probes", probes},
              {"every-completion", everyCompletion},
              {"request-calls", requestCalls},
              {"sendrecv-calls", sendrecvCalls},
              {"beside-traffic", besideTraffic}});
}
