// Collectives whose blocks differ from rank to rank, drawn at random (kind, root, lengths from nothing to
// beyond every way of passing them on, gaps in the datatypes, order of the blocks in memory, in place or not)
// against what each rank knows of the others. Seeds are fixed.
#include "test/mpi/coll/Reference.h"

#include <algorithm>
#include <fstream>
#include <numeric>

using namespace check;

namespace {

struct Drawn {
  MPI_Comm comm;
  int me;
  int ranks;
  int step;
  int root;
  bool inPlace;
  int stride; // of this rank's own datatype: elements from one to the next
  MPI_Datatype type;
};

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Elements that `from` has for `to`: often nothing or little, sometimes a megabyte in all.
int lengthOf(const Drawn& d, int from, int to) {
  Random random(mix(at(d.step)) ^ at(from * 64 + to) << 32);
  const int draw = random.below(10);
  if (draw < 2)
    return 0;
  if (draw < 6)
    return 1 + random.below(12);
  if (draw < 9)
    return 1 + random.below(3000);
  return 1 + random.below(120000 / d.ranks);
}

int element(const Drawn& d, int from, int to, int i) {
  return given(d.step * 4096 + from * 64 + to, i);
}

// Blocks of one buffer with the order of ranks turned by the step, and a gap behind each.
struct Layout {
  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> data;

  Layout(const Drawn& d, const std::function<int(int)>& count) : counts(at(d.ranks)), places(at(d.ranks)) {
    int place = 0;
    for (int i = 0; i < d.ranks; ++i) {
      const int rank = (d.ranks - 1 - i + d.step) % d.ranks;
      counts[at(rank)] = count(rank);
      places[at(rank)] = place;
      place += counts[at(rank)] + d.step % 3;
    }
    data.assign(at(place * d.stride), -1);
  }
  int* block(const Drawn& d, int rank) { return data.data() + places[at(rank)] * d.stride; }
  void write(const Drawn& d, int rank, int from, int to) {
    for (int i = 0; i < counts[at(rank)]; ++i)
      block(d, rank)[i * d.stride] = element(d, from, to, i);
  }
};

// The whole buffer: blocks as they were given, gaps untouched.
void compareAll(const Drawn& d, Layout& found, const std::function<std::pair<int, int>(int)>& fromTo) {
  Layout wanted = found;
  std::fill(wanted.data.begin(), wanted.data.end(), -1);
  for (int rank = 0; rank < d.ranks; ++rank)
    wanted.write(d, rank, fromTo(rank).first, fromTo(rank).second);
  CHECK(found.data == wanted.data);
}

std::vector<int> ownBlock(const Drawn& d, int from, int to, bool filled) {
  std::vector<int> block(at(lengthOf(d, from, to) * d.stride), -1);
  for (int i = 0; filled && i < lengthOf(d, from, to); ++i)
    block[at(i * d.stride)] = element(d, from, to, i);
  return block;
}

void gatherv(const Drawn& d) {
  const bool isRoot = d.me == d.root;
  const bool inPlace = isRoot && d.inPlace;
  Layout all(d, [&](int rank) { return isRoot ? lengthOf(d, rank, d.root) : 0; });
  if (inPlace)
    all.write(d, d.me, d.me, d.root);
  const std::vector<int> mine = ownBlock(d, d.me, d.root, true);
  MPI_Gatherv(inPlace ? MPI_IN_PLACE : mine.data(), lengthOf(d, d.me, d.root), d.type, all.data.data(),
              all.counts.data(), all.places.data(), d.type, d.root, d.comm);
  if (isRoot)
    compareAll(d, all, [&](int rank) { return std::pair(rank, d.root); });
}

void scatterv(const Drawn& d) {
  const bool isRoot = d.me == d.root;
  const bool inPlace = isRoot && d.inPlace;
  Layout all(d, [&](int rank) { return isRoot ? lengthOf(d, d.root, rank) : 0; });
  for (int rank = 0; isRoot && rank < d.ranks; ++rank)
    all.write(d, rank, d.root, rank);
  std::vector<int> mine = ownBlock(d, d.root, d.me, false);
  void* const to = inPlace ? MPI_IN_PLACE : mine.data();
  MPI_Scatterv(all.data.data(), all.counts.data(), all.places.data(), d.type, to, lengthOf(d, d.root, d.me),
               d.type, d.root, d.comm);
  if (!inPlace)
    CHECK(mine == ownBlock(d, d.root, d.me, true));
}

void allgatherv(const Drawn& d) {
  Layout all(d, [&](int rank) { return lengthOf(d, rank, 0); });
  if (d.inPlace)
    all.write(d, d.me, d.me, 0);
  const std::vector<int> mine = ownBlock(d, d.me, 0, true);
  MPI_Allgatherv(d.inPlace ? MPI_IN_PLACE : mine.data(), lengthOf(d, d.me, 0), d.type, all.data.data(),
                 all.counts.data(), all.places.data(), d.type, d.comm);
  compareAll(d, all, [&](int rank) { return std::pair(rank, 0); });
}

// In place both partners have the same length for each other.
int mutual(const Drawn& d, int from, int to) {
  return d.inPlace ? lengthOf(d, std::min(from, to), std::max(from, to)) : lengthOf(d, from, to);
}

void alltoall(const Drawn& d, bool withTypes) {
  Layout in(d, [&](int rank) { return mutual(d, rank, d.me); });
  Layout out(d, [&](int rank) { return mutual(d, d.me, rank); });
  for (int rank = 0; rank < d.ranks; ++rank)
    (d.inPlace ? in : out).write(d, rank, d.me, rank);
  const void* const from = d.inPlace ? MPI_IN_PLACE : out.data.data();
  if (!withTypes) {
    MPI_Alltoallv(from, out.counts.data(), out.places.data(), d.type, in.data.data(), in.counts.data(),
                  in.places.data(), d.type, d.comm);
  } else {
    const std::vector<MPI_Datatype> types(at(d.ranks), d.type);
    const auto inBytes = [&](std::vector<int> places) {
      for (int& place : places)
        place *= d.stride * static_cast<int>(sizeof(int));
      return places;
    };
    MPI_Alltoallw(from, out.counts.data(), inBytes(out.places).data(), types.data(), in.data.data(),
                  in.counts.data(), inBytes(in.places).data(), types.data(), d.comm);
  }
  compareAll(d, in, [&](int rank) { return std::pair(rank, d.me); });
}

void drawn(std::uint64_t seed, int steps) {
  MPI_Datatype types[3] = {};
  for (int stride = 1; stride <= 3; ++stride) {
    MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(sizeof(int)) * stride, &types[stride - 1]);
    MPI_Type_commit(&types[stride - 1]);
  }
  std::vector<MPI_Comm> comms;
  for (int ranks = 1; ranks <= size(); ++ranks) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank() < ranks ? 0 : MPI_UNDEFINED, -rank(), &comm);
    comms.push_back(comm);
  }
  Random random(seed);
  for (int step = 0; step < steps; ++step) {
    const int ranks = std::max(1 + random.below(size()), 1 + random.below(size()));
    const int kind = random.below(5);
    const int root = random.below(ranks);
    const bool inPlace = random.below(3) == 0;
    // Every rank's own layout.
    const int stride = 1 + static_cast<int>(mix(at(step * 64 + rank())) % 3);
    const MPI_Comm comm = comms[at(ranks - 1)];
    if (comm == MPI_COMM_NULL)
      continue;
    const Drawn d{comm, rankIn(comm), ranks, step, root, inPlace, stride, types[stride - 1]};
    state().current = "step " + std::to_string(step) + ", kind " + std::to_string(kind) + ", " +
                      std::to_string(ranks) + " ranks";
    switch (kind) {
    case 0:
      gatherv(d);
      break;
    case 1:
      scatterv(d);
      break;
    case 2:
      allgatherv(d);
      break;
    default:
      alltoall(d, kind == 4);
    }
  }
  for (MPI_Comm& comm : comms)
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  for (MPI_Datatype& type : types)
    MPI_Type_free(&type);
}

