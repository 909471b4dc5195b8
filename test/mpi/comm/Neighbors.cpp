// Graphs, and neighbourhood collectives on them and on grids (MPI 4.1, 8.5 to 8.8).
#include "test/mpi/comm/Grid.h"

#include <algorithm>

using namespace check;

namespace {

enum class Way { blocking, background, persistent };

void finish(Way way, MPI_Request& request) {
  if (way == Way::background)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; way == Way::persistent && i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (way == Way::persistent)
    MPI_Request_free(&request);
}

// All five on a communicator whose neighbours are known. sentBy(i): which of the i-th source's blocks comes
// here.
void exchange(MPI_Comm comm, const std::vector<int>& sources, const std::vector<int>& destinations,
              const std::function<int(int)>& sentBy, Way way, int count) {
  const int me = rankIn(comm);
  const auto n = static_cast<std::size_t>(count);
  const auto ins = sources.size();
  const auto outs = destinations.size();
  MPI_Request request = MPI_REQUEST_NULL;
  const auto value = [](int from, int block) { return from * 100 + block; };

  const std::vector<int> mine(n, me);
  std::vector<int> in(n * ins, -1);
  if (way == Way::blocking)
    MPI_Neighbor_allgather(mine.data(), count, MPI_INT, in.data(), count, MPI_INT, comm);
  else if (way == Way::background)
    MPI_Ineighbor_allgather(mine.data(), count, MPI_INT, in.data(), count, MPI_INT, comm, &request);
#if CHECK_MPI_40
  else
    MPI_Neighbor_allgather_init(mine.data(), count, MPI_INT, in.data(), count, MPI_INT, comm, MPI_INFO_NULL,
                                &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < in.size(); ++i)
    CHECK_EQ(in[i], sources[i / n] == MPI_PROC_NULL ? -1 : sources[i / n]);

  std::vector<int> out(n * outs);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = value(me, static_cast<int>(i / n));
  in.assign(n * ins, -1);
  if (way == Way::blocking)
    MPI_Neighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm);
  else if (way == Way::background)
    MPI_Ineighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm, &request);
#if CHECK_MPI_40
  else
    MPI_Neighbor_alltoall_init(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm, MPI_INFO_NULL,
                               &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int block = static_cast<int>(i / n);
    CHECK_EQ(in[i], sources[i / n] == MPI_PROC_NULL ? -1 : value(sources[i / n], sentBy(block)));
  }

  // With lengths of their own: block b of rank r has (r + b) % 3 elements.
  const auto length = [](int from, int block) { return (from + block) % 3; };
  std::vector<int> outCounts(outs), outPlaces(outs), inCounts(ins), inPlaces(ins);
  std::vector<MPI_Aint> outBytes(outs), inBytes(ins);
  const std::vector<MPI_Datatype> outTypes(outs, MPI_INT), inTypes(ins, MPI_INT);
  for (std::size_t i = 0; i < outs; ++i) {
    outCounts[i] = length(me, static_cast<int>(i));
    outPlaces[i] = static_cast<int>(4 * i);
    outBytes[i] = static_cast<MPI_Aint>(16 * i);
  }
  for (std::size_t i = 0; i < ins; ++i) {
    inCounts[i] = sources[i] == MPI_PROC_NULL ? 2 : length(sources[i], sentBy(static_cast<int>(i)));
    inPlaces[i] = static_cast<int>(4 * (ins - 1 - i));
    inBytes[i] = static_cast<MPI_Aint>(16 * (ins - 1 - i));
  }
  out.assign(4 * outs, -2);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = value(me, static_cast<int>(i / 4));
  for (bool typed : {false, true}) {
    in.assign(4 * ins, -1);
    if (way == Way::blocking && typed)
      MPI_Neighbor_alltoallw(out.data(), outCounts.data(), outBytes.data(), outTypes.data(), in.data(),
                             inCounts.data(), inBytes.data(), inTypes.data(), comm);
    else if (way == Way::blocking)
      MPI_Neighbor_alltoallv(out.data(), outCounts.data(), outPlaces.data(), MPI_INT, in.data(),
                             inCounts.data(), inPlaces.data(), MPI_INT, comm);
    else if (way == Way::background && typed)
      MPI_Ineighbor_alltoallw(out.data(), outCounts.data(), outBytes.data(), outTypes.data(), in.data(),
                              inCounts.data(), inBytes.data(), inTypes.data(), comm, &request);
    else if (way == Way::background)
      MPI_Ineighbor_alltoallv(out.data(), outCounts.data(), outPlaces.data(), MPI_INT, in.data(),
                              inCounts.data(), inPlaces.data(), MPI_INT, comm, &request);
#if CHECK_MPI_40
    else if (typed)
      MPI_Neighbor_alltoallw_init(out.data(), outCounts.data(), outBytes.data(), outTypes.data(), in.data(),
                                  inCounts.data(), inBytes.data(), inTypes.data(), comm, MPI_INFO_NULL,
                                  &request);
    else
      MPI_Neighbor_alltoallv_init(out.data(), outCounts.data(), outPlaces.data(), MPI_INT, in.data(),
                                  inCounts.data(), inPlaces.data(), MPI_INT, comm, MPI_INFO_NULL, &request);
#endif
    finish(way, request);
    for (std::size_t i = 0; i < ins; ++i)
      for (int k = 0; k < 4; ++k) {
        const int found = in[4 * (ins - 1 - i) + static_cast<std::size_t>(k)];
        const bool written = sources[i] != MPI_PROC_NULL && k < inCounts[i];
        CHECK_EQ(found, written ? value(sources[i], sentBy(static_cast<int>(i))) : -1);
      }
  }

  for (std::size_t i = 0; i < ins; ++i)
    inCounts[i] = sources[i] == MPI_PROC_NULL ? 2 : length(sources[i], 0);
  in.assign(4 * ins, -1);
  const std::vector<int> few(2, me);
  if (way == Way::blocking)
    MPI_Neighbor_allgatherv(few.data(), length(me, 0), MPI_INT, in.data(), inCounts.data(), inPlaces.data(),
                            MPI_INT, comm);
  else if (way == Way::background)
    MPI_Ineighbor_allgatherv(few.data(), length(me, 0), MPI_INT, in.data(), inCounts.data(), inPlaces.data(),
                             MPI_INT, comm, &request);
