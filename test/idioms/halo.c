/* Halo exchange in two dimensions: a grid is dealt to ranks in blocks, each with a frame of its neighbours'
 * values. Rows are contiguous, columns a vector type, the edge of the world is MPI_PROC_NULL. Twenty steps of
 * heat conduction must give bit by bit what one rank gets alone. */
#include "verdict.h"

enum { height = 61, width = 47, steps = 20 };

static double firstValue(long y, long x) {
  return (double)(scramble((unsigned)y, (unsigned)x) % 1000) / 8.0;
}

static double next(double here, double up, double down, double left, double right) {
  return here + 0.2 * ((up + down) + (left + right) - 4.0 * here);
}

/* The whole grid on one rank, with a frame of zeros. */
static double* alone(void) {
  const size_t cells = (size_t)(height + 2) * (width + 2);
  double* now = makeRoom(cells, sizeof *now);
  double* then = makeRoom(cells, sizeof *then);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      now[(y + 1) * (width + 2) + x + 1] = firstValue(y, x);
  for (int step = 0; step < steps; ++step) {
    for (int y = 1; y <= height; ++y)
      for (int x = 1; x <= width; ++x) {
        const int at = y * (width + 2) + x;
        then[at] = next(now[at], now[at - width - 2], now[at + width + 2], now[at - 1], now[at + 1]);
      }
    double* swap = now;
    now = then;
    then = swap;
  }
  free(then);
  return now;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  int down = 1; /* rows of ranks: the largest divisor up to the square root */
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0)
      down = d;
  const int across = ranks / down, myRow = rank / across, myColumn = rank % across;
  const long top = partStart(height, down, myRow), bottom = partStart(height, down, myRow + 1);
  const long leftEdge = partStart(width, across, myColumn),
             rightEdge = partStart(width, across, myColumn + 1);
  const int rows = (int)(bottom - top), columns = (int)(rightEdge - leftEdge), pitch = columns + 2;
  const int north = myRow > 0 ? rank - across : MPI_PROC_NULL;
  const int south = myRow < down - 1 ? rank + across : MPI_PROC_NULL;
  const int west = myColumn > 0 ? rank - 1 : MPI_PROC_NULL;
  const int east = myColumn < across - 1 ? rank + 1 : MPI_PROC_NULL;

  MPI_Datatype column, row;
  MPI_Type_vector(rows, 1, pitch, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);

  double* now = makeRoom((size_t)(rows + 2) * (size_t)pitch, sizeof *now);
  double* then = makeRoom((size_t)(rows + 2) * (size_t)pitch, sizeof *then);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      now[(y + 1) * pitch + x + 1] = firstValue(top + y, leftEdge + x);

  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[8];
    MPI_Status statuses[8];
    double* first = now + pitch + 1;
    MPI_Irecv(first - pitch, 1, row, north, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(first + rows * pitch, 1, row, south, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(first - 1, 1, column, west, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(first + columns, 1, column, east, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(first, 1, row, north, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(first + (rows - 1) * pitch, 1, row, south, 0, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(first, 1, column, west, 0, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(first + columns - 1, 1, column, east, 0, MPI_COMM_WORLD, &requests[7]);
    MPI_Waitall(8, requests, statuses);
    const int from[4] = {north, south, west, east};
    for (int i = 0; i < 4; ++i) {
      int elements;
      MPI_Get_count(&statuses[i], MPI_DOUBLE, &elements);
      CHECK(statuses[i].MPI_SOURCE == from[i]);
      CHECK(elements == (from[i] == MPI_PROC_NULL ? 0 : i < 2 ? columns : rows));
    }
    for (int y = 1; y <= rows; ++y)
      for (int x = 1; x <= columns; ++x) {
        const int at = y * pitch + x;
        then[at] = next(now[at], now[at - pitch], now[at + pitch], now[at - 1], now[at + 1]);
      }
    double* swap = now;
    now = then;
    then = swap;
  }

  double* wanted = alone();
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      CHECK(now[(y + 1) * pitch + x + 1] == wanted[(top + y + 1) * (width + 2) + leftEdge + x + 1]);
  free(wanted);
  free(now);
  free(then);
  MPI_Type_free(&column);
  MPI_Type_free(&row);
  return verdict("halo");
}
