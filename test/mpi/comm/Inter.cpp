// Messages and all collectives, in three ways, on inter-communicators (MPI 4.1, 6.2.3 and 7.6).
#include "test/mpi/comm/Pair.h"

#include <algorithm>

using namespace check;

namespace {

void messages() {
  Pair pair;
  MPI_Status status;
  // Everybody to everybody on the other side, by name and by wildcard.
  for (int round = 0; round < 2; ++round) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(pair.remoteSize));
    const std::vector<int> out(300, pair.own());
    for (int to = 0; to < pair.remoteSize; ++to)
      MPI_Isend(out.data(), 300, MPI_INT, to, round, pair.inter, &requests[static_cast<std::size_t>(to)]);
    std::vector<bool> seen(static_cast<std::size_t>(pair.remoteSize), false);
    for (int i = 0; i < pair.remoteSize; ++i) {
      std::vector<int> in(300, -1);
      MPI_Recv(in.data(), 300, MPI_INT, round == 0 ? i : MPI_ANY_SOURCE, MPI_ANY_TAG, pair.inter, &status);
      CHECK_EQ(status.MPI_TAG, round);
      CHECK_EQ(in[0], pair.other(status.MPI_SOURCE));
      CHECK_EQ(in[299], pair.other(status.MPI_SOURCE));
      CHECK(!seen[static_cast<std::size_t>(status.MPI_SOURCE)]);
      seen[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    }
    MPI_Waitall(pair.remoteSize, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(pair.inter);
  }
  // Matched probes and synchronous sends.
  if (pair.me < std::min(pair.localSize, pair.remoteSize)) {
    MPI_Request request;
    const int mine = pair.own();
    MPI_Issend(&mine, 1, MPI_INT, pair.me, 5, pair.inter, &request);
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 5, pair.inter, &message, &status);
    int theirs = -1;
    MPI_Mrecv(&theirs, 1, MPI_INT, &message, &status);
    CHECK_EQ(theirs, pair.other(pair.me));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(pair.inter);
}

// The ways to run a collective: `way` 0 blocking, 1 non-blocking, 2 persistent, started twice.
void finish(int way, MPI_Request& request) {
  if (way == 2) {
    for (int i = 0; i < 2; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  } else if (way == 1) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int rootFor(const Pair& pair, bool rootInSecond, int root) {
  if (pair.second != rootInSecond)
    return root;
  return pair.me == root ? MPI_ROOT : MPI_PROC_NULL;
}

void rooted(const Pair& pair, int way, bool rootInSecond, int count) {
  const auto n = static_cast<std::size_t>(count);
  const int groupSize = pair.second == rootInSecond ? pair.localSize : pair.remoteSize;
  const int rootRank = groupSize - 1;
  const int root = rootFor(pair, rootInSecond, rootRank);
  MPI_Request request = MPI_REQUEST_NULL;

  std::vector<int> data(n, root == MPI_ROOT ? 4711 : -1);
  if (way == 0)
    MPI_Bcast(data.data(), count, MPI_INT, root, pair.inter);
  else if (way == 1)
    MPI_Ibcast(data.data(), count, MPI_INT, root, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Bcast_init(data.data(), count, MPI_INT, root, pair.inter, MPI_INFO_NULL, &request);
#endif
  finish(way, request);
  const int wanted = root == MPI_PROC_NULL ? -1 : 4711;
  CHECK_EQ(std::count(data.begin(), data.end(), wanted), count);

  const std::vector<int> mine(n, pair.own());
  std::vector<int> all(n * static_cast<std::size_t>(pair.remoteSize), -1);
  if (way == 0)
    MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, pair.inter);
  else if (way == 1)
    MPI_Igather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Gather_init(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, pair.inter, MPI_INFO_NULL,
                    &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK_EQ(all[i], root == MPI_ROOT ? pair.other(static_cast<int>(i / n)) : -1);

  std::vector<int> part(n, -1);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int>(i / n) * 10;
  if (way == 0)
    MPI_Scatter(all.data(), count, MPI_INT, part.data(), count, MPI_INT, root, pair.inter);
  else if (way == 1)
    MPI_Iscatter(all.data(), count, MPI_INT, part.data(), count, MPI_INT, root, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Scatter_init(all.data(), count, MPI_INT, part.data(), count, MPI_INT, root, pair.inter, MPI_INFO_NULL,
                     &request);
#endif
  finish(way, request);
  const bool receives = root >= 0;
  CHECK_EQ(std::count(part.begin(), part.end(), receives ? pair.me * 10 : -1), count);

  std::vector<int> sum(n, -1);
  if (way == 0)
    MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, pair.inter);
  else if (way == 1)
    MPI_Ireduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Reduce_init(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, pair.inter, MPI_INFO_NULL,
                    &request);
#endif
  finish(way, request);
  CHECK_EQ(std::count(sum.begin(), sum.end(), root == MPI_ROOT ? pair.sumOfOthers() : -1), count);
}

void allToAll(const Pair& pair, int way, int count) {
  const auto n = static_cast<std::size_t>(count);
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<int> mine(n, pair.own());
  std::vector<int> all(n * static_cast<std::size_t>(pair.remoteSize), -1);
  if (way == 0)
    MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter);
  else if (way == 1)
    MPI_Iallgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Allgather_init(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter, MPI_INFO_NULL,
                       &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK_EQ(all[i], pair.other(static_cast<int>(i / n)));

  std::vector<int> out(all.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = pair.own() * 100 + static_cast<int>(i / n);
  if (way == 0)
    MPI_Alltoall(out.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter);
  else if (way == 1)
    MPI_Ialltoall(out.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Alltoall_init(out.data(), count, MPI_INT, all.data(), count, MPI_INT, pair.inter, MPI_INFO_NULL,
                      &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK_EQ(all[i], pair.other(static_cast<int>(i / n)) * 100 + pair.me);

  std::vector<int> sum(n, -1);
  if (way == 0)
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, pair.inter);
  else if (way == 1)
    MPI_Iallreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Allreduce_init(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, pair.inter, MPI_INFO_NULL, &request);
#endif
  finish(way, request);
  CHECK_EQ(std::count(sum.begin(), sum.end(), pair.sumOfOthers()), count);

  // Both groups give vectors of the same length, which each divides among its own.
  const int block = count * pair.remoteSize;
  const std::vector<int> whole(static_cast<std::size_t>(block * pair.localSize), pair.own());
  std::vector<int> share(static_cast<std::size_t>(block), -1);
  if (way == 0)
    MPI_Reduce_scatter_block(whole.data(), share.data(), block, MPI_INT, MPI_SUM, pair.inter);
  else if (way == 1)
    MPI_Ireduce_scatter_block(whole.data(), share.data(), block, MPI_INT, MPI_SUM, pair.inter, &request);
#if CHECK_MPI_40
  else
    MPI_Reduce_scatter_block_init(whole.data(), share.data(), block, MPI_INT, MPI_SUM, pair.inter,
                                  MPI_INFO_NULL, &request);
#endif
  finish(way, request);
  CHECK_EQ(std::count(share.begin(), share.end(), pair.sumOfOthers()), block);

  if (way == 1) {
    MPI_Ibarrier(pair.inter, &request);
    finish(way, request);
  } else {
    MPI_Barrier(pair.inter);
  }
}

// Lengths of their own for every pair, and reduce-scatter in unequal parts.
void unequal() {
  Pair pair;
  const auto others = static_cast<std::size_t>(pair.remoteSize);
  std::vector<int> counts(others);
  std::vector<int> places(others);
  int total = 0;
  for (int i = 0; i < pair.remoteSize; ++i) {
    counts[static_cast<std::size_t>(i)] = pair.other(i) % 7;
    places[static_cast<std::size_t>(i)] = total;
    total += counts[static_cast<std::size_t>(i)] + 1;
  }
  const std::vector<int> mine(7, pair.own());
  std::vector<int> all(static_cast<std::size_t>(total), -1);
  MPI_Allgatherv(mine.data(), pair.own() % 7, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                 pair.inter);
  for (int i = 0; i < pair.remoteSize; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto* from = all.data() + places[at];
    CHECK_EQ(std::count(from, from + counts[at], pair.other(i)), counts[at]);
    CHECK_EQ(from[counts[at]], -1);
  }

  std::vector<int> sendCounts(others);
  std::vector<int> receiveCounts(others);
  std::vector<int> bytes(others);
  const std::vector<MPI_Datatype> types(others, MPI_INT);
  std::vector<int> outPlaces(others);
  int outTotal = 0;
  total = 0;
  for (int i = 0; i < pair.remoteSize; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sendCounts[at] = (pair.own() + pair.other(i)) % 5;
    receiveCounts[at] = sendCounts[at];
    places[at] = total;
    bytes[at] = total * static_cast<int>(sizeof(int));
    total += receiveCounts[at];
    outPlaces[at] = outTotal;
    outTotal += sendCounts[at];
  }
  const std::vector<int> out(static_cast<std::size_t>(outTotal), pair.own());
  for (bool withTypes : {false, true}) {
    all.assign(static_cast<std::size_t>(total), -1);
    if (withTypes)
      MPI_Alltoallw(out.data(), sendCounts.data(), bytes.data(), types.data(), all.data(),
                    receiveCounts.data(), bytes.data(), types.data(), pair.inter);
    else
      MPI_Alltoallv(out.data(), sendCounts.data(), outPlaces.data(), MPI_INT, all.data(),
                    receiveCounts.data(), places.data(), MPI_INT, pair.inter);
    for (int i = 0; i < pair.remoteSize; ++i) {
      const auto* from = all.data() + places[static_cast<std::size_t>(i)];
      CHECK_EQ(std::count(from, from + receiveCounts[static_cast<std::size_t>(i)], pair.other(i)),
               receiveCounts[static_cast<std::size_t>(i)]);
    }
  }

  // 60 elements: all but the last rank get few.
  std::vector<int> parts(static_cast<std::size_t>(pair.localSize), 2);
  parts.back() = 60 - 2 * (pair.localSize - 1);
  std::vector<int> whole(60);
  for (int i = 0; i < 60; ++i)
    whole[static_cast<std::size_t>(i)] = pair.own() + i;
  std::vector<int> share(60, -1);
  MPI_Reduce_scatter(whole.data(), share.data(), parts.data(), MPI_INT, MPI_SUM, pair.inter);
  for (int i = 0; i < parts[static_cast<std::size_t>(pair.me)]; ++i)
    CHECK_EQ(share[static_cast<std::size_t>(i)], pair.sumOfOthers() + (2 * pair.me + i) * pair.remoteSize);
}

void collectives() {
  Pair pair;
  for (int way = 0; way < (CHECK_MPI_40 ? 3 : 2); ++way)
    for (int count : {1, 50, 20000}) {
      rooted(pair, way, false, count);
      rooted(pair, way, true, count);
      allToAll(pair, way, count);
    }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"messages", messages, 2}, {"collectives", collectives, 2}, {"unequal", unequal, 2}});
}
