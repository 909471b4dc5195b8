#pragma once

#include <vector>

namespace mpl {

/// Whom this process receives from and sends to in neighbourhood collectives, in the order of the blocks.
/// MPI_PROC_NULL beyond the border of a grid. A process may occur several times: then the first block sent to
/// it is for the first of its sources that are this process, in its receiveOrder.
struct Neighborhood {
  std::vector<int> sources;
  std::vector<int> destinations;
  /// The order in which the sources are received from; all of them.
  std::vector<int> receiveOrder;

  int indegree() const noexcept { return static_cast<int>(sources.size()); }
  int outdegree() const noexcept { return static_cast<int>(destinations.size()); }
};

} // namespace mpl