#if CHECK_MPI_40
  else
    MPI_Neighbor_allgatherv_init(few.data(), length(me, 0), MPI_INT, in.data(), inCounts.data(),
                                 inPlaces.data(), MPI_INT, comm, MPI_INFO_NULL, &request);
#endif
  finish(way, request);
  for (std::size_t i = 0; i < ins; ++i)
    for (int k = 0; k < 4; ++k) {
      const bool written = sources[i] != MPI_PROC_NULL && k < inCounts[i];
      CHECK_EQ(in[4 * (ins - 1 - i) + static_cast<std::size_t>(k)], written ? sources[i] : -1);
    }
}

std::vector<Way> ways() {
  if (CHECK_MPI_40)
    return {Way::blocking, Way::background, Way::persistent};
  return {Way::blocking, Way::background};
}

void onGrids() {
  for (bool periodic : {false, true})
    for (int dimensions : {1, 2, 3}) {
      Grid grid(periodic, dimensions);
      if (!grid.isMember())
        continue;
      std::vector<int> neighbors;
      for (int i = 0; i < dimensions; ++i)
        for (int by : {-1, 1})
          neighbors.push_back(grid.shifted(rankIn(grid.comm), i, by));
      // What comes from below was sent upwards.
      for (Way way : ways())
        for (int count : {1, 3000})
          exchange(
              grid.comm, neighbors, neighbors, [](int i) { return i ^ 1; }, way, count);
    }
}

// The ring in both directions, as a graph.
void onGraphs() {
  const int n = size();
  std::vector<int> index;
  std::vector<int> edges;
  for (int r = 0; r < n; ++r) {
    edges.push_back((r + n - 1) % n);
    edges.push_back((r + 1) % n);
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, n, index.data(), edges.data(), 1, &comm), MPI_SUCCESS);
  int status = 0;
  MPI_Topo_test(comm, &status);
  CHECK_EQ(status, MPI_GRAPH);
  int nodes = 0;
  int count = 0;
  MPI_Graphdims_get(comm, &nodes, &count);
  CHECK_EQ(nodes, n);
  CHECK_EQ(count, 2 * n);
  std::vector<int> foundIndex(index.size(), -1);
  std::vector<int> foundEdges(edges.size(), -1);
  MPI_Graph_get(comm, n, 2 * n, foundIndex.data(), foundEdges.data());
  CHECK(foundIndex == index);
  CHECK(foundEdges == edges);
  MPI_Graph_neighbors_count(comm, n - 1, &count);
  CHECK_EQ(count, 2);
  int pair[2] = {-1, -1};
  MPI_Graph_neighbors(comm, n - 1, 2, pair);
  CHECK_EQ(pair[0], (n - 2 + n) % n);
  CHECK_EQ(pair[1], 0);
  int mapped = -1;
  MPI_Graph_map(MPI_COMM_WORLD, n, index.data(), edges.data(), &mapped);
  CHECK_EQ(mapped, rank());
  const std::vector<int> mine{(rank() + n - 1) % n, (rank() + 1) % n};
  // With two ranks or one both neighbours are the same process: blocks in order.
  for (Way way : ways())
    exchange(
        comm, mine, mine, [n](int i) { return n <= 2 ? i : i ^ 1; }, way, 5);
  MPI_Comm_free(&comm);

  MPI_Comm part = MPI_COMM_NULL;
  const int lone[1] = {0};
  MPI_Graph_create(MPI_COMM_WORLD, 1, lone, lone, 0, &part);
  CHECK_EQ(part != MPI_COMM_NULL, rank() == 0);
  if (part != MPI_COMM_NULL)
    MPI_Comm_free(&part);
}

