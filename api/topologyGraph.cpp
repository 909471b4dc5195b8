// Graphs of processes: MPI-5.0, sections 8.5.3, 8.5.4, 8.5.5 and 8.5.8.
//
// The constructors are collective and wait; the others are local. Any thread at MPI_THREAD_MULTIPLE. Errors:
// MPI_ERR_COMM, MPI_ERR_TOPOLOGY for a communicator without such a graph, MPI_ERR_RANK for edges to nowhere,
// MPI_ERR_ARG for null pointers and the rest, MPI_ERR_INFO; of the constructors MPI_ERR_OTHER when no context
// id is free, MPI_ERR_PROC_ABORTED.
#include "api/Checks.h"
#include "api/Guard.h"
#include "comm/ProcessTopology.h"
#include "mpl/Info.h"

#include <algorithm>

using namespace mpl;
using namespace mpl::api;

namespace {

Communicator& intraCommunicator(MPI_Comm handle) {
  return intraCommunicatorOf(handle, "which has no topology");
}

void checkNotNegative(const char* name, int number) {
  if (number < 0)
    fail(MPI_ERR_ARG, name, " is ", number, ", which is negative");
}

std::vector<int> checkedRanks(const char* name, const int* list, int count, int ranks) {
  if (count != 0)
    checkPointer(list, name);
  for (int i = 0; i < count; ++i)
    if (list[i] < 0 || list[i] >= ranks)
      fail(MPI_ERR_RANK, name, "[", i, "] is ", list[i], ", which is not in 0..", ranks - 1);
  return {list, list + count};
}

Graph checkedGraph(const Communicator& comm, int nnodes, const int index[], const int edges[]) {
  checkNotNegative("nnodes", nnodes);
  if (nnodes > comm.size())
    fail(MPI_ERR_ARG, "nnodes is ", nnodes, ", more than the ", comm.size(), " of ", comm.label());
  if (nnodes == 0)
    return {};
  checkPointer(index, "index");
  for (int i = 0; i < nnodes; ++i)
    if (index[i] < (i == 0 ? 0 : index[i - 1]))
      fail(MPI_ERR_ARG, "index[", i, "] is ", index[i], ", less than the one before");
  return {{index, index + nnodes}, checkedRanks("edges", edges, index[nnodes - 1], nnodes)};
}

const Graph& graphOfHandle(MPI_Comm comm) {
  return graphOf(communicatorOf(comm));
}

std::span<const int> neighborsIn(const Graph& graph, int rank) {
  if (rank < 0 || rank >= static_cast<int>(graph.index.size()))
    fail(MPI_ERR_RANK, "rank is ", rank, ", which is not in 0..", graph.index.size() - 1);
  return graph.neighbors(rank);
}

// As much as there is room for.
void store(std::span<const int> from, int* to, int room, const char* name) {
  const auto count = std::min(from.size(), static_cast<std::size_t>(std::max(room, 0)));
  if (count != 0)
    checkPointer(to, name);
  std::copy_n(from.begin(), count, to);
}

bool isWeighted(const int* weights) {
  return weights != MPI_UNWEIGHTED;
}

std::vector<int> checkedWeights(const char* name, const int* weights, int count) {
  if (!isWeighted(weights) || weights == MPI_WEIGHTS_EMPTY || count == 0) {
    if (weights == MPI_WEIGHTS_EMPTY && count != 0)
      fail(MPI_ERR_ARG, name, " is MPI_WEIGHTS_EMPTY, but there are ", count, " edges");
    return std::vector<int>(static_cast<std::size_t>(count), 1);
  }
  checkPointer(weights, name);
  for (int i = 0; i < count; ++i)
    if (weights[i] < 0)
      fail(MPI_ERR_ARG, name, "[", i, "] is ", weights[i], ", which is negative");
  return {weights, weights + count};
}

} // namespace

extern "C" {

/// index: of nnodes numbers, how many edges ranks 0 to i have together; edges: their other ends. Processes
/// beyond nnodes get MPI_COMM_NULL. reorder: the order of ranks stays.
int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int,
                      MPI_Comm* comm_graph) {
  return guarded("MPI_Graph_create", comm_old, [&] {
    checkPointer(comm_graph, "comm_graph");
    Communicator& parent = intraCommunicator(comm_old);
    *comm_graph = createGraph(parent, checkedGraph(parent, nnodes, index, edges));
  });
}

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  return guarded("MPI_Graphdims_get", comm, [&] {
    const Graph& graph = graphOfHandle(comm);
    checkPointer(nnodes, "nnodes");
    checkPointer(nedges, "nedges");
    *nnodes = static_cast<int>(graph.index.size());
    *nedges = static_cast<int>(graph.edges.size());
  });
}

