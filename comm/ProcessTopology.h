#pragma once

#include "mpi.h"

#include "coll/Neighborhood.h"
#include "pt2pt/Communicator.h"

#include <span>
#include <variant>
#include <vector>

namespace mpl {

/// A grid of processes, the last dimension running fastest (MPI-5.0, section 8.5).
class Cartesian {
public:
  Cartesian(std::vector<int> dims, std::vector<int> periods)
      : dims_(std::move(dims)), periods_(std::move(periods)) {}

  int dimensions() const noexcept { return static_cast<int>(dims_.size()); }
  std::span<const int> dims() const noexcept { return dims_; }
  std::span<const int> periods() const noexcept { return periods_; }
  int processes() const noexcept;

  std::vector<int> coordinates(int rank) const;
  /// Periodic coordinates are taken round; MPI_PROC_NULL where another one is out of range.
  int rankAt(std::span<const int> coordinates) const noexcept;
  /// The rank `distance` further on in a dimension, or MPI_PROC_NULL.
  int neighbor(int rank, int dimension, int distance) const;

  Neighborhood neighborhood(int rank) const;

private:
  std::vector<int> dims_;
  std::vector<int> periods_;
};

/// The graph of MPI_Graph_create, known as a whole at every process: index[i] edges belong to ranks 0 to i.
struct Graph {
  std::vector<int> index;
  std::vector<int> edges;

  std::span<const int> neighbors(int rank) const noexcept;
  Neighborhood neighborhood(int rank) const;
};

/// The edges of this process in a distributed graph.
struct DistributedGraph {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool weighted = false;
  std::vector<int> sourceWeights; ///< where weighted
  std::vector<int> destinationWeights;

  Neighborhood neighborhood() const;
};

/// The virtual topology of a communicator. Unchanging; copies of the communicator share it.
class ProcessTopology {
public:
  using Shape = std::variant<Cartesian, Graph, DistributedGraph>;

  ProcessTopology(Shape shape, Neighborhood neighborhood)
      : shape_(std::move(shape)), neighborhood_(std::move(neighborhood)) {}

  /// MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH.
  int kind() const noexcept;
  template <class T> const T* as() const noexcept { return std::get_if<T>(&shape_); }
  const Neighborhood& neighborhood() const noexcept { return neighborhood_; }

private:
  Shape shape_;
  Neighborhood neighborhood_;
};

/// The topology of a communicator that has one. Errors: MPI_ERR_TOPOLOGY.
const ProcessTopology& topologyOf(const Communicator& comm);
const Cartesian& cartesianOf(const Communicator& comm);
const Graph& graphOf(const Communicator& comm);
const DistributedGraph& distributedGraphOf(const Communicator& comm);

/// The constructors are collective over the parent and wait; errors: those of split(). The arguments are
/// checked: the grid or graph has no more processes than the parent. Processes beyond it get MPI_COMM_NULL.
/// reorder: ranks follow the machine, so that neighbouring ranks are close to each other.
MPI_Comm createCartesian(Communicator& parent, Cartesian grid, bool reorder);
MPI_Comm createGraph(Communicator& parent, Graph graph);
MPI_Comm createDistributedGraph(Communicator& parent, DistributedGraph graph);

/// One edge of a graph that its processes describe together.
struct Edge {
  int source;
  int destination;
  int weight;
};
/// Every process gives any edges, between any ranks of the parent.
MPI_Comm createDistributedGraph(Communicator& parent, std::span<const Edge> edges, bool weighted);

/// The part of the grid in which the coordinates of the dropped dimensions are this process's.
MPI_Comm subgrid(Communicator& comm, std::span<const int> keep);

/// Sets the zeros of dims so that all multiply to `processes`, close to each other and in falling order.
/// Errors: MPI_ERR_DIMS where that is not possible.
void balanceDimensions(int processes, std::span<int> dims);

} // namespace mpl
