/* Game of life on a torus, dealt to the ranks by rows. The rows at the seams are exchanged each generation. A
 * random field must become what one rank computes alone, and a glider must come back home. */
#include "verdict.h"

#include <string.h>

enum { size = 48, generations = 4 * size };

/* One generation of `rows` rows, of which the rows before and after are there too. */
static void live(const char* now, char* then, int rows) {
  for (int y = 1; y <= rows; ++y)
    for (int x = 0; x < size; ++x) {
      const int left = (x + size - 1) % size, right = (x + 1) % size;
      const char *up = now + (y - 1) * size, *here = now + y * size, *down = now + (y + 1) * size;
      const int around =
          up[left] + up[x] + up[right] + here[left] + here[right] + down[left] + down[x] + down[right];
      then[y * size + x] = (char)(around == 3 || (around == 2 && here[x]));
    }
}

static void firstField(char* field, int glider) {
  static const char shape[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  memset(field, 0, (size_t)size * size);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      field[y * size + x] = glider ? (char)(y < 3 && x < 3 && shape[y][x])
                                   : (char)(scramble(3, (unsigned)(y * size + x)) % 3 == 0);
}

static void compute(int rank, int ranks, int glider) {
  const int top = (int)partStart(size, ranks, rank), rows = (int)partStart(size, ranks, rank + 1) - top;
  const int above = (rank + ranks - 1) % ranks, below = (rank + 1) % ranks;
  char* whole = makeRoom((size_t)size * (size + 2), 1);
  char* other = makeRoom((size_t)size * (size + 2), 1);
  char* now = makeRoom((size_t)size * (size_t)(rows + 2), 1);
  char* then = makeRoom((size_t)size * (size_t)(rows + 2), 1);
  firstField(whole + size, glider);
  memcpy(now + size, whole + size + top * size, (size_t)rows * size);

  for (int g = 0; g < generations; ++g) {
    MPI_Request requests[4];
    MPI_Irecv(now, size, MPI_CHAR, above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now + (rows + 1) * size, size, MPI_CHAR, below, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now + rows * size, size, MPI_CHAR, below, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now + size, size, MPI_CHAR, above, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    live(now, then, rows);
    char* swap = now;
    now = then;
    then = swap;
  }

  if (glider) { /* four generations move it by one cell */
    CHECK(memcmp(now + size, whole + size + top * size, (size_t)rows * size) == 0);
  } else {
    for (int g = 0; g < generations; ++g) {
      memcpy(whole, whole + size * size, size);
      memcpy(whole + (size + 1) * size, whole + size, size);
      live(whole, other, size);
      char* swap = whole;
      whole = other;
      other = swap;
    }
    CHECK(memcmp(now + size, whole + size + top * size, (size_t)rows * size) == 0);
  }

  long alive = 0, all = 0;
  for (int i = size; i < (rows + 1) * size; ++i)
    alive += now[i];
  MPI_Allreduce(&alive, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(glider ? all == 5 : all > 0);
  free(then);
  free(now);
  free(other);
  free(whole);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  compute(rank, ranks, 0);
  compute(rank, ranks, 1);
  return verdict("life");
}
