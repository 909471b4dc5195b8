// Collectives drawn at random (kind, members, root, length, datatype, operation, in place or not, and one of
// three ways to run them) against a plain reference that every rank works out for itself. Seeds are fixed.
#include "test/mpi/coll/Reference.h"

#include <algorithm>
#include <cstdint>

using namespace check;

#if CHECK_MPI_40
namespace {

enum class Way { blocking, background, persistent };

// One element: a map x -> a*x + b of 32-bit numbers, whose composition does not commute.
struct Map {
  std::uint32_t a;
  std::uint32_t b;
  bool operator==(const Map& other) const { return a == other.a && b == other.b; }
};

Map after(Map first, Map second) {
  return {first.a * second.a, second.a * first.b + second.b};
}

void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Map*>(in);
  auto* second = static_cast<Map*>(inout);
  for (int i = 0; i < *count; ++i)
    second[i] = after(first[i], second[i]);
}

Map given(int step, int rank, int i) {
  const std::uint64_t bits = mix(static_cast<std::uint64_t>(step) << 40 ^
                                 static_cast<std::uint64_t>(rank) << 32 ^ static_cast<std::uint64_t>(i));
  return {static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32)};
}

std::vector<Map> givenBy(int step, int rank, int count, int from = 0) {
  std::vector<Map> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] = given(step, rank, from + i);
  return all;
}

struct Setting {
  MPI_Comm comm;
  int me;
  int ranks;
  int step;
  int count;
  int root;
  bool inPlace;
  Way way;
  MPI_Datatype sendType;
  MPI_Datatype receiveType;
  int sendStride; // elements from one to the next
  int receiveStride;
  MPI_Op op;
  Map (*combine)(Map, Map);
};

Map sum(Map x, Map y) {
  return {x.a + y.a, x.b + y.b};
}

// In a buffer in which each element has gaps behind it.
std::vector<Map> spread(const std::vector<Map>& data, int stride) {
  std::vector<Map> wide(data.size() * static_cast<std::size_t>(stride), Map{7, 7});
  for (std::size_t i = 0; i < data.size(); ++i)
    wide[i * static_cast<std::size_t>(stride)] = data[i];
  return wide;
}

void compareWith(const std::vector<Map>& found, const std::vector<Map>& wanted, int stride) {
  CHECK(found == spread(wanted, stride));
}

