#include "comm/ProcessTopology.h"

#include <algorithm>
#include <numeric>

namespace mpl {

int Cartesian::processes() const noexcept {
  return std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>());
}

std::vector<int> Cartesian::coordinates(int rank) const {
  std::vector<int> found(dims_.size());
  for (std::size_t i = dims_.size(); i-- > 0; rank /= dims_[i])
    found[i] = rank % dims_[i];
  return found;
}

int Cartesian::rankAt(std::span<const int> coordinates) const noexcept {
  int rank = 0;
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    int place = coordinates[i];
    if (periods_[i] != 0)
      place = (place % dims_[i] + dims_[i]) % dims_[i];
    else if (place < 0 || place >= dims_[i])
      return MPI_PROC_NULL;
    rank = rank * dims_[i] + place;
  }
  return rank;
}

int Cartesian::neighbor(int rank, int dimension, int distance) const {
  std::vector<int> place = coordinates(rank);
  const auto i = static_cast<std::size_t>(dimension);
  if (periods_[i] != 0)
    distance %= dims_[i]; // the sum below must not overflow
  if (__builtin_add_overflow(place[i], distance, &place[i]))
    return MPI_PROC_NULL;
  return rankAt(place);
}

// Blocks in the order of dimensions, towards smaller coordinates first. What comes from the one side was sent
// to the other: where both neighbours are the same process (2 or 1 in a periodic dimension), its first block
// was sent to its lower side and arrives here from above.
Neighborhood Cartesian::neighborhood(int rank) const {
  Neighborhood found;
  for (int i = 0; i < dimensions(); ++i) {
    for (int side : {-1, 1})
      found.sources.push_back(neighbor(rank, i, side));
    found.receiveOrder.push_back(2 * i + 1);
    found.receiveOrder.push_back(2 * i);
  }
  found.destinations = found.sources;
  return found;
}

namespace {

Neighborhood inOrder(std::vector<int> sources, std::vector<int> destinations) {
  Neighborhood found{std::move(sources), std::move(destinations), {}};
  found.receiveOrder.resize(found.sources.size());
  std::iota(found.receiveOrder.begin(), found.receiveOrder.end(), 0);
  return found;
}

template <class T> const T& shapeOf(const Communicator& comm, const char* kind) {
  const T* shape = comm.topology ? comm.topology->as<T>() : nullptr;
  if (shape == nullptr)
    fail(MPI_ERR_TOPOLOGY, comm.label(), " has no ", kind, " topology");
  return *shape;
}

} // namespace

std::span<const int> Graph::neighbors(int rank) const noexcept {
  const auto at = static_cast<std::size_t>(rank);
  const auto from = static_cast<std::size_t>(rank == 0 ? 0 : index[at - 1]);
  return std::span(edges).subspan(from, static_cast<std::size_t>(index[at]) - from);
}

Neighborhood Graph::neighborhood(int rank) const {
  const auto list = neighbors(rank);
  return inOrder({list.begin(), list.end()}, {list.begin(), list.end()});
}

Neighborhood DistributedGraph::neighborhood() const {
  return inOrder(sources, destinations);
}

int ProcessTopology::kind() const noexcept {
  if (as<Cartesian>() != nullptr)
    return MPI_CART;
  return as<Graph>() != nullptr ? MPI_GRAPH : MPI_DIST_GRAPH;
}

const ProcessTopology& topologyOf(const Communicator& comm) {
  if (!comm.topology)
    fail(MPI_ERR_TOPOLOGY, comm.label(), " has no topology");
  return *comm.topology;
}

const Cartesian& cartesianOf(const Communicator& comm) {
  return shapeOf<Cartesian>(comm, "Cartesian");
}
const Graph& graphOf(const Communicator& comm) {
  return shapeOf<Graph>(comm, "graph");
}
const DistributedGraph& distributedGraphOf(const Communicator& comm) {
  return shapeOf<DistributedGraph>(comm, "distributed graph");
}

} // namespace mpl
