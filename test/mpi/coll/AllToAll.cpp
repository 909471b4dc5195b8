// Allgather, allgatherv, alltoall and alltoallv: in place, lengths from none to past 1 MiB, derived types,
// unlike lengths for each pair (MPI 4.1, 6.7 and 6.8).
#include "test/mpi/coll/Reference.h"

using namespace check;

namespace {

void allgather(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int count : {0, 1, 2, 7, 64, 1000, 4099, 40000, 262144}) {
      const std::vector<int> mine = givenBy(me, count);
      std::vector<int> all(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(count), -1);
      if (inPlace) {
        std::copy(mine.begin(), mine.end(), all.begin() + me * count);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_INT, comm);
      } else {
        MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm);
      }
      for (int from = 0; from < ranks; ++from) {
        const std::vector<int> part(all.begin() + from * count, all.begin() + (from + 1) * count);
        CHECK_EQ(differences(part, givenBy(from, count)), 0);
      }
    }
  });
}

// The send side is strided, the receive side places columns of a matrix.
void allgatherTypes() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int rows : {1, 60, 8000}) {
      MPI_Datatype gaps;
      MPI_Datatype wide;
      MPI_Datatype column;
      MPI_Type_vector(rows, 1, 3, MPI_INT, &gaps);
      MPI_Type_vector(rows, 1, ranks, MPI_INT, &wide);
      MPI_Type_create_resized(wide, 0, sizeof(int), &column);
      MPI_Type_commit(&gaps);
      MPI_Type_commit(&column);
      std::vector<int> mine(static_cast<std::size_t>(3 * rows), -1);
      for (int i = 0; i < rows; ++i)
        mine[static_cast<std::size_t>(3 * i)] = given(me, i);
      std::vector<int> matrix(static_cast<std::size_t>(rows * ranks), -1);
      MPI_Allgather(mine.data(), 1, gaps, matrix.data(), 1, column, comm);
      int wrong = 0;
      for (int i = 0; i < rows; ++i)
        for (int from = 0; from < ranks; ++from)
          wrong += matrix[static_cast<std::size_t>(i * ranks + from)] != given(from, i);
      CHECK_EQ(wrong, 0);
      MPI_Type_free(&gaps);
      MPI_Type_free(&wide);
      MPI_Type_free(&column);
    }
  });
}

void allgatherv(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int scale : {0, 1, 30, 3000}) {
      // Rank 0 gives nothing; the others' parts lie in reverse order with gaps.
      std::vector<int> counts(static_cast<std::size_t>(ranks));
      std::vector<int> places(static_cast<std::size_t>(ranks));
      int total = 0;
      for (int from = ranks - 1; from >= 0; --from) {
        counts[from] = from * 17 % 50 * scale;
        places[from] = total + 2;
        total += counts[from] + 4;
      }
      std::vector<int> all(static_cast<std::size_t>(total), -1);
      std::vector<int> wanted(static_cast<std::size_t>(total), -1);
      for (int from = 0; from < ranks; ++from) {
        const std::vector<int> theirs = givenBy(from, counts[from]);
        std::copy(theirs.begin(), theirs.end(), wanted.begin() + places[from]);
      }
      const std::vector<int> mine = givenBy(me, counts[me]);
      if (inPlace) {
        std::copy(mine.begin(), mine.end(), all.begin() + places[me]);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts.data(), places.data(), MPI_INT,
                       comm);
      } else {
        MPI_Allgatherv(mine.data(), counts[me], MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                       comm);
      }
      CHECK_EQ(differences(all, wanted), 0);
    }
  });
}

// The block that rank `from` has for rank `to`.
std::vector<int> block(int from, int to, int count) {
  return givenBy(from * 64 + to, count);
}

void alltoall(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int count : {0, 1, 2, 7, 64, 1000, 40000, 200000}) {
      std::vector<int> out;
      std::vector<int> wanted;
      for (int peer = 0; peer < ranks; ++peer) {
        const std::vector<int> theirs = block(me, peer, count);
        const std::vector<int> mine = block(peer, me, count);
        out.insert(out.end(), theirs.begin(), theirs.end());
        wanted.insert(wanted.end(), mine.begin(), mine.end());
      }
      std::vector<int> in(out.size(), -1);
      if (inPlace) {
        in = out;
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), count, MPI_INT, comm);
      } else {
        MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm);
      }
      CHECK_EQ(differences(in, wanted), 0);
    }
  });
}

// Lengths differ for each pair, some are none, the order of the blocks in memory is turned round on the way.
int lengthFor(int from, int to, int scale) {
  return (from * 7 + to * 3) % 11 * scale;
}