// Rank r sends to r+1 (twice), r+3 and itself; described by the ranks themselves, and by rank 0 alone.
void onDistributedGraphs() {
  const int n = size();
  const int me = rank();
  const int steps[4] = {1, 1, 3, 0};
  std::vector<int> out;
  std::vector<int> in;
  for (int step : steps) {
    out.push_back((me + step) % n);
    in.push_back(((me - step) % n + n) % n);
  }
  const std::vector<int> weights{5, 6, 7, 8};
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, in.data(), weights.data(), 4, out.data(),
                                          weights.data(), MPI_INFO_NULL, 0, &comm),
           MPI_SUCCESS);
  int status = 0;
  MPI_Topo_test(comm, &status);
  CHECK_EQ(status, MPI_DIST_GRAPH);
  // Blocks between the same two ranks are matched in order.
  const auto match = [n](const std::vector<int>& sources, const std::vector<std::vector<int>>& targets,
                         int self) {
    std::vector<int> blocks;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      int nth = 0;
      for (std::size_t k = 0; k < i; ++k)
        nth += sources[k] == sources[i];
      const auto& theirs = targets[static_cast<std::size_t>(sources[i] % n)];
      int block = -1;
      for (std::size_t k = 0; k < theirs.size(); ++k)
        if (theirs[k] == self && nth-- == 0)
          block = static_cast<int>(k);
      blocks.push_back(block);
    }
    return blocks;
  };
  std::vector<std::vector<int>> targets(static_cast<std::size_t>(n));
  for (int r = 0; r < n; ++r)
    for (int step : steps)
      targets[static_cast<std::size_t>(r)].push_back((r + step) % n);
  for (Way way : ways()) {
    const std::vector<int> blocks = match(in, targets, me);
    exchange(
        comm, in, out, [&](int i) { return blocks[static_cast<std::size_t>(i)]; }, way, 100);
  }
  std::vector<int> found(4, -1);
  std::vector<int> foundWeights(4, -1);
  std::vector<int> rest(4, -1);
  MPI_Dist_graph_neighbors(comm, 4, found.data(), foundWeights.data(), 4, rest.data(), MPI_UNWEIGHTED);
  CHECK(found == in);
  CHECK(foundWeights == weights);
  CHECK(rest == out);
  MPI_Comm_free(&comm);

  // Rank 0 knows all edges.
  std::vector<int> sources;
  std::vector<int> degrees;
  std::vector<int> destinations;
  for (int r = 0; me == 0 && r < n; ++r) {
    sources.push_back(r);
    degrees.push_back(4);
    destinations.insert(destinations.end(), targets[static_cast<std::size_t>(r)].begin(),
                        targets[static_cast<std::size_t>(r)].end());
  }
  CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                 degrees.data(), destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm),
           MPI_SUCCESS);
  int indegree = -1;
  int outdegree = -1;
  int weighted = -1;
  MPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted);
  CHECK_EQ(indegree, 4);
  CHECK_EQ(outdegree, 4);
  CHECK_EQ(weighted, 0);
  MPI_Dist_graph_neighbors(comm, 4, found.data(), MPI_UNWEIGHTED, 4, rest.data(), MPI_UNWEIGHTED);
  CHECK(rest == out);
  std::vector<int> a = found;
  std::vector<int> b = in;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  CHECK(a == b);
  const std::vector<int> blocks = match(found, targets, me);
  exchange(
      comm, found, rest, [&](int i) { return blocks[static_cast<std::size_t>(i)]; }, Way::blocking, 10);
  MPI_Comm_free(&comm);

  // Nobody has neighbours.
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY, 0, nullptr, MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, 0, &comm);
  CHECK_EQ(
      MPI_Neighbor_alltoallv(nullptr, nullptr, nullptr, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, comm),
      MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(
      argc, argv,
      {{"on-grids", onGrids}, {"on-graphs", onGraphs}, {"on-distributed-graphs", onDistributedGraphs}});
}
