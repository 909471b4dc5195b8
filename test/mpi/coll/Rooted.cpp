// Barrier, broadcast, gather, gatherv, scatter and scatterv: every root, in place, lengths from none to past
// 1 MiB, derived types, unlike types on the two sides (MPI 4.1, 6.3 to 6.6).
#include "test/mpi/coll/Reference.h"

#include <numeric>

using namespace check;

namespace {

// No rank leaves the barrier before the last has come: rank r comes late in round r, and tells when.
void barrier() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int round = 0; round < 3 * ranks; ++round) {
      const int late = round % ranks;
      int arrived = 0;
      MPI_Request request;
      // The message of the late rank is sent before it enters: after the barrier everyone must find it.
      if (me == late)
        for (int peer = 0; peer < ranks; ++peer)
          if (peer != me)
            MPI_Send(nullptr, 0, MPI_BYTE, peer, 7, comm);
      if (me != late)
        MPI_Irecv(&arrived, 0, MPI_BYTE, late, 7, comm, &request);
      MPI_Barrier(comm);
      if (me != late)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // Times: the latest arrival is not later than the earliest departure (one machine, one clock).
    for (int round = 0; round < ranks; ++round) {
      if (me == round) {
        const double start = MPI_Wtime();
        while (MPI_Wtime() - start < 0.003) {
        }
      }
      const double in = MPI_Wtime();
      MPI_Barrier(comm);
      const double out = MPI_Wtime();
      double lastIn = 0;
      double firstOut = 0;
      MPI_Allreduce(&in, &lastIn, 1, MPI_DOUBLE, MPI_MAX, comm);
      MPI_Allreduce(&out, &firstOut, 1, MPI_DOUBLE, MPI_MIN, comm);
      int global = 0;
      int* isGlobal = nullptr;
      MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &isGlobal, &global);
      if (global && *isGlobal)
        CHECK(firstOut >= lastIn);
    }
  });
}

void broadcast() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    for (int root = 0; root < sizeOf(comm); ++root)
      for (int count : lengths()) {
        const std::vector<int> wanted = givenBy(root, count, 1);
        std::vector<int> data = me == root ? wanted : std::vector<int>(static_cast<std::size_t>(count), -1);
        MPI_Bcast(data.data(), count, MPI_INT, root, comm);
        CHECK_EQ(differences(data, wanted), 0);
      }
  });
}

// The root's data have gaps, the others' lie together, and the other way round.
void broadcastTypes() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    for (int root = 0; root < sizeOf(comm); ++root)
      for (int count : {1, 100, 50000}) {
        MPI_Datatype gaps;
        MPI_Type_vector(count, 1, 2, MPI_INT, &gaps);
        MPI_Type_commit(&gaps);
        const bool withGaps = (me + root) % 2 == 0;
        std::vector<int> data(static_cast<std::size_t>(2 * count), -9);
        if (me == root)
          for (int i = 0; i < count; ++i)
            data[withGaps ? 2 * i : i] = given(root, i);
        if (withGaps)
          MPI_Bcast(data.data(), 1, gaps, root, comm);
        else
          MPI_Bcast(data.data(), count, MPI_INT, root, comm);
        int wrong = 0;
        for (int i = 0; i < count; ++i) {
          wrong += data[withGaps ? 2 * i : i] != given(root, i);
          wrong += data[withGaps ? 2 * i + 1 : count + i] != -9;
        }
        CHECK_EQ(wrong, 0);
        MPI_Type_free(&gaps);
      }
  });
}

void gather(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int root = 0; root < ranks; ++root)
      for (int count : {0, 1, 7, 1000, 40000}) {
        const std::vector<int> mine = givenBy(me, count);
        std::vector<int> all(me == root ? static_cast<std::size_t>(ranks * count) : 0, -1);
        if (me == root && inPlace) {
          std::copy(mine.begin(), mine.end(), all.begin() + me * count);
          MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_INT, root, comm);
        } else {
          // The receive arguments matter at the root only.
          MPI_Gather(mine.data(), count, MPI_INT, me == root ? all.data() : nullptr, me == root ? count : -1,
                     me == root ? MPI_INT : MPI_DATATYPE_NULL, root, comm);
        }
        for (int from = 0; from < ranks && me == root; ++from) {
          const std::vector<int> part(all.begin() + from * count, all.begin() + (from + 1) * count);
          CHECK_EQ(differences(part, givenBy(from, count)), 0);
        }
      }
  });
}

// Rank r gives (r*37)%100 + r elements to a place of its own, with gaps between, in reverse order.
struct Parts {
  std::vector<int> counts, places;
  int total = 0;
  Parts(int ranks, int scale)
      : counts(static_cast<std::size_t>(ranks)), places(static_cast<std::size_t>(ranks)) {
    for (int from = ranks - 1; from >= 0; --from) {
      counts[from] = (from * 37 % 100 + from) * scale;
      places[from] = total + 3;
      total += counts[from] + 5;
    }
  }
};