/// maxindex, maxedges: room; no more is stored.
int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  return guarded("MPI_Graph_get", comm, [&] {
    const Graph& graph = graphOfHandle(comm);
    store(graph.index, index, maxindex, "index");
    store(graph.edges, edges, maxedges, "edges");
  });
}

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  return guarded("MPI_Graph_neighbors_count", comm, [&] {
    const Graph& graph = graphOfHandle(comm);
    checkPointer(nneighbors, "nneighbors");
    *nneighbors = static_cast<int>(neighborsIn(graph, rank).size());
  });
}

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  return guarded("MPI_Graph_neighbors", comm, [&] {
    store(neighborsIn(graphOfHandle(comm), rank), neighbors, maxneighbors, "neighbors");
  });
}

/// newrank: this process's in such a graph, MPI_UNDEFINED where it is beyond it.
int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  return guarded("MPI_Graph_map", comm, [&] {
    const Communicator& parent = intraCommunicator(comm);
    checkPointer(newrank, "newrank");
    const Graph graph = checkedGraph(parent, nnodes, index, edges);
    const bool member = parent.rank() < static_cast<int>(graph.index.size());
    *newrank = member ? parent.rank() : MPI_UNDEFINED;
  });
}

/// sources, destinations: this process's neighbours, with weights or MPI_UNWEIGHTED (at all processes alike).
/// reorder: the order of ranks stays.
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree, const int destinations[],
                                    const int destweights[], MPI_Info info, int, MPI_Comm* comm_dist_graph) {
  return guarded("MPI_Dist_graph_create_adjacent", comm_old, [&] {
    checkPointer(comm_dist_graph, "comm_dist_graph");
    Communicator& parent = intraCommunicator(comm_old);
    infoOrNull(info);
    checkNotNegative("indegree", indegree);
    checkNotNegative("outdegree", outdegree);
    if (isWeighted(sourceweights) != isWeighted(destweights))
      fail(MPI_ERR_ARG, "one of sourceweights and destweights is MPI_UNWEIGHTED and the other is not");
    *comm_dist_graph = createDistributedGraph(
        parent,
        DistributedGraph{checkedRanks("sources", sources, indegree, parent.size()),
                         checkedRanks("destinations", destinations, outdegree, parent.size()),
                         isWeighted(sourceweights), checkedWeights("sourceweights", sourceweights, indegree),
                         checkedWeights("destweights", destweights, outdegree)});
  });
}

/// sources: n ranks, from each of which degrees[i] edges lead to the next of destinations; weights: of the
/// edges, or MPI_UNWEIGHTED (at all processes alike). Each process gives any edges of the whole graph.
int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info info, int,
                           MPI_Comm* comm_dist_graph) {
  return guarded("MPI_Dist_graph_create", comm_old, [&] {
    checkPointer(comm_dist_graph, "comm_dist_graph");
    Communicator& parent = intraCommunicator(comm_old);
    infoOrNull(info);
    checkNotNegative("n", n);
    const std::vector<int> from = checkedRanks("sources", sources, n, parent.size());
    if (n != 0)
      checkPointer(degrees, "degrees");
    int edgeCount = 0;
    for (int i = 0; i < n; ++i) {
      checkNotNegative("a degree", degrees[i]);
      edgeCount += degrees[i];
    }
    const std::vector<int> to = checkedRanks("destinations", destinations, edgeCount, parent.size());
    const std::vector<int> weight = checkedWeights("weights", weights, edgeCount);
    std::vector<Edge> edges;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < degrees[i]; ++k) {
        const std::size_t at = edges.size();
        edges.push_back({from[static_cast<std::size_t>(i)], to[at], weight[at]});
      }
    *comm_dist_graph = createDistributedGraph(parent, edges, isWeighted(weights));
  });
}

/// weighted: 0 where the graph was made with MPI_UNWEIGHTED.
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  return guarded("MPI_Dist_graph_neighbors_count", comm, [&] {
    const DistributedGraph& graph = distributedGraphOf(communicatorOf(comm));
    checkPointer(indegree, "indegree");
    checkPointer(outdegree, "outdegree");
    checkPointer(weighted, "weighted");
    *indegree = static_cast<int>(graph.sources.size());
    *outdegree = static_cast<int>(graph.destinations.size());
    *weighted = graph.weighted ? 1 : 0;
  });
}

/// maxindegree, maxoutdegree: room; no more is stored. Weights may be MPI_UNWEIGHTED where they are not
/// wanted or there are none.
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[]) {
  return guarded("MPI_Dist_graph_neighbors", comm, [&] {
    const DistributedGraph& graph = distributedGraphOf(communicatorOf(comm));
    store(graph.sources, sources, maxindegree, "sources");
    store(graph.destinations, destinations, maxoutdegree, "destinations");
    if (graph.weighted && isWeighted(sourceweights) && sourceweights != MPI_WEIGHTS_EMPTY)
      store(graph.sourceWeights, sourceweights, maxindegree, "sourceweights");
    if (graph.weighted && isWeighted(destweights) && destweights != MPI_WEIGHTS_EMPTY)
      store(graph.destinationWeights, destweights, maxoutdegree, "destweights");
  });
}

} // extern "C"

#include "api/topologyGraph.aliases.h"