// What is shared becomes larger with the first long blocks, whichever call brings them.
void drawnAfresh() {
  for (unsigned seed = 1; seed <= 16; ++seed)
    drawn(seed, 40);
}

// Bytes that this process shares with others of its node.
std::size_t sharedBytes() {
  std::size_t bytes = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0;
    unsigned long long end = 0;
    if (line.find("memfd:mpl") != std::string::npos &&
        std::sscanf(line.c_str(), "%llx-%llx", &begin, &end) == 2)
      bytes += static_cast<std::size_t>(end - begin);
  }
  return bytes;
}

// Whether a communicator comes to share more when 32 KiB go from or to its last rank in every `period`th
// call.
bool grows(int kind, int period) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  const std::size_t before = sharedBytes();
  const int last = size() - 1;
  std::vector<int> counts(at(size()), 1);
  std::vector<int> places(at(size()));
  counts.back() = 8192;
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<int> mine(8192 + counts.size(), rank());
  std::vector<int> all(8192 + counts.size(), -1);
  const int count = rank() == last ? 8192 : 1;
  for (int round = 0; round < 5; ++round) {
    if (kind == 0)
      MPI_Gatherv(mine.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, 0, comm);
    else if (kind == 1)
      MPI_Allgatherv(mine.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, comm);
    else
      MPI_Scatterv(mine.data(), counts.data(), places.data(), MPI_INT, all.data(), count, MPI_INT, 0, comm);
    for (int i = 1; i < period; ++i)
      MPI_Barrier(comm);
  }
  MPI_Barrier(comm);
  const bool grown = sharedBytes() > before;
  MPI_Comm_free(&comm);
  return grown;
}

// What one rank wants is not forgotten, however many calls come between.
void growsInAnyRhythm() {
  for (int kind = 0; kind < 3; ++kind)
    for (int period = 2; period <= 5; ++period) {
      state().current = "grows, kind " + std::to_string(kind) + ", period " + std::to_string(period);
      CHECK_EQ(grows(kind, period), grows(kind, 1));
    }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"drawn", [] { drawn(20261130, 400); }},
              {"drawn afresh", drawnAfresh},
              {"grows in any rhythm", growsInAnyRhythm}});
}