void alltoallv(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int scale : {0, 1, 40, 5000}) {
      std::vector<int> sendCounts, sendPlaces(static_cast<std::size_t>(ranks)), receiveCounts,
          receivePlaces(static_cast<std::size_t>(ranks));
      for (int peer = 0; peer < ranks; ++peer) {
        // In place the lengths must be the same in both directions (6.8).
        sendCounts.push_back(inPlace ? (me + peer) % 5 * scale : lengthFor(me, peer, scale));
        receiveCounts.push_back(inPlace ? (me + peer) % 5 * scale : lengthFor(peer, me, scale));
      }
      int sendTotal = 0;
      int receiveTotal = 0;
      for (int peer = 0; peer < ranks; ++peer) {
        sendPlaces[peer] = sendTotal + 1;
        sendTotal += sendCounts[peer] + 2;
      }
      for (int peer = ranks - 1; peer >= 0; --peer) {
        receivePlaces[peer] = receiveTotal + 3;
        receiveTotal += receiveCounts[peer] + 4;
      }
      std::vector<int> out(static_cast<std::size_t>(sendTotal), -1);
      std::vector<int> in(static_cast<std::size_t>(receiveTotal), -2);
      std::vector<int> wanted = in;
      for (int peer = 0; peer < ranks; ++peer) {
        const std::vector<int> theirs = block(me, peer, sendCounts[peer]);
        const std::vector<int> mine = block(peer, me, receiveCounts[peer]);
        std::copy(theirs.begin(), theirs.end(), out.begin() + sendPlaces[peer]);
        std::copy(mine.begin(), mine.end(), wanted.begin() + receivePlaces[peer]);
        if (inPlace)
          std::copy(theirs.begin(), theirs.end(), in.begin() + receivePlaces[peer]);
      }
      if (inPlace)
        MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, in.data(), receiveCounts.data(),
                      receivePlaces.data(), MPI_INT, comm);
      else
        MPI_Alltoallv(out.data(), sendCounts.data(), sendPlaces.data(), MPI_INT, in.data(),
                      receiveCounts.data(), receivePlaces.data(), MPI_INT, comm);
      CHECK_EQ(differences(in, wanted), 0);
    }
  });
}

// A matrix spread over the ranks by rows is turned: rows are sent, columns received.
void transpose() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int part : {1, 5, 60}) {
      const int all = part * ranks;
      // My rows: `part` of them, each with `all` numbers.
      std::vector<double> rows(static_cast<std::size_t>(part * all));
      std::vector<double> turned(rows.size(), -1);
      for (int i = 0; i < part; ++i)
        for (int j = 0; j < all; ++j)
          rows[static_cast<std::size_t>(i * all + j)] = (me * part + i) * 10000.0 + j;
      // A block of part x part, by columns on the way out.
      MPI_Datatype column;
      MPI_Datatype step;
      MPI_Datatype sendBlock;
      MPI_Datatype square;
      MPI_Datatype receiveBlock;
      MPI_Type_vector(part, 1, all, MPI_DOUBLE, &column);
      MPI_Type_create_resized(column, 0, sizeof(double), &step);
      MPI_Type_contiguous(part, step, &sendBlock);
      MPI_Type_vector(part, part, all, MPI_DOUBLE, &square);
      MPI_Type_create_resized(square, 0, static_cast<MPI_Aint>(part * sizeof(double)), &receiveBlock);
      MPI_Type_commit(&sendBlock);
      MPI_Type_commit(&receiveBlock);
      MPI_Alltoall(rows.data(), 1, sendBlock, turned.data(), 1, receiveBlock, comm);
      int wrong = 0;
      for (int i = 0; i < part; ++i)
        for (int j = 0; j < all; ++j)
          wrong += turned[static_cast<std::size_t>(i * all + j)] != j * 10000.0 + me * part + i;
      CHECK_EQ(wrong, 0);
      for (MPI_Datatype* type : {&column, &step, &sendBlock, &square, &receiveBlock})
        MPI_Type_free(type);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"allgather", [] { allgather(false); }},
              {"allgather-in-place", [] { allgather(true); }},
              {"allgather-types", allgatherTypes},
              {"allgatherv", [] { allgatherv(false); }},
              {"allgatherv-in-place", [] { allgatherv(true); }},
              {"alltoall", [] { alltoall(false); }},
              {"alltoall-in-place", [] { alltoall(true); }},
              {"alltoallv", [] { alltoallv(false); }},
              {"alltoallv-in-place", [] { alltoallv(true); }},
              {"transpose", transpose}});
}
