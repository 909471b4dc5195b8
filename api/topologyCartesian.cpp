// Grids of processes: MPI-5.0, sections 8.5.1, 8.5.2 and 8.5.5 to 8.5.8.
//
// MPI_Cart_create and MPI_Cart_sub are collective and wait; the others are local. Any thread at
// MPI_THREAD_MULTIPLE. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY for a communicator that is no grid,
// MPI_ERR_DIMS for dimensions that make none, MPI_ERR_RANK, MPI_ERR_ARG for null pointers and the rest; of
// the constructors MPI_ERR_OTHER when no context id is free, MPI_ERR_PROC_ABORTED.
#include "api/Checks.h"
#include "api/Guard.h"
#include "comm/ProcessTopology.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <climits>

using namespace mpl;
using namespace mpl::api;

namespace {

Communicator& intraCommunicator(MPI_Comm handle) {
  return intraCommunicatorOf(handle, "which has no topology");
}

const Cartesian& gridOf(MPI_Comm handle) {
  return cartesianOf(intraCommunicator(handle));
}

// Of at most as many processes as comm has.
Cartesian checkedGrid(const Communicator& comm, int ndims, const int dims[], const int periods[]) {
  if (ndims < 0)
    fail(MPI_ERR_DIMS, "ndims is ", ndims, ", which is negative");
  if (ndims != 0) {
    checkPointer(dims, "dims");
    checkPointer(periods, "periods");
  }
  long long processes = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0)
      fail(MPI_ERR_DIMS, "dims[", i, "] is ", dims[i], ", which is no length");
    processes *= dims[i];
    if (processes > comm.size())
      fail(MPI_ERR_DIMS, "the grid has more processes than the ", comm.size(), " of ", comm.label());
  }
  return Cartesian({dims, dims + ndims}, {periods, periods + ndims});
}

void checkRoom(const char* name, int room, int needed) {
  if (room < needed)
    fail(MPI_ERR_ARG, name, " is ", room, ", but ", needed, " numbers are to be stored");
}

void checkGridRank(const Cartesian& grid, int rank) {
  if (rank < 0 || rank >= grid.processes())
    fail(MPI_ERR_RANK, "rank is ", rank, ", which is not in the grid (0..", grid.processes() - 1, ")");
}

} // namespace

extern "C" {

/// dims, periods: ndims numbers (0: a grid of one process). reorder: ranks may follow the machine. Processes
/// beyond the grid get MPI_COMM_NULL.
int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                     MPI_Comm* comm_cart) {
  return guarded("MPI_Cart_create", comm_old, [&] {
    checkPointer(comm_cart, "comm_cart");
    Communicator& parent = intraCommunicator(comm_old);
    *comm_cart = createCartesian(parent, checkedGrid(parent, ndims, dims, periods), reorder != 0);
  });
}

/// Fills the zeros of dims so that the grid has nnodes processes and sides of like length.
int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  return guarded("MPI_Dims_create", [&] {
    runtime.requireActive();
    if (ndims < 0)
      fail(MPI_ERR_DIMS, "ndims is ", ndims, ", which is negative");
    if (nnodes < 1)
      fail(MPI_ERR_ARG, "nnodes is ", nnodes, ", which is less than 1");
    if (ndims != 0)
      checkPointer(dims, "dims");
    balanceDimensions(nnodes, {dims, static_cast<std::size_t>(ndims)});
  });
}

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  return guarded("MPI_Cartdim_get", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkPointer(ndims, "ndims");
    *ndims = grid.dimensions();
  });
}

/// maxdims: room in each of the three arrays.
int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  return guarded("MPI_Cart_get", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkRoom("maxdims", maxdims, grid.dimensions());
    if (grid.dimensions() == 0)
      return;
    checkPointer(dims, "dims");
    checkPointer(periods, "periods");
    checkPointer(coords, "coords");
    std::copy(grid.dims().begin(), grid.dims().end(), dims);
    std::copy(grid.periods().begin(), grid.periods().end(), periods);
    const std::vector<int> place = grid.coordinates(communicatorOf(comm).rank());
    std::copy(place.begin(), place.end(), coords);
  });
}

/// coords: in periodic dimensions taken round; in others out of range is MPI_ERR_ARG.
int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  return guarded("MPI_Cart_rank", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkPointer(rank, "rank");
    const int dimensions = grid.dimensions();
    if (dimensions != 0)
      checkPointer(coords, "coords");
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
      if (grid.periods()[i] == 0 && (coords[i] < 0 || coords[i] >= grid.dims()[i]))
        fail(MPI_ERR_ARG, "coords[", i, "] is ", coords[i], ", which is not in 0..", grid.dims()[i] - 1);
    *rank = grid.rankAt({coords, static_cast<std::size_t>(dimensions)});
  });
}

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  return guarded("MPI_Cart_coords", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkGridRank(grid, rank);
    checkRoom("maxdims", maxdims, grid.dimensions());
    if (grid.dimensions() == 0)
      return;
    checkPointer(coords, "coords");
    const std::vector<int> place = grid.coordinates(rank);
    std::copy(place.begin(), place.end(), coords);
  });
}

/// direction: 0..ndims-1; disp: any number, upwards where positive. MPI_PROC_NULL beyond a border.
int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  return guarded("MPI_Cart_shift", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkPointer(rank_source, "rank_source");
    checkPointer(rank_dest, "rank_dest");
    if (direction < 0 || direction >= grid.dimensions())
      fail(MPI_ERR_DIMS, "direction is ", direction, ", which is not in 0..", grid.dimensions() - 1);
    const int rank = communicatorOf(comm).rank();
    const int back = disp == INT_MIN ? INT_MAX : -disp;
    *rank_source = grid.neighbor(rank, direction, back);
    *rank_dest = grid.neighbor(rank, direction, disp);
  });
}

/// remain_dims: for each dimension whether it stays.
int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return guarded("MPI_Cart_sub", comm, [&] {
    const Cartesian& grid = gridOf(comm);
    checkPointer(newcomm, "newcomm");
    if (grid.dimensions() != 0)
      checkPointer(remain_dims, "remain_dims");
    *newcomm = subgrid(communicatorOf(comm), {remain_dims, static_cast<std::size_t>(grid.dimensions())});
  });
}

/// newrank: this process's in such a grid, MPI_UNDEFINED where it is beyond it.
int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  return guarded("MPI_Cart_map", comm, [&] {
    const Communicator& parent = intraCommunicator(comm);
    checkPointer(newrank, "newrank");
    const Cartesian grid = checkedGrid(parent, ndims, dims, periods);
    *newrank = parent.rank() < grid.processes() ? parent.rank() : MPI_UNDEFINED;
  });
}

/// status: MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH, or MPI_UNDEFINED where comm has no topology.
int PMPI_Topo_test(MPI_Comm comm, int* status) {
  return guarded("MPI_Topo_test", comm, [&] {
    const Communicator& asked = communicatorOf(comm);
    checkPointer(status, "status");
    *status = asked.topology ? asked.topology->kind() : MPI_UNDEFINED;
  });
}

} // extern "C"

#include "api/topologyCartesian.aliases.h"
