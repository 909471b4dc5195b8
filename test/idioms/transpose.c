/* Matrix transpose with derived types: rows are dealt to the ranks, and the block that goes to a rank is sent
 * column by column with a resized vector type, so that it arrives as rows: received into a vector type, and
 * into a subarray. */
#include "verdict.h"

enum { order = 150 };

static int value(long row, long column) {
  return (int)(row * 1000 + column);
}

/* `rows` rows of a matrix that is `pitch` wide, `columns` of them from the start given to the send call, read
 * column by column: count `columns` of this type. */
static MPI_Datatype columnType(int rows, int pitch) {
  MPI_Datatype column, stepping;
  MPI_Type_vector(rows, 1, pitch, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, (MPI_Aint)sizeof(int), &stepping);
  MPI_Type_commit(&stepping);
  MPI_Type_free(&column);
  return stepping;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long top = partStart(order, ranks, rank);
  const int rows = (int)(partStart(order, ranks, rank + 1) - top);
  int* matrix = makeRoom((size_t)rows * order, sizeof *matrix);
  int* turned = makeRoom((size_t)rows * order, sizeof *turned);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < order; ++x)
      matrix[y * order + x] = value(top + y, x);

  MPI_Request* requests = makeRoom((size_t)ranks * 2, sizeof *requests);
  MPI_Datatype columns = columnType(rows, order);
  for (int way = 0; way < 2; ++way) {
    for (int i = 0; i < rows * order; ++i)
      turned[i] = -1;
    for (int peer = 0; peer < ranks; ++peer) {
      const int theirs = (int)partStart(order, ranks, peer);
      const int theirRows = (int)partStart(order, ranks, peer + 1) - theirs;
      /* Their rows become our columns. What arrives is in the order of our rows. */
      MPI_Datatype block;
      if (way == 0) {
        MPI_Type_vector(rows, theirRows, order, MPI_INT, &block);
        MPI_Type_commit(&block);
        MPI_Irecv(turned + theirs, 1, block, peer, way, MPI_COMM_WORLD, &requests[peer]);
      } else {
        const int whole[2] = {rows, order}, part[2] = {rows, theirRows}, from[2] = {0, theirs};
        MPI_Type_create_subarray(2, whole, part, from, MPI_ORDER_C, MPI_INT, &block);
        MPI_Type_commit(&block);
        MPI_Irecv(turned, 1, block, peer, way, MPI_COMM_WORLD, &requests[peer]);
      }
      MPI_Type_free(&block); /* the receive keeps what it needs */
      MPI_Isend(matrix + theirs, theirRows, columns, peer, way, MPI_COMM_WORLD, &requests[ranks + peer]);
    }
    MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < order; ++x)
        CHECK(turned[y * order + x] == value(x, top + y));
  }

  /* The same with pack and unpack on one rank. */
  int packedSize, position = 0, back = 0;
  MPI_Pack_size(order, columns, MPI_COMM_WORLD, &packedSize);
  char* packed = makeRoom((size_t)packedSize, 1);
  MPI_Pack(matrix, order, columns, packed, packedSize, &position, MPI_COMM_WORLD);
  CHECK(position > 0 && position <= packedSize);
  int* again = makeRoom((size_t)rows * order, sizeof *again);
  MPI_Unpack(packed, position, &back, again, order, columns, MPI_COMM_WORLD);
  CHECK(back == position);
  for (int i = 0; i < rows * order; ++i)
    CHECK(again[i] == matrix[i]);

  free(again);
  free(packed);
  MPI_Type_free(&columns);
  free(requests);
  free(turned);
  free(matrix);
  return verdict("transpose");
}
