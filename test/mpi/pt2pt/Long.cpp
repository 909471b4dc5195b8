// Messages too long to be copied through memory that ranks share: lengths on both sides of each change of
// ways, more of them at once than are kept account of, in both directions at once, cut short, into and out of
// layouts with gaps, and with a sender that is not in the library while the receiver takes the data.
#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"
#include "test/mpi/pt2pt/Modes.h"

#include <unistd.h>

using namespace check;

namespace {

int next() {
  return (rank() + 1) % size();
}
int previous() {
  return (rank() + size() - 1) % size();
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all;
  for (std::size_t border : {32768, 65536, 196608, 262144, 1 << 20})
    for (std::size_t length : {border - 1, border, border + 1})
      all.push_back(length);
  all.push_back((4 << 20) + 4099);
  return all;
}

// A ring: every rank sends to the next one. The receive is posted before, after, or for a probed message.
void around(Mode mode, int when) {
  for (std::size_t length : lengths()) {
    Guarded in(length);
    Guarded out(length);
    out.fillWith(length + static_cast<std::size_t>(rank()));
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Request receiving = MPI_REQUEST_NULL;
    MPI_Status status;
    if (when == 0)
      receiving = ireceive(Twin::small, in.data(), in.count(), MPI_BYTE, previous(), 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    sending = isend(mode, Twin::small, out.data(), out.count(), MPI_BYTE, next(), 5, MPI_COMM_WORLD);
    if (when == 1) {
      MPI_Barrier(MPI_COMM_WORLD);
      receiving = ireceive(Twin::small, in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD);
    }
    if (when == 2) {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      CHECK_STATUS(status, previous(), 5, length);
      MPI_Imrecv(in.data(), in.count(), MPI_BYTE, &message, &receiving);
    }
    MPI_Wait(&receiving, &status);
    CHECK_STATUS(status, previous(), 5, length);
    CHECK_EQ(in.wrongAt(length + static_cast<std::size_t>(previous())), length);
    CHECK(in.intact());
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    CHECK_EQ(out.wrongAt(length + static_cast<std::size_t>(rank())), length);
  }
}

// Received last first, so that none of the early ones can go while the last one is waited for.
void manyBackwards() {
  constexpr int many = 300;
  constexpr std::size_t length = 40000;
  std::vector<Guarded> out;
  std::vector<MPI_Request> sending(many);
  for (int i = 0; i < many; ++i) {
    out.emplace_back(length);
    out.back().fillWith(static_cast<std::uint64_t>(i));
  }
  for (int i = 0; i < many; ++i)
    MPI_Isend(out[static_cast<std::size_t>(i)].data(), length, MPI_BYTE, next(), i, MPI_COMM_WORLD,
              &sending[static_cast<std::size_t>(i)]);
  for (int i = many; i-- > 0;) {
    Guarded in(length);
    MPI_Recv(in.data(), length, MPI_BYTE, previous(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(i)), length);
  }
  MPI_Waitall(many, sending.data(), MPI_STATUSES_IGNORE);
}

void bothWays() {
  constexpr std::size_t length = (1 << 20) + 3;
  for (std::uint64_t round = 0; round < 20; ++round) {
    Guarded in(length);
    Guarded out(length);
    out.fillWith(round * 100 + static_cast<std::uint64_t>(rank()));
    MPI_Sendrecv(out.data(), length, MPI_BYTE, next(), 1, in.data(), length, MPI_BYTE, previous(), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(round * 100 + static_cast<std::uint64_t>(previous())), length);
    CHECK(in.intact());
  }
}

// The receiver has to do all by itself, or half of it when the sender comes back in the middle.
void absentSender() {
  constexpr std::size_t length = 8 << 20;
  for (int pause : {0, 200, 1000, 20000}) {
    Guarded buffer(length);
    if (rank() == 0) {
      buffer.fillWith(7);
      MPI_Request sending;
      MPI_Isend(buffer.data(), length, MPI_BYTE, size() - 1, 2, MPI_COMM_WORLD, &sending);
      usleep(static_cast<useconds_t>(pause));
      MPI_Wait(&sending, MPI_STATUS_IGNORE);
      buffer.clear();
    } else if (rank() == size() - 1) {
      MPI_Recv(buffer.data(), length, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQ(buffer.wrongAt(7), length);
      CHECK(buffer.intact());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void cutShort() {
  ReturningComm comm;
  for (std::size_t room : {std::size_t{0}, std::size_t{100}, std::size_t{200000}, std::size_t{999999}}) {
    constexpr std::size_t length = 1000000;
    if (rank() == 0) {
      Guarded out(length);
      out.fillWith(3);
      CHECK_EQ(MPI_Ssend(out.data(), length, MPI_BYTE, size() - 1, 4, comm), MPI_SUCCESS);
    }
    if (rank() == size() - 1) {
      Guarded in(room);
      MPI_Status status;
      const int code = MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, 4, comm, &status);
      CHECK_EQ(errorClass(code), MPI_ERR_TRUNCATE);
      CHECK_EQ(status.MPI_SOURCE, 0);
      CHECK_EQ(status.MPI_TAG, 4);
      CHECK(in.intact());
    }
  }
}

// Elements of 8 bytes with gaps of 8, on one side or the other.
void layouts() {
  constexpr int elements = 100000;
  MPI_Datatype gaps;
  MPI_Type_vector(elements, 1, 2, MPI_DOUBLE, &gaps);
  MPI_Type_commit(&gaps);
  std::vector<double> dense(elements);
  std::vector<double> sparse(2 * elements, -1.0);
  for (bool sendsDense : {true, false}) {
    if (rank() == 0) {
      for (int i = 0; i < elements; ++i)
        (sendsDense ? dense[static_cast<std::size_t>(i)] : sparse[static_cast<std::size_t>(2 * i)]) = i;
      if (sendsDense)
        MPI_Send(dense.data(), elements, MPI_DOUBLE, size() - 1, 6, MPI_COMM_WORLD);
      else
        MPI_Send(sparse.data(), 1, gaps, size() - 1, 6, MPI_COMM_WORLD);
    } else if (rank() == size() - 1) {
      int wrong = 0;
      if (sendsDense) {
        MPI_Recv(sparse.data(), 1, gaps, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < elements; ++i)
          wrong += sparse[static_cast<std::size_t>(2 * i)] != i ||
                   sparse[static_cast<std::size_t>(2 * i + 1)] != -1.0;
      } else {
        MPI_Recv(dense.data(), elements, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < elements; ++i)
          wrong += dense[static_cast<std::size_t>(i)] != i;
      }
      CHECK_EQ(wrong, 0);
    }
  }
  MPI_Type_free(&gaps);
}

void persistent() {
  constexpr std::size_t length = 500000;
  Guarded in(length);
  Guarded out(length);
  MPI_Request both[2];
  MPI_Recv_init(in.data(), length, MPI_BYTE, previous(), 9, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(out.data(), length, MPI_BYTE, next(), 9, MPI_COMM_WORLD, &both[1]);
  for (std::uint64_t round = 0; round < 20; ++round) {
    out.fillWith(round);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    CHECK_EQ(in.wrongAt(round), length);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

// The program forgets the request: the data must go all the same, at the latest in MPI_Finalize.
unsigned char forgotten[300000];

void freedRequest() {
  fill(forgotten, sizeof forgotten, 11);
  MPI_Request sending;
  MPI_Isend(forgotten, sizeof forgotten, MPI_BYTE, next(), 10, MPI_COMM_WORLD, &sending);
  MPI_Request_free(&sending);
  std::vector<unsigned char> in(sizeof forgotten);
  MPI_Recv(in.data(), sizeof forgotten, MPI_BYTE, previous(), 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(firstWrong(in.data(), in.size(), 11), in.size());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"posted before", [] { around(Mode::standard, 0); }},
              {"posted before, ready", [] { around(Mode::ready, 0); }},
              {"posted before, synchronous", [] { around(Mode::synchronous, 0); }},
              {"posted after", [] { around(Mode::standard, 1); }},
              {"posted after, synchronous", [] { around(Mode::synchronous, 1); }},
              {"probed", [] { around(Mode::standard, 2); }},
              {"many, backwards", manyBackwards},
              {"both ways at once", bothWays},
              {"a sender that is busy elsewhere", absentSender},
              {"cut short", cutShort},
              {"layouts", layouts},
              {"persistent", persistent},
              {"a request that was freed", freedRequest}});
}
