// Messages, collectives and a window of a session while MPI_Finalize ends the World Model (MPI-5.0, 11.3):
// what is under way arrives. The last rank has no session that goes on: it leaves with MPI_Finalize and ends.
#include "test/mpi/Check.h"

#include <array>

using namespace check;

namespace {

constexpr std::array<int, 6> sizes{0, 8, 5000, 50000, 300000, 2000000};
constexpr int kinds = 3; // receive posted before MPI_Finalize; after; synchronous send, receive after

struct Transfer {
  std::vector<unsigned char> data;
  MPI_Request request = MPI_REQUEST_NULL;
};

unsigned char byteOf(int sender, int kind, int i) {
  return static_cast<unsigned char>(sender * 7 + kind * 31 + i * 13 + 1);
}

void verify(const Transfer& transfer, int sender, int kind) {
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(transfer.data.size()); ++i)
    wrong += transfer.data[static_cast<std::size_t>(i)] != byteOf(sender, kind, i);
  CHECK_EQ(wrong, 0);
}

int tagOf(std::size_t size, int kind) {
  return static_cast<int>(size) * kinds + kind;
}

// The World Model's messages go their ways too: everybody has connections that MPI_Finalize ends.
void useWorld() {
  const int me = rank();
  for (int other = 0; other < size(); ++other) {
    int theirs = -1;
    MPI_Sendrecv(&me, 1, MPI_INT, other, 1, &theirs, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(theirs, other);
  }
}

class Traffic {
public:
  explicit Traffic(MPI_Comm comm) : comm_(comm), me_(rankIn(comm)), ranks_(sizeOf(comm)) {}

  void begin() {
    const int next = (me_ + 1) % ranks_;
    forEach([&](std::size_t size, int kind) {
      Transfer& out = out_[static_cast<std::size_t>(tagOf(size, kind))];
      out.data.resize(static_cast<std::size_t>(sizes[size]));
      for (int i = 0; i < sizes[size]; ++i)
        out.data[static_cast<std::size_t>(i)] = byteOf(me_, kind, i);
      if (kind == 0)
        receive(size, kind);
      const auto send = kind == 2 ? MPI_Issend : MPI_Isend;
      send(out.data.data(), sizes[size], MPI_BYTE, next, tagOf(size, kind), comm_, &out.request);
    });
  }

  void end() {
    forEach([&](std::size_t size, int kind) {
      if (kind != 0)
        receive(size, kind);
    });
    const int previous = (me_ + ranks_ - 1) % ranks_;
    forEach([&](std::size_t size, int kind) {
      const auto tag = static_cast<std::size_t>(tagOf(size, kind));
      MPI_Status status;
      CHECK_EQ(MPI_Wait(&in_[tag].request, &status), MPI_SUCCESS);
      int count = -1;
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK_EQ(count, sizes[size]);
      verify(in_[tag], previous, kind);
      CHECK_EQ(MPI_Wait(&out_[tag].request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    });
  }

private:
  template <class Body> static void forEach(Body&& body) {
    for (std::size_t size = 0; size < sizes.size(); ++size)
      for (int kind = 0; kind < kinds; ++kind)
        body(size, kind);
  }

  void receive(std::size_t size, int kind) {
    const int previous = (me_ + ranks_ - 1) % ranks_;
    Transfer& in = in_[static_cast<std::size_t>(tagOf(size, kind))];
    in.data.assign(static_cast<std::size_t>(sizes[size]), 0);
    MPI_Irecv(in.data.data(), sizes[size], MPI_BYTE, kind == 1 ? MPI_ANY_SOURCE : previous, tagOf(size, kind),
              comm_, &in.request);
  }

  MPI_Comm comm_;
  int me_;
  int ranks_;
  std::array<Transfer, sizes.size() * kinds> in_;
  std::array<Transfer, sizes.size() * kinds> out_;
};

class SharedCounter {
public:
  explicit SharedCounter(MPI_Comm comm) : ranks_(sizeOf(comm)), me_(rankIn(comm)) {
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory_, &window_);
    *memory_ = 0;
    MPI_Win_fence(0, window_);
  }
  void use() {
    const int mine = me_ + 1;
    for (int target = 0; target < ranks_; ++target)
      CHECK_EQ(MPI_Accumulate(&mine, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window_), MPI_SUCCESS);
    MPI_Win_fence(0, window_);
    ++rounds_;
    CHECK_EQ(*memory_, rounds_ * ranks_ * (ranks_ + 1) / 2);
    MPI_Win_fence(0, window_);
  }
  void end() { MPI_Win_free(&window_); }

private:
  int ranks_;
  int me_;
  int rounds_ = 0;
  int* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &everybody);
  int ranks = 0;
  MPI_Group_size(everybody, &ranks);
  int me = 0;
  MPI_Group_rank(everybody, &me);
  const int last = ranks - 1;
  MPI_Group others = MPI_GROUP_NULL;
  MPI_Group_excl(everybody, 1, &last, &others);
  MPI_Init(&argc, &argv);
  useWorld();

  if (me == last) {
    MPI_Group_free(&everybody);
    MPI_Group_free(&others);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return check::state().failures != 0;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(others, "beyond", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&everybody);
  MPI_Group_free(&others);
  SharedCounter counter(comm);
  counter.use();
  Traffic traffic(comm);
  traffic.begin();
  MPI_Finalize();
  traffic.end();
  // Long enough to see that the last rank has ended, and that it must not be taken for dead.
  const double begin = MPI_Wtime();
  for (int goOn = 1; goOn != 0;) {
    Traffic more(comm);
    more.begin();
    more.end();
    counter.use();
    goOn = MPI_Wtime() - begin < 1.0;
    MPI_Bcast(&goOn, 1, MPI_INT, 0, comm);
  }
  counter.end();
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (check::state().failures == 0 && me == 0)
    std::printf("PASS SessionsBeyond: 1 cases, %ld checks\n", check::state().checks.load());
  return check::state().failures != 0;
}
