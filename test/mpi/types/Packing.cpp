// MPI_Pack and MPI_Unpack, their external32 forms, positions and errors; packed messages between ranks.
#include "test/mpi/Check.h"

#include <climits>

namespace {

void oneAfterTheOther() {
  char buffer[64];
  int position = 0;
  const int whole = 42;
  const double real = 2.5;
  const char text[] = "packed";
  CHECK_EQ(MPI_Pack(&whole, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_EQ(position, 4);
  MPI_Pack(&real, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(text, sizeof text, MPI_CHAR, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  CHECK_EQ(position, 19);
  const int size = position;
  // To the next rank, as MPI_PACKED.
  const int next = (check::rank() + 1) % check::size();
  const int previous = (check::rank() + check::size() - 1) % check::size();
  char received[64] = {};
  MPI_Status status;
  MPI_Sendrecv(buffer, size, MPI_PACKED, next, 5, received, sizeof received, MPI_PACKED, previous, 5,
               MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_PACKED, &count);
  CHECK_EQ(count, size);
  position = 0;
  int wholeBack = 0;
  double realBack = 0;
  char textBack[sizeof text] = {};
  MPI_Unpack(received, size, &position, &wholeBack, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(received, size, &position, &realBack, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(received, size, &position, textBack, sizeof textBack, MPI_CHAR, MPI_COMM_WORLD);
  CHECK_EQ(position, size);
  CHECK_EQ(wholeBack, whole);
  CHECK_EQ(realBack, real);
  CHECK_EQ(std::string(textBack), std::string(text));
}

// Packed on one side, a derived datatype on the other.
void packedMeetsDerived() {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 5, MPI_INT, &column);
  MPI_Type_commit(&column);
  int matrix[20];
  for (int i = 0; i < 20; ++i)
    matrix[i] = i;
  char packed[16];
  MPI_Count position = 0;
  MPI_Count size = 0;
  MPI_Pack_size_c(1, column, MPI_COMM_SELF, &size);
  CHECK_EQ(size, 16);
  CHECK_EQ(MPI_Pack_c(&matrix[2], 1, column, packed, size, &position, MPI_COMM_SELF), MPI_SUCCESS);
  int back[20] = {};
  MPI_Sendrecv(packed, 16, MPI_PACKED, 0, 0, &back[3], 1, column, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(back[3] == 2 && back[8] == 7 && back[13] == 12 && back[18] == 17 && back[4] == 0);
  MPI_Type_free(&column);
}

void external() {
  const int values[2] = {0x01020304, -2};
  unsigned char buffer[16] = {};
  MPI_Aint position = 0;
  MPI_Aint size = 0;
  CHECK_EQ(MPI_Pack_external_size("external32", 2, MPI_INT, &size), MPI_SUCCESS);
  CHECK_EQ(size, 8);
  CHECK_EQ(MPI_Pack_external("external32", values, 2, MPI_INT, buffer, sizeof buffer, &position),
           MPI_SUCCESS);
  CHECK_EQ(position, 8);
  const unsigned char expected[8] = {1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFE};
  CHECK_EQ(std::memcmp(buffer, expected, 8), 0);
  int back[2] = {};
  position = 0;
  CHECK_EQ(MPI_Unpack_external("external32", buffer, 8, &position, back, 2, MPI_INT), MPI_SUCCESS);
  CHECK_EQ(position, 8);
  CHECK(back[0] == values[0] && back[1] == values[1]);
  const long number = -5;
  long numberBack = 0;
  MPI_Count at = 3;
  MPI_Count large = 0;
  CHECK_EQ(MPI_Pack_external_size_c("external32", 1, MPI_LONG, &large), MPI_SUCCESS);
  CHECK_EQ(large, 4);
  CHECK_EQ(MPI_Pack_external_c("external32", &number, 1, MPI_LONG, buffer, sizeof buffer, &at), MPI_SUCCESS);
  CHECK_EQ(at, 7);
  at = 3;
  CHECK_EQ(MPI_Unpack_external_c("external32", buffer, sizeof buffer, &at, &numberBack, 1, MPI_LONG),
           MPI_SUCCESS);
  CHECK_EQ(numberBack, -5);
}

void badArguments() {
  const check::ReturningComm comm;
  char buffer[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  const int values[4] = {1, 2, 3, 4};
  int back[4] = {-1, -1, -1, -1};
  int position = 2;
  int size = 0;
  CHECK_EQ(check::errorClass(MPI_Pack(values, 2, MPI_INT, buffer, 8, &position, comm)), MPI_ERR_TRUNCATE);
  CHECK_EQ(position, 2);
  CHECK_EQ(buffer[2], 9);
  CHECK_EQ(check::errorClass(MPI_Unpack(buffer, 8, &position, back, 2, MPI_INT, comm)), MPI_ERR_TRUNCATE);
  CHECK_EQ(position, 2);
  CHECK_EQ(back[0], -1);
  CHECK_EQ(check::errorClass(MPI_Pack(values, -1, MPI_INT, buffer, 8, &position, comm)), MPI_ERR_COUNT);
  CHECK_EQ(check::errorClass(MPI_Pack(values, 1, MPI_DATATYPE_NULL, buffer, 8, &position, comm)),
           MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Pack(values, 1, MPI_INT, buffer, -8, &position, comm)), MPI_ERR_ARG);
  CHECK_EQ(check::errorClass(MPI_Pack(nullptr, 1, MPI_INT, buffer, 8, &position, comm)), MPI_ERR_BUFFER);
  position = 9;
  CHECK_EQ(check::errorClass(MPI_Pack(values, 1, MPI_INT, buffer, 8, &position, comm)), MPI_ERR_ARG);
  CHECK_EQ(check::errorClass(MPI_Pack_size(-1, MPI_INT, comm, &size)), MPI_ERR_COUNT);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &type);
  position = 0;
  CHECK_EQ(check::errorClass(MPI_Pack(values, 1, type, buffer, 8, &position, comm)), MPI_ERR_TYPE);
  MPI_Type_free(&type);
  CHECK_EQ(MPI_Pack_size(INT_MAX, MPI_DOUBLE, comm, &size), MPI_SUCCESS);
  CHECK_EQ(size, MPI_UNDEFINED);

  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Aint at = 0;
  CHECK_EQ(check::errorClass(MPI_Pack_external("native", values, 1, MPI_INT, buffer, 8, &at)), MPI_ERR_ARG);
  CHECK_EQ(check::errorClass(MPI_Pack_external("external32", values, 3, MPI_INT, buffer, 8, &at)),
           MPI_ERR_TRUNCATE);
  CHECK_EQ(at, 0);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"one-after-the-other", oneAfterTheOther},
                     {"packed-meets-derived", packedMeetsDerived},
                     {"external", external},
                     {"bad-arguments", badArguments}});
}
