// A grid, and what is to be found in it.
#pragma once

#include "test/mpi/Check.h"

namespace check {

// A grid of all ranks but, where there are more than 2, the last.
struct Grid {
  std::vector<int> dims;
  std::vector<int> periods;
  MPI_Comm comm = MPI_COMM_NULL;
  int used;

  explicit Grid(bool periodic, int dimensions = 2, bool reorder = false)
      : dims(static_cast<std::size_t>(dimensions), 0),
        periods(static_cast<std::size_t>(dimensions), periodic), used(size() > 2 ? size() - 1 : size()) {
    MPI_Dims_create(used, dimensions, dims.data());
    if (dimensions > 1)
      periods.back() = 1;
    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims.data(), periods.data(), reorder, &comm),
             MPI_SUCCESS);
  }
  ~Grid() {
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  bool isMember() const { return comm != MPI_COMM_NULL; }
  int dimensions() const { return static_cast<int>(dims.size()); }
  std::vector<int> placeOf(int r) const {
    std::vector<int> place(dims.size());
    for (std::size_t i = dims.size(); i-- > 0; r /= dims[i])
      place[i] = r % dims[i];
    return place;
  }
  int rankOf(const std::vector<int>& place) const {
    int r = 0;
    for (std::size_t i = 0; i < dims.size(); ++i)
      r = r * dims[i] + place[i];
    return r;
  }
  int shifted(int r, int dimension, int by) const {
    std::vector<int> place = placeOf(r);
    int& x = place[static_cast<std::size_t>(dimension)];
    const int length = dims[static_cast<std::size_t>(dimension)];
    x += by;
    if (periods[static_cast<std::size_t>(dimension)])
      x = ((x % length) + length) % length;
    return x < 0 || x >= length ? MPI_PROC_NULL : rankOf(place);
  }
};

} // namespace check
