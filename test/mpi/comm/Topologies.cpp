// Dimensions and grids (MPI 4.1, 8.5), against what the program computes itself.
#include "test/mpi/comm/Grid.h"

#include <algorithm>

using namespace check;

namespace {

std::vector<int> balanced(int nodes, std::vector<int> dims) {
  MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data());
  return dims;
}

void dimensions() {
  struct Example {
    int nodes;
    std::vector<int> given;
    std::vector<int> wanted;
  };
  const std::vector<Example> examples = {
      {6, {0, 0}, {3, 2}},
      {7, {0, 0}, {7, 1}},
      {6, {0, 3, 0}, {2, 3, 1}},
      {12, {0, 0}, {4, 3}},
      {36, {0, 0, 0}, {4, 3, 3}},
      {1, {0, 0, 0}, {1, 1, 1}},
      {64, {0, 0, 0}, {4, 4, 4}},
      {30, {0, 5, 0}, {3, 5, 2}},
      {1000003, {0, 0}, {1000003, 1}},
      {1 << 20, {0, 0}, {1024, 1024}},
      {8, {2, 4}, {2, 4}},
  };
  for (const Example& example : examples)
    CHECK(balanced(example.nodes, example.given) == example.wanted);
  const ReturningComm comm; // errors of calls without a communicator go to MPI_COMM_SELF's handler
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<int> dims{4, 0};
  CHECK_EQ(errorClass(MPI_Dims_create(6, 2, dims.data())), MPI_ERR_DIMS);
  dims = {-1, 0};
  CHECK_EQ(errorClass(MPI_Dims_create(6, 2, dims.data())), MPI_ERR_DIMS);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

void grids() {
  for (bool periodic : {false, true})
    for (int dimensions : {1, 2, 3}) {
      Grid grid(periodic, dimensions);
      CHECK_EQ(grid.isMember(), rank() < grid.used);
      if (!grid.isMember())
        continue;
      int status = 0;
      MPI_Topo_test(grid.comm, &status);
      CHECK_EQ(status, MPI_CART);
      int found = 0;
      MPI_Cartdim_get(grid.comm, &found);
      CHECK_EQ(found, dimensions);
      const int me = rankIn(grid.comm);
      CHECK_EQ(sizeOf(grid.comm), grid.used);
      std::vector<int> dims(3, -1);
      std::vector<int> periods(3, -1);
      std::vector<int> coords(3, -1);
      MPI_Cart_get(grid.comm, 3, dims.data(), periods.data(), coords.data());
      for (int i = 0; i < dimensions; ++i) {
        const auto at = static_cast<std::size_t>(i);
        CHECK_EQ(dims[at], grid.dims[at]);
        CHECK_EQ(periods[at], grid.periods[at]);
        CHECK_EQ(coords[at], grid.placeOf(me)[at]);
      }
      for (int r = 0; r < grid.used; ++r) {
        MPI_Cart_coords(grid.comm, r, 3, coords.data());
        CHECK(std::vector<int>(coords.begin(), coords.begin() + dimensions) == grid.placeOf(r));
        int back = -1;
        std::vector<int> far = grid.placeOf(r);
        if (grid.periods.back())
          far.back() -= 3 * grid.dims.back();
        MPI_Cart_rank(grid.comm, far.data(), &back);
        CHECK_EQ(back, r);
      }
      for (int i = 0; i < dimensions; ++i)
        for (int by : {0, 1, -1, 2, 7}) {
          int source = -9;
          int target = -9;
          MPI_Cart_shift(grid.comm, i, by, &source, &target);
          CHECK_EQ(source, grid.shifted(me, i, -by));
          CHECK_EQ(target, grid.shifted(me, i, by));
        }
      // A copy has the topology, a split part none.
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Comm_dup(grid.comm, &copy);
      MPI_Topo_test(copy, &status);
      CHECK_EQ(status, MPI_CART);
      MPI_Comm_free(&copy);
      MPI_Comm_split(grid.comm, 0, 0, &copy);
      MPI_Topo_test(copy, &status);
      CHECK_EQ(status, MPI_UNDEFINED);
      MPI_Comm_free(&copy);

      // Rows.
      std::vector<int> keep(static_cast<std::size_t>(dimensions), 0);
      keep.back() = 1;
      MPI_Comm row = MPI_COMM_NULL;
      MPI_Cart_sub(grid.comm, keep.data(), &row);
      CHECK_EQ(sizeOf(row), grid.dims.back());
      CHECK_EQ(rankIn(row), grid.placeOf(me).back());
      MPI_Cartdim_get(row, &found);
      CHECK_EQ(found, 1);
      MPI_Comm_free(&row);
      keep.back() = 0;
      MPI_Cart_sub(grid.comm, keep.data(), &row);
      CHECK_EQ(sizeOf(row), 1);
      MPI_Cartdim_get(row, &found);
      CHECK_EQ(found, 0);
      MPI_Comm_free(&row);
    }
  Grid reordered(true, 2, true);
  if (reordered.isMember()) {
    std::vector<int> all(static_cast<std::size_t>(reordered.used), -1);
    const int me = rankIn(reordered.comm);
    MPI_Allgather(&me, 1, MPI_INT, all.data(), 1, MPI_INT, reordered.comm);
    CHECK(std::is_sorted(all.begin(), all.end()));
  }
}

void badGrids() {
  const ReturningComm comm;
  MPI_Comm made = MPI_COMM_NULL;
  int one[2] = {size(), 2};
  const int no[2] = {0, 0};
  int answer = 0;
  CHECK_EQ(errorClass(MPI_Cart_create(comm, 2, one, no, 0, &made)), MPI_ERR_DIMS);
  CHECK_EQ(errorClass(MPI_Cart_create(comm, -1, one, no, 0, &made)), MPI_ERR_DIMS);
  one[0] = 0;
  CHECK_EQ(errorClass(MPI_Cart_create(comm, 1, one, no, 0, &made)), MPI_ERR_DIMS);
  CHECK_EQ(errorClass(MPI_Cartdim_get(comm, &answer)), MPI_ERR_TOPOLOGY);
  CHECK_EQ(errorClass(MPI_Graphdims_get(comm, &answer, &answer)), MPI_ERR_TOPOLOGY);
  CHECK_EQ(errorClass(MPI_Neighbor_allgather(one, 1, MPI_INT, one, 1, MPI_INT, comm)), MPI_ERR_TOPOLOGY);
  const int length = size();
  MPI_Cart_create(comm, 1, &length, no, 0, &made);
  CHECK_EQ(errorClass(MPI_Cart_coords(made, length, 1, one)), MPI_ERR_RANK);
  CHECK_EQ(errorClass(MPI_Cart_coords(made, 0, 0, one)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Cart_rank(made, &length, &answer)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Cart_shift(made, 1, 1, &answer, &answer)), MPI_ERR_DIMS);
  MPI_Comm_free(&made);
  const int index[1] = {1};
  const int edges[1] = {size()};
  CHECK_EQ(errorClass(MPI_Graph_create(comm, 1, index, edges, 0, &made)), MPI_ERR_RANK);
  CHECK_EQ(errorClass(MPI_Graph_create(comm, size() + 1, index, edges, 0, &made)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Dist_graph_create_adjacent(comm, 1, edges, MPI_UNWEIGHTED, 0, edges, MPI_UNWEIGHTED,
                                                     MPI_INFO_NULL, 0, &made)),
           MPI_ERR_RANK);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {{"dimensions", dimensions}, {"grids", grids}, {"bad-grids", badGrids}});
}
