#include "comm/Constructors.h"
#include "comm/ProcessTopology.h"
#include "comm/SplitType.h"

#include "coll/Calls.h"

#include <algorithm>
#include <numeric>

namespace mpl {

namespace {

MPI_Comm withTopology(MPI_Comm handle, ProcessTopology::Shape shape, Neighborhood neighborhood) {
  if (handle != MPI_COMM_NULL)
    communicatorOf(handle).topology =
        std::make_shared<const ProcessTopology>(std::move(shape), std::move(neighborhood));
  return handle;
}

// Distributes edges: `to` gives the rank that has to know of an edge. In the order of the ranks that gave
// them.
class EdgeExchange {
public:
  EdgeExchange(Communicator& parent, std::span<const Edge> edges) : parent_(parent), edges_(edges) {}

  template <class To> std::vector<Edge> run(To&& to) const {
    const auto size = static_cast<std::size_t>(parent_.size());
    std::vector<int> leaving(size, 0);
    for (const Edge& edge : edges_)
      ++leaving[static_cast<std::size_t>(to(edge))];
    std::vector<int> arriving(size, 0);
    const Datatype& number = datatypeOf(MPI_INT);
    mpl::run(AlltoallCall{&parent_, Parts(leaving.data(), 1, number), Parts(arriving.data(), 1, number)});

    std::vector<Edge> sorted(edges_.begin(), edges_.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Edge& a, const Edge& b) { return to(a) < to(b); });
    const auto total =
        std::accumulate(arriving.begin(), arriving.end(), std::size_t{0},
                        [](std::size_t sum, int n) { return sum + static_cast<std::size_t>(n); });
    std::vector<Edge> found(total);
    const Layout out(leaving);
    const Layout in(arriving);
    const Datatype& byte = datatypeOf(MPI_BYTE);
    mpl::run(AlltoallCall{&parent_, Parts(sorted.data(), out.counts.data(), out.places.data(), byte),
                          Parts(found.data(), in.counts.data(), in.places.data(), byte)});
    return found;
  }

private:
  // Of the edges for each rank, in bytes.
  struct Layout {
    std::vector<MPI_Count> counts;
    std::vector<MPI_Aint> places;
    explicit Layout(const std::vector<int>& edges) {
      MPI_Aint place = 0;
      for (const int n : edges) {
        counts.push_back(static_cast<MPI_Count>(n * sizeof(Edge)));
        places.push_back(place);
        place += counts.back();
      }
    }
  };

  Communicator& parent_;
  std::span<const Edge> edges_;
};

} // namespace

MPI_Comm createCartesian(Communicator& parent, Cartesian grid, bool reorder) {
  // Where the machine does not matter the order of ranks stays.
  const int place = reorder ? placeInMachine(parent) : parent.rank();
  const bool member = place < grid.processes();
  const MPI_Comm made = split(parent, member ? 0 : MPI_UNDEFINED, place);
  if (!member)
    return MPI_COMM_NULL;
  Neighborhood neighborhood = grid.neighborhood(place);
  return withTopology(made, std::move(grid), std::move(neighborhood));
}

MPI_Comm createGraph(Communicator& parent, Graph graph) {
  const int rank = parent.rank();
  const bool member = rank < static_cast<int>(graph.index.size());
  const MPI_Comm made = split(parent, member ? 0 : MPI_UNDEFINED, rank);
  if (!member)
    return MPI_COMM_NULL;
  Neighborhood neighborhood = graph.neighborhood(rank);
  return withTopology(made, std::move(graph), std::move(neighborhood));
}

MPI_Comm createDistributedGraph(Communicator& parent, DistributedGraph graph) {
  const MPI_Comm made = createFromGroup(parent, parent.group());
  Neighborhood neighborhood = graph.neighborhood();
  return withTopology(made, std::move(graph), std::move(neighborhood));
}

MPI_Comm createDistributedGraph(Communicator& parent, std::span<const Edge> edges, bool weighted) {
  const EdgeExchange exchange(parent, edges);
  DistributedGraph graph;
  graph.weighted = weighted;
  for (const Edge& edge : exchange.run([](const Edge& e) { return e.source; })) {
    graph.destinations.push_back(edge.destination);
    graph.destinationWeights.push_back(edge.weight);
  }
  for (const Edge& edge : exchange.run([](const Edge& e) { return e.destination; })) {
    graph.sources.push_back(edge.source);
    graph.sourceWeights.push_back(edge.weight);
  }
  return createDistributedGraph(parent, std::move(graph));
}

MPI_Comm subgrid(Communicator& comm, std::span<const int> keep) {
  const Cartesian& grid = cartesianOf(comm);
  const std::vector<int> place = grid.coordinates(comm.rank());
  std::vector<int> dims;
  std::vector<int> periods;
  int color = 0;
  int key = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (keep[i] != 0) {
      dims.push_back(grid.dims()[i]);
      periods.push_back(grid.periods()[i]);
      key = key * grid.dims()[i] + place[i];
    } else {
      color = color * grid.dims()[i] + place[i];
    }
  }
  Cartesian part(std::move(dims), std::move(periods));
  Neighborhood neighborhood = part.neighborhood(key);
  return withTopology(split(comm, color, key), std::move(part), std::move(neighborhood));
}

namespace {

// Divides n into falling factors, none above `most`, the largest as small as it can be; false where there is
// no such way.
bool divide(int n, int most, std::span<int> factors) {
  if (factors.empty())
    return n == 1;
  if (factors.size() == 1) {
    factors[0] = n;
    return n <= most;
  }
  for (int largest = 1; largest <= std::min(n, most); ++largest) {
    if (n % largest != 0)
      continue;
    // Too small to leave factors that are no larger?
    long long reach = 1;
    for (std::size_t i = 0; i < factors.size() && reach < n; ++i)
      reach *= largest;
    if (reach < n)
      continue;
    factors[0] = largest;
    if (divide(n / largest, largest, factors.subspan(1)))
      return true;
  }
  return false;
}

} // namespace

void balanceDimensions(int processes, std::span<int> dims) {
  int rest = processes;
  std::vector<int> factors;
  for (const int dim : dims) {
    if (dim < 0)
      fail(MPI_ERR_DIMS, "a dimension is ", dim, ", which is negative");
    if (dim == 0) {
      factors.push_back(1);
      continue;
    }
    if (rest % dim != 0)
      fail(MPI_ERR_DIMS, processes, " processes do not fill a grid with the given dimensions");
    rest /= dim;
  }
  if (factors.empty() ? rest != 1 && !dims.empty() : !divide(rest, rest, factors))
    fail(MPI_ERR_DIMS, processes, " processes do not fill a grid with the given dimensions");
  auto next = factors.begin();
  for (int& dim : dims)
    if (dim == 0)
      dim = *next++;
}

} // namespace mpl