template <class Blocking, class Background, class Persistent>
void runIt(Way way, Blocking&& blocking, Background&& background, Persistent&& persistent) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (way) {
  case Way::blocking:
    blocking();
    break;
  case Way::background:
    background(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    break;
  case Way::persistent:
    persistent(&request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    break;
  }
}

void broadcast(const Setting& s) {
  const std::vector<Map> data = givenBy(s.step, s.root, s.count);
  const int stride = s.me == s.root ? s.sendStride : s.receiveStride;
  MPI_Datatype type = s.me == s.root ? s.sendType : s.receiveType;
  std::vector<Map> buffer = spread(s.me == s.root ? data : std::vector<Map>(data.size(), Map{0, 0}), stride);
  runIt(
      s.way, [&] { MPI_Bcast(buffer.data(), s.count, type, s.root, s.comm); },
      [&](MPI_Request* request) { MPI_Ibcast(buffer.data(), s.count, type, s.root, s.comm, request); },
      [&](MPI_Request* request) {
        MPI_Bcast_init(buffer.data(), s.count, type, s.root, s.comm, MPI_INFO_NULL, request);
      });
  compareWith(buffer, data, stride);
}

std::vector<Map> blocksOfAll(const Setting& s) {
  std::vector<Map> all;
  for (int rank = 0; rank < s.ranks; ++rank) {
    const std::vector<Map> block = givenBy(s.step, rank, s.count);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// A buffer for blocks of all ranks, with this rank's own where it is in place.
std::vector<Map> roomForAll(const Setting& s, const std::vector<Map>& all, bool own) {
  std::vector<Map> room(all.size(), Map{0, 0});
  if (own)
    std::copy_n(all.begin() + s.me * s.count, s.count, room.begin() + s.me * s.count);
  return spread(room, s.receiveStride);
}

void gather(const Setting& s) {
  const std::vector<Map> all = blocksOfAll(s);
  const bool isRoot = s.me == s.root;
  const bool inPlace = s.inPlace && isRoot;
  std::vector<Map> mine = spread(givenBy(s.step, s.me, s.count), s.sendStride);
  std::vector<Map> room = isRoot ? roomForAll(s, all, inPlace) : std::vector<Map>();
  void* from = inPlace ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way,
      [&] { MPI_Gather(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.root, s.comm); },
      [&](MPI_Request* request) {
        MPI_Igather(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.root, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Gather_init(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.root, s.comm,
                        MPI_INFO_NULL, request);
      });
  if (isRoot)
    compareWith(room, all, s.receiveStride);
}

void scatter(const Setting& s) {
  const std::vector<Map> all = blocksOfAll(s);
  const bool isRoot = s.me == s.root;
  std::vector<Map> out = isRoot ? spread(all, s.sendStride) : std::vector<Map>();
  std::vector<Map> mine =
      spread(std::vector<Map>(static_cast<std::size_t>(s.count), Map{0, 0}), s.receiveStride);
  void* to = s.inPlace && isRoot ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way,
      [&] { MPI_Scatter(out.data(), s.count, s.sendType, to, s.count, s.receiveType, s.root, s.comm); },
      [&](MPI_Request* request) {
        MPI_Iscatter(out.data(), s.count, s.sendType, to, s.count, s.receiveType, s.root, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Scatter_init(out.data(), s.count, s.sendType, to, s.count, s.receiveType, s.root, s.comm,
                         MPI_INFO_NULL, request);
      });
  if (to != MPI_IN_PLACE)
    compareWith(mine, givenBy(s.step, s.me, s.count), s.receiveStride);
}

void allgather(const Setting& s) {
  const std::vector<Map> all = blocksOfAll(s);
  std::vector<Map> mine = spread(givenBy(s.step, s.me, s.count), s.sendStride);
  std::vector<Map> room = roomForAll(s, all, s.inPlace);
  void* from = s.inPlace ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way, [&] { MPI_Allgather(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.comm); },
      [&](MPI_Request* request) {
        MPI_Iallgather(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Allgather_init(from, s.count, s.sendType, room.data(), s.count, s.receiveType, s.comm,
                           MPI_INFO_NULL, request);
      });
  compareWith(room, all, s.receiveStride);
}

// Block `to` of a rank begins at its element to*count.
void alltoall(const Setting& s) {
  std::vector<Map> wanted;
  for (int rank = 0; rank < s.ranks; ++rank) {
    const std::vector<Map> block = givenBy(s.step, rank, s.count, s.me * s.count);
    wanted.insert(wanted.end(), block.begin(), block.end());
  }
  const std::vector<Map> own = givenBy(s.step, s.me, s.count * s.ranks);
  std::vector<Map> out = spread(own, s.sendStride);
  std::vector<Map> in = spread(s.inPlace ? own : std::vector<Map>(own.size(), Map{0, 0}), s.receiveStride);
  void* from = s.inPlace ? MPI_IN_PLACE : out.data();
  runIt(
      s.way, [&] { MPI_Alltoall(from, s.count, s.sendType, in.data(), s.count, s.receiveType, s.comm); },
      [&](MPI_Request* request) {
        MPI_Ialltoall(from, s.count, s.sendType, in.data(), s.count, s.receiveType, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Alltoall_init(from, s.count, s.sendType, in.data(), s.count, s.receiveType, s.comm, MPI_INFO_NULL,
                          request);
      });
  compareWith(in, wanted, s.receiveStride);
}

std::vector<Map> combined(const Setting& s, int ranks, int count) {
  std::vector<Map> all = givenBy(s.step, 0, count);
  for (int rank = 1; rank < ranks; ++rank)
    for (int i = 0; i < count; ++i)
      all[static_cast<std::size_t>(i)] = s.combine(all[static_cast<std::size_t>(i)], given(s.step, rank, i));
  return all;
}

// The datatype without gaps, for reductions.
MPI_Datatype mapType = MPI_DATATYPE_NULL;

void reduce(const Setting& s) {
  const bool isRoot = s.me == s.root;
  const bool inPlace = s.inPlace && isRoot;
  std::vector<Map> mine = givenBy(s.step, s.me, s.count);
  std::vector<Map> result = inPlace ? mine : std::vector<Map>(mine.size(), Map{0, 0});
  void* from = inPlace ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way, [&] { MPI_Reduce(from, result.data(), s.count, mapType, s.op, s.root, s.comm); },
      [&](MPI_Request* request) {
        MPI_Ireduce(from, result.data(), s.count, mapType, s.op, s.root, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Reduce_init(from, result.data(), s.count, mapType, s.op, s.root, s.comm, MPI_INFO_NULL, request);
      });
  if (isRoot)
    CHECK(result == combined(s, s.ranks, s.count));
}

void allreduce(const Setting& s) {
  std::vector<Map> mine = givenBy(s.step, s.me, s.count);
  std::vector<Map> result = s.inPlace ? mine : std::vector<Map>(mine.size(), Map{0, 0});
  void* from = s.inPlace ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way, [&] { MPI_Allreduce(from, result.data(), s.count, mapType, s.op, s.comm); },
      [&](MPI_Request* request) {
        MPI_Iallreduce(from, result.data(), s.count, mapType, s.op, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Allreduce_init(from, result.data(), s.count, mapType, s.op, s.comm, MPI_INFO_NULL, request);
      });
  CHECK(result == combined(s, s.ranks, s.count));
}

void reduceScatter(const Setting& s) {
  std::vector<int> counts(static_cast<std::size_t>(s.ranks));
  int total = 0;
  int first = 0;
  for (int rank = 0; rank < s.ranks; ++rank) {
    counts[static_cast<std::size_t>(rank)] = (s.count / s.ranks + rank * 3) % 5000;
    first += rank < s.me ? counts[static_cast<std::size_t>(rank)] : 0;
    total += counts[static_cast<std::size_t>(rank)];
  }
  const int own = counts[static_cast<std::size_t>(s.me)];
  std::vector<Map> mine = givenBy(s.step, s.me, total);
  std::vector<Map> result = s.inPlace ? mine : std::vector<Map>(static_cast<std::size_t>(own), Map{0, 0});
  void* from = s.inPlace ? MPI_IN_PLACE : mine.data();
  runIt(
      s.way, [&] { MPI_Reduce_scatter(from, result.data(), counts.data(), mapType, s.op, s.comm); },
      [&](MPI_Request* request) {
        MPI_Ireduce_scatter(from, result.data(), counts.data(), mapType, s.op, s.comm, request);
      },
      [&](MPI_Request* request) {
        MPI_Reduce_scatter_init(from, result.data(), counts.data(), mapType, s.op, s.comm, MPI_INFO_NULL,
                                request);
      });
  const std::vector<Map> all = combined(s, s.ranks, total);
  CHECK(std::equal(all.begin() + first, all.begin() + first + own, result.begin()));
}

void scan(const Setting& s) {
  std::vector<Map> mine = givenBy(s.step, s.me, s.count);
  std::vector<Map> result = s.inPlace ? mine : std::vector<Map>(mine.size(), Map{0, 0});
  void* from = s.inPlace ? MPI_IN_PLACE : mine.data();
  const bool exclusive = s.step % 2 == 0;
  if (exclusive)
    runIt(
        s.way, [&] { MPI_Exscan(from, result.data(), s.count, mapType, s.op, s.comm); },
        [&](MPI_Request* request) {
          MPI_Iexscan(from, result.data(), s.count, mapType, s.op, s.comm, request);
        },
        [&](MPI_Request* request) {
          MPI_Exscan_init(from, result.data(), s.count, mapType, s.op, s.comm, MPI_INFO_NULL, request);
        });
  else
    runIt(
        s.way, [&] { MPI_Scan(from, result.data(), s.count, mapType, s.op, s.comm); },
        [&](MPI_Request* request) {
          MPI_Iscan(from, result.data(), s.count, mapType, s.op, s.comm, request);
        },
        [&](MPI_Request* request) {
          MPI_Scan_init(from, result.data(), s.count, mapType, s.op, s.comm, MPI_INFO_NULL, request);
        });
  if (!exclusive || s.me > 0)
    CHECK(result == combined(s, exclusive ? s.me : s.me + 1, s.count));
}

void barrier(const Setting& s) {
  runIt(
      s.way, [&] { MPI_Barrier(s.comm); }, [&](MPI_Request* request) { MPI_Ibarrier(s.comm, request); },
      [&](MPI_Request* request) { MPI_Barrier_init(s.comm, MPI_INFO_NULL, request); });
}

// Every element with a gap of stride-1 elements behind it.
MPI_Datatype stridedType(int stride) {
  MPI_Datatype type;
  MPI_Type_create_resized(mapType, 0, static_cast<MPI_Aint>(sizeof(Map)) * stride, &type);
  MPI_Type_commit(&type);
  return type;
}

int drawCount(Random& random, int ranks, int kind) {
  const int draw = random.below(100);
  // 512 Ki elements are 4 MiB; those that give blocks to all share them.
  const int most = kind >= 1 && kind <= 4 ? 512 * 1024 / ranks : 512 * 1024;
  if (draw < 50)
    return random.below(20);
  if (draw < 80)
    return random.below(3000);
  return draw < 96 ? random.below(40000) % (most + 1) : random.below(most + 1);
}

void drawn(std::uint64_t seed, int steps) {
  MPI_Type_contiguous(2, MPI_UINT32_T, &mapType);
  MPI_Type_commit(&mapType);
  MPI_Op composition;
  MPI_Op addition;
  MPI_Op_create(compose, 0, &composition);
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<Map*>(inout)[i] = sum(static_cast<const Map*>(in)[i], static_cast<Map*>(inout)[i]);
      },
      1, &addition);
  const MPI_Datatype types[] = {MPI_DATATYPE_NULL, stridedType(1), stridedType(2), stridedType(3)};
  // The first 1, 2, 3 ... ranks, every other one turned round.
  std::vector<MPI_Comm> comms;
  for (int ranks = 1; ranks <= size(); ++ranks) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank() < ranks ? 0 : MPI_UNDEFINED, ranks % 2 == 0 ? -rank() : rank(),
                   &comm);
    comms.push_back(comm);
  }
  constexpr void (*kinds[])(const Setting&) = {broadcast, gather,    scatter,       allgather, alltoall,
                                               reduce,    allreduce, reduceScatter, scan,      barrier};
  Random random(seed);
  for (int step = 0; step < steps; ++step) {
    // Large groups more often: they take part in everything.
    const int ranks = std::max(1 + random.below(size()), 1 + random.below(size()));
    const int kind = random.below(10);
    const int sendStride = 1 + random.below(2) * random.below(3);
    const int receiveStride = 1 + random.below(2) * random.below(3);
    const bool commutes = random.below(2) == 0;
    const int count = drawCount(random, ranks, kind);
    const Setting setting{comms[static_cast<std::size_t>(ranks - 1)],
                          0,
                          ranks,
                          step,
                          count,
                          random.below(ranks),
                          random.below(3) == 0,
                          static_cast<Way>(std::max(0, random.below(5) - 2)),
                          types[sendStride],
                          types[receiveStride],
                          sendStride,
                          receiveStride,
                          commutes ? addition : composition,
                          commutes ? sum : after};
    if (setting.comm == MPI_COMM_NULL)
      continue;
    Setting mine = setting;
    mine.me = rankIn(setting.comm);
    state().current = "drawn step " + std::to_string(step) + ", kind " + std::to_string(kind) + ", " +
                      std::to_string(ranks) + " ranks, " + std::to_string(count) + " elements";
    kinds[kind](mine);
  }
  for (MPI_Comm& comm : comms)
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  for (int stride = 1; stride <= 3; ++stride) {
    MPI_Datatype type = types[stride];
    MPI_Type_free(&type);
  }
  MPI_Type_free(&mapType);
  MPI_Op_free(&composition);
  MPI_Op_free(&addition);
}

// Sums of numbers of any size depend on the order: the same call gives the same bits every time and at every
// rank, whatever happens in between.
void sameBits() {
  const int ranks = size();
  for (int count : {1, 6, 7, 300, 5000, 100000}) {
    std::vector<double> mine(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      mine[static_cast<std::size_t>(i)] =
          static_cast<double>(mix(static_cast<std::uint64_t>(rank() * 100003 + i))) * (i % 3 - 1.3) * 1e-9;
    std::vector<double> first;
    for (int round = 0; round < 5; ++round) {
      std::vector<double> result(mine.size());
      MPI_Allreduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (round == 0)
        first = result;
      CHECK(std::memcmp(first.data(), result.data(), result.size() * sizeof(double)) == 0);
      std::vector<double> theirs = result;
      MPI_Bcast(theirs.data(), count, MPI_DOUBLE, round % ranks, MPI_COMM_WORLD);
      CHECK(std::memcmp(theirs.data(), result.data(), result.size() * sizeof(double)) == 0);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {{"same-bits", sameBits}, {"drawn", [] { drawn(20260101, 700); }}});
}
#else
int main() {
  return 77; // persistent collectives came with MPI 4.0
}
#endif