void gatherv(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int root = 0; root < ranks; ++root)
      for (int scale : {0, 1, 30, 2000}) {
        const Parts parts(ranks, scale);
        const std::vector<int> mine = givenBy(me, parts.counts[me]);
        std::vector<int> all(static_cast<std::size_t>(parts.total), -1);
        std::vector<int> wanted(static_cast<std::size_t>(parts.total), -1);
        for (int from = 0; from < ranks; ++from) {
          const std::vector<int> theirs = givenBy(from, parts.counts[from]);
          std::copy(theirs.begin(), theirs.end(), wanted.begin() + parts.places[from]);
        }
        if (me == root && inPlace) {
          std::copy(mine.begin(), mine.end(), all.begin() + parts.places[me]);
          MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), parts.counts.data(),
                      parts.places.data(), MPI_INT, root, comm);
        } else {
          MPI_Gatherv(mine.data(), parts.counts[me], MPI_INT, all.data(),
                      me == root ? parts.counts.data() : nullptr, me == root ? parts.places.data() : nullptr,
                      MPI_INT, root, comm);
        }
        if (me == root)
          CHECK_EQ(differences(all, wanted), 0);
      }
  });
}

void scatter(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int root = 0; root < ranks; ++root)
      for (int count : {0, 1, 7, 1000, 40000}) {
        std::vector<int> all;
        if (me == root)
          for (int to = 0; to < ranks; ++to) {
            const std::vector<int> theirs = givenBy(to, count);
            all.insert(all.end(), theirs.begin(), theirs.end());
          }
        std::vector<int> mine(static_cast<std::size_t>(count), -1);
        if (me == root && inPlace) {
          MPI_Scatter(all.data(), count, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, comm);
          std::copy(all.begin() + me * count, all.begin() + (me + 1) * count, mine.begin());
        } else {
          MPI_Scatter(me == root ? all.data() : nullptr, me == root ? count : -1,
                      me == root ? MPI_INT : MPI_DATATYPE_NULL, mine.data(), count, MPI_INT, root, comm);
        }
        CHECK_EQ(differences(mine, givenBy(me, count)), 0);
      }
  });
}

void scatterv(bool inPlace) {
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int root = 0; root < ranks; ++root)
      for (int scale : {0, 1, 30, 2000}) {
        const Parts parts(ranks, scale);
        std::vector<int> all(static_cast<std::size_t>(parts.total), -1);
        for (int to = 0; to < ranks; ++to) {
          const std::vector<int> theirs = givenBy(to, parts.counts[to]);
          std::copy(theirs.begin(), theirs.end(), all.begin() + parts.places[to]);
        }
        std::vector<int> mine(static_cast<std::size_t>(parts.counts[me]), -1);
        if (me == root && inPlace) {
          MPI_Scatterv(all.data(), parts.counts.data(), parts.places.data(), MPI_INT, MPI_IN_PLACE, 0,
                       MPI_DATATYPE_NULL, root, comm);
          continue;
        }
        MPI_Scatterv(me == root ? all.data() : nullptr, me == root ? parts.counts.data() : nullptr,
                     me == root ? parts.places.data() : nullptr, MPI_INT, mine.data(), parts.counts[me],
                     MPI_INT, root, comm);
        CHECK_EQ(differences(mine, givenBy(me, parts.counts[me])), 0);
      }
  });
}

// A matrix by columns: each rank's column has gaps at the root, and the extent places the next beside it.
void columns() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int rows : {1, 50, 9000}) {
      MPI_Datatype wide;
      MPI_Datatype column;
      MPI_Type_vector(rows, 1, ranks, MPI_INT, &wide);
      MPI_Type_create_resized(wide, 0, sizeof(int), &column);
      MPI_Type_commit(&column);
      const std::vector<int> mine = givenBy(me, rows);
      std::vector<int> matrix(static_cast<std::size_t>(rows * ranks), -1);
      std::vector<int> back(static_cast<std::size_t>(rows), -1);
      const int root = ranks - 1;
      MPI_Gather(mine.data(), rows, MPI_INT, matrix.data(), 1, column, root, comm);
      int wrong = 0;
      for (int i = 0; i < rows && me == root; ++i)
        for (int from = 0; from < ranks; ++from)
          wrong += matrix[static_cast<std::size_t>(i * ranks + from)] != given(from, i);
      CHECK_EQ(wrong, 0);
      MPI_Scatter(matrix.data(), 1, column, back.data(), rows, MPI_INT, root, comm);
      CHECK_EQ(differences(back, mine), 0);
      MPI_Type_free(&column);
      MPI_Type_free(&wide);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"barrier", barrier},
              {"broadcast", broadcast},
              {"broadcast-types", broadcastTypes},
              {"gather", [] { gather(false); }},
              {"gather-in-place", [] { gather(true); }},
              {"gatherv", [] { gatherv(false); }},
              {"gatherv-in-place", [] { gatherv(true); }},
              {"scatter", [] { scatter(false); }},
              {"scatter-in-place", [] { scatter(true); }},
              {"scatterv", [] { scatterv(false); }},
              {"scatterv-in-place", [] { scatterv(true); }},
              {"columns", columns}});
}
