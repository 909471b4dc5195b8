// Wait and test for one, any, some and all requests: null and inactive requests, empty arrays, ignored
// statuses (MPI 4.1, 3.7.3 and 3.7.5).
#include "test/mpi/pt2pt/Modes.h"

#include <algorithm>

using namespace check;

namespace {

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

void checkEmpty(const MPI_Status& status, const char* file, int line) {
  checkStatus(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, file, line);
  int cancelled = 1;
  MPI_Test_cancelled(&status, &cancelled);
  isEqual(cancelled, 0, "cancelled", "0", file, line);
}

void nullRequests() {
  for (bool ignore : {false, true}) {
    MPI_Request one = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Status* into = ignore ? MPI_STATUS_IGNORE : &status;
    CHECK_EQ(MPI_Wait(&one, into), MPI_SUCCESS);
    if (!ignore)
      checkEmpty(status, __FILE__, __LINE__);
    int done = 0;
    CHECK_EQ(MPI_Test(&one, &done, into), MPI_SUCCESS);
    CHECK(done);
    if (!ignore)
      checkEmpty(status, __FILE__, __LINE__);

    std::vector<MPI_Request> many(5, MPI_REQUEST_NULL);
    std::vector<MPI_Status> statuses(5);
    MPI_Status* intoAll = ignore ? MPI_STATUSES_IGNORE : statuses.data();
    CHECK_EQ(MPI_Waitall(5, many.data(), intoAll), MPI_SUCCESS);
    done = 0;
    CHECK_EQ(MPI_Testall(5, many.data(), &done, intoAll), MPI_SUCCESS);
    CHECK(done);
    if (!ignore)
      for (const MPI_Status& each : statuses)
        checkEmpty(each, __FILE__, __LINE__);

    int index = -7;
    CHECK_EQ(MPI_Waitany(5, many.data(), &index, into), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    if (!ignore)
      checkEmpty(status, __FILE__, __LINE__);
    index = -7;
    done = 0;
    CHECK_EQ(MPI_Testany(5, many.data(), &index, &done, into), MPI_SUCCESS);
    CHECK(done);
    CHECK_EQ(index, MPI_UNDEFINED);
    if (!ignore)
      checkEmpty(status, __FILE__, __LINE__);

    int outcount = -7;
    std::vector<int> indices(5, -7);
    CHECK_EQ(MPI_Waitsome(5, many.data(), &outcount, indices.data(), intoAll), MPI_SUCCESS);
    CHECK_EQ(outcount, MPI_UNDEFINED);
    outcount = -7;
    CHECK_EQ(MPI_Testsome(5, many.data(), &outcount, indices.data(), intoAll), MPI_SUCCESS);
    CHECK_EQ(outcount, MPI_UNDEFINED);
    CHECK_EQ(indices[0], -7);
  }
}

void emptyArrays() {
  MPI_Status status;
  int index = -7;
  int done = 0;
  int outcount = -7;
  CHECK_EQ(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_Testall(0, nullptr, &done, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK(done);
  CHECK_EQ(MPI_Waitany(0, nullptr, &index, &status), MPI_SUCCESS);
  CHECK_EQ(index, MPI_UNDEFINED);
  checkEmpty(status, __FILE__, __LINE__);
  index = -7;
  done = 0;
  CHECK_EQ(MPI_Testany(0, nullptr, &index, &done, &status), MPI_SUCCESS);
  CHECK(done);
  CHECK_EQ(index, MPI_UNDEFINED);
  checkEmpty(status, __FILE__, __LINE__);
  CHECK_EQ(MPI_Waitsome(0, nullptr, &outcount, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(outcount, MPI_UNDEFINED);
  outcount = -7;
  CHECK_EQ(MPI_Testsome(0, nullptr, &outcount, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(outcount, MPI_UNDEFINED);
  CHECK_EQ(MPI_Startall(0, nullptr), MPI_SUCCESS);
}

// An exchange with the neighbours among null and inactive requests; the requests lie at uneven places.
class Exchange {
public:
  static constexpr int pairs = 12;
  static constexpr int slots = 3 * pairs;

  explicit Exchange(int round) : in_(pairs, Guarded(2000)), out_(pairs, Guarded(2000)), round_(round) {
    requests.assign(slots, MPI_REQUEST_NULL);
    MPI_Recv_init(&unused_, 1, MPI_INT, left(), 500, MPI_COMM_WORLD, &inactive_);
    for (int i = 0; i < pairs; ++i) {
      out_[i].fillWith(seed(rank(), i));
      MPI_Irecv(in_[i].data(), 2000, MPI_BYTE, left(), i, MPI_COMM_WORLD, &requests[3 * i]);
      if (i % 4 == 3)
        requests[3 * i + 1] = inactive_;
    }
    for (int i = pairs - 1; i >= 0; --i)
      MPI_Isend(out_[i].data(), lengthOf(i), MPI_BYTE, right(), i, MPI_COMM_WORLD, &requests[3 * i + 2]);
  }
  ~Exchange() { MPI_Request_free(&inactive_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  static int lengthOf(int i) { return i * 150; }
  bool isActive(int slot) const { return slot % 3 != 1; }
  bool isReceive(int slot) const { return slot % 3 == 0; }
  void checkReceive(int slot, const MPI_Status& status) {
    const int i = slot / 3;
    CHECK_STATUS(status, left(), i, static_cast<std::size_t>(lengthOf(i)));
  }
  void checkData() {
    for (int slot = 0; slot < slots; ++slot)
      CHECK(requests[slot] == (!isActive(slot) && slot / 3 % 4 == 3 ? inactive_ : MPI_REQUEST_NULL));
    for (int i = 0; i < pairs; ++i) {
      const auto bytes = static_cast<std::size_t>(lengthOf(i));
      CHECK_EQ(firstWrong(in_[i].data(), bytes, seed(left(), i)), bytes);
      CHECK(in_[i].intact());
    }
  }

  std::vector<MPI_Request> requests;

private:
  std::uint64_t seed(int from, int i) const {
    return static_cast<std::uint64_t>(from * 1000 + round_ * 50 + i);
  }
  std::vector<Guarded> in_;
  std::vector<Guarded> out_;
  int round_;
  int unused_ = 0;
  MPI_Request inactive_ = MPI_REQUEST_NULL;
};

void waitall() {
  for (int round = 0; round < 4; ++round) {
    Exchange e(round);
    std::vector<MPI_Status> statuses(Exchange::slots);
    MPI_Waitall(Exchange::slots, e.requests.data(), round % 2 ? MPI_STATUSES_IGNORE : statuses.data());
    for (int slot = 0; slot < Exchange::slots && round % 2 == 0; ++slot) {
      if (e.isReceive(slot))
        e.checkReceive(slot, statuses[slot]);
      else if (!e.isActive(slot))
        checkEmpty(statuses[slot], __FILE__, __LINE__);
    }
    e.checkData();
  }
}

void testall() {
  for (int round = 0; round < 4; ++round) {
    Exchange e(round);
    std::vector<MPI_Status> statuses(Exchange::slots);
    int done = 0;
    while (!done) {
      const std::vector<MPI_Request> before = e.requests;
      MPI_Testall(Exchange::slots, e.requests.data(), &done,
                  round % 2 ? MPI_STATUSES_IGNORE : statuses.data());
      // Without the flag no request is changed (3.7.5).
      if (!done)
        CHECK(before == e.requests);
    }
    for (int slot = 0; slot < Exchange::slots && round % 2 == 0; ++slot)
      if (e.isReceive(slot))
        e.checkReceive(slot, statuses[slot]);
    e.checkData();
  }
}

void anyOne(bool wait) {
  for (int round = 0; round < 4; ++round) {
    Exchange e(round);
    std::vector<int> seen(Exchange::slots, 0);
    for (int left1 = 2 * Exchange::pairs; left1 > 0; --left1) {
      int index = -7;
      MPI_Status status;
      MPI_Status* into = round % 2 ? MPI_STATUS_IGNORE : &status;
      if (wait) {
        MPI_Waitany(Exchange::slots, e.requests.data(), &index, into);
      } else {
        int done = 0;
        while (!done) {
          index = -7;
          MPI_Testany(Exchange::slots, e.requests.data(), &index, &done, into);
          if (!done)
            CHECK_EQ(index, MPI_UNDEFINED);
        }
      }
      if (!CHECK(index >= 0 && index < Exchange::slots && e.isActive(index)))
        return;
      CHECK_EQ(++seen[index], 1);
      CHECK(e.requests[index] == MPI_REQUEST_NULL);
      if (round % 2 == 0 && e.isReceive(index))
        e.checkReceive(index, status);
    }
    int index = -7;
    MPI_Waitany(Exchange::slots, e.requests.data(), &index, MPI_STATUS_IGNORE);
    CHECK_EQ(index, MPI_UNDEFINED);
    e.checkData();
  }
}

void some(bool wait) {
  for (int round = 0; round < 4; ++round) {
    Exchange e(round);
    std::vector<int> seen(Exchange::slots, 0);
    int left1 = 2 * Exchange::pairs;
    std::vector<int> indices(Exchange::slots);
    std::vector<MPI_Status> statuses(Exchange::slots);
    while (left1 > 0) {
      int outcount = -7;
      MPI_Status* into = round % 2 ? MPI_STATUSES_IGNORE : statuses.data();
      if (wait)
        MPI_Waitsome(Exchange::slots, e.requests.data(), &outcount, indices.data(), into);
      else
        MPI_Testsome(Exchange::slots, e.requests.data(), &outcount, indices.data(), into);
      if (!CHECK(outcount >= (wait ? 1 : 0) && outcount <= left1))
        return;
      for (int i = 0; i < outcount; ++i) {
        const int slot = indices[i];
        if (!CHECK(slot >= 0 && slot < Exchange::slots && e.isActive(slot)))
          return;
        CHECK_EQ(++seen[slot], 1);
        CHECK(e.requests[slot] == MPI_REQUEST_NULL);
        // The statuses lie in the order of the indices, at the front.
        if (round % 2 == 0 && e.isReceive(slot))
          e.checkReceive(slot, statuses[i]);
      }
      left1 -= outcount;
    }
    int outcount = -7;
    MPI_Testsome(Exchange::slots, e.requests.data(), &outcount, indices.data(), MPI_STATUSES_IGNORE);
    CHECK_EQ(outcount, MPI_UNDEFINED);
    e.checkData();
  }
}

// Nothing has arrived: the tests say so, change nothing, and make progress so that the loop ends.
void nothingYet() {
  const int peer = partner();
  if (peer < 0)
    return;
  int value[2] = {-1, -1};
  MPI_Request requests[3];
  MPI_Irecv(&value[0], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
  requests[1] = MPI_REQUEST_NULL;
  MPI_Irecv(&value[1], 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[2]);
  const MPI_Request first = requests[0];
  const MPI_Request last = requests[2];
  int done = 1;
  int index = -7;
  int outcount = -7;
  int indices[3];
  MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  CHECK(!done);
  MPI_Testall(3, requests, &done, MPI_STATUSES_IGNORE);
  CHECK(!done);
  MPI_Testany(3, requests, &index, &done, MPI_STATUS_IGNORE);
  CHECK(!done);
  CHECK_EQ(index, MPI_UNDEFINED);
  MPI_Testsome(3, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(outcount, 0);
  CHECK(requests[0] == first && requests[1] == MPI_REQUEST_NULL && requests[2] == last);
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 3, nullptr, 0, MPI_BYTE, peer, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const int two = 22;
  MPI_Send(&two, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
  MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
  CHECK_EQ(index, 2);
  CHECK_EQ(value[1], 22);
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 3, nullptr, 0, MPI_BYTE, peer, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const int one = 11;
  MPI_Send(&one, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
  do
    MPI_Testsome(3, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  while (outcount == 0);
  CHECK_EQ(outcount, 1);
  CHECK_EQ(indices[0], 0);
  CHECK_EQ(value[0], 11);
}

// Waitsome hands out every request that is complete, so that none is starved (3.7.5, fairness).
void waitsomeTakesAll() {
  int values[10];
  MPI_Request requests[10];
  for (int i = 0; i < 10; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, rank(), i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 10; ++i)
    MPI_Send(&i, 1, MPI_INT, rank(), i, MPI_COMM_WORLD);
  // All ten are there once the last one is seen complete and the others have been looked at.
  for (int i = 0; i < 10; ++i) {
    int done = 0;
    while (!done)
      MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
  }
  int outcount = -7;
  int indices[10];
  MPI_Waitsome(10, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(outcount, 10);
  for (int i = 0; i < 10; ++i)
    CHECK_EQ(values[i], i);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"null-requests", nullRequests},
              {"empty-arrays", emptyArrays},
              {"waitall", waitall},
              {"testall", testall},
              {"waitany", [] { anyOne(true); }},
              {"testany", [] { anyOne(false); }},
              {"waitsome", [] { some(true); }},
              {"testsome", [] { some(false); }},
              {"nothing-yet", nothingYet, 2},
              {"waitsome-takes-all", waitsomeTakesAll}});
}
