// How much a status says was received: MPI_Get_count, MPI_Get_elements and MPI_Status_set_elements in all
// forms.
#include "test/mpi/Check.h"

#include <climits>

namespace {

MPI_Status received(int bytes) {
  static char out[4096];
  static char in[4096];
  MPI_Status status;
  MPI_Sendrecv(out, bytes, MPI_BYTE, 0, 0, in, sizeof in, MPI_BYTE, 0, 0, MPI_COMM_SELF, &status);
  return status;
}

int countOf(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  CHECK_EQ(MPI_Get_count(&status, type, &count), MPI_SUCCESS);
  MPI_Count large = -1;
  CHECK_EQ(MPI_Get_count_c(&status, type, &large), MPI_SUCCESS);
  CHECK_EQ(large, count);
  return count;
}

int elementsOf(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  CHECK_EQ(MPI_Get_elements(&status, type, &count), MPI_SUCCESS);
  MPI_Count large = -1;
  CHECK_EQ(MPI_Get_elements_c(&status, type, &large), MPI_SUCCESS);
  CHECK_EQ(large, count);
  CHECK_EQ(MPI_Get_elements_x(&status, type, &large), MPI_SUCCESS);
  CHECK_EQ(large, count);
  return count;
}

void basicTypes() {
  CHECK_EQ(countOf(received(12), MPI_INT), 3);
  CHECK_EQ(elementsOf(received(12), MPI_INT), 3);
  CHECK_EQ(countOf(received(0), MPI_INT), 0);
  CHECK_EQ(elementsOf(received(0), MPI_INT), 0);
  CHECK_EQ(countOf(received(13), MPI_INT), MPI_UNDEFINED);
  CHECK_EQ(elementsOf(received(13), MPI_INT), MPI_UNDEFINED);
  CHECK_EQ(countOf(received(24), MPI_DOUBLE_INT), 2);
  CHECK_EQ(elementsOf(received(24), MPI_DOUBLE_INT), 4);
  CHECK_EQ(countOf(received(20), MPI_DOUBLE_INT), MPI_UNDEFINED);
  CHECK_EQ(elementsOf(received(20), MPI_DOUBLE_INT), 3);
}

// The example of section 5.1.11: a pair of floats, of which one and a half arrive.
void partialElements() {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_FLOAT, &pair);
  MPI_Type_commit(&pair);
  float out[3] = {1, 2, 3};
  float in[4] = {};
  MPI_Status status;
  MPI_Sendrecv(out, 2, MPI_FLOAT, 0, 0, in, 2, pair, 0, 0, MPI_COMM_SELF, &status);
  CHECK_EQ(countOf(status, pair), 1);
  CHECK_EQ(elementsOf(status, pair), 2);
  MPI_Sendrecv(out, 3, MPI_FLOAT, 0, 0, in, 2, pair, 0, 0, MPI_COMM_SELF, &status);
  CHECK_EQ(countOf(status, pair), MPI_UNDEFINED);
  CHECK_EQ(elementsOf(status, pair), 3);
  CHECK(in[2] == 3.0F && in[3] == 0.0F);
  MPI_Type_free(&pair);
}

void mixedStructs() {
  // char, 3 shorts, double, twice over: 1 + 6 + 8 bytes each
  const int lengths[] = {1, 3, 1};
  const MPI_Aint places[] = {0, 2, 8};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_DOUBLE};
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Datatype two = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &one);
  MPI_Type_contiguous(2, one, &two);
  const int bytes[] = {1, 3, 5, 7, 15, 16, 18, 20, 22, 30, 31};
  for (int i = 0; i < 11; ++i)
    CHECK_EQ(elementsOf(received(bytes[i]), two), i + 1);
  CHECK_EQ(elementsOf(received(2), two), MPI_UNDEFINED);
  CHECK_EQ(elementsOf(received(14), two), MPI_UNDEFINED);
  CHECK_EQ(countOf(received(60), two), 2);
  CHECK_EQ(countOf(received(15), two), MPI_UNDEFINED);
  for (int i = 0; i < 11; ++i) {
    MPI_Status status = received(0);
    CHECK_EQ(MPI_Status_set_elements(&status, two, i + 1), MPI_SUCCESS);
    CHECK_EQ(elementsOf(status, two), i + 1);
    CHECK_EQ(countOf(status, MPI_BYTE), bytes[i]);
  }
  MPI_Type_free(&one);
  MPI_Type_free(&two);
}

void emptyTypes() {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Status status;
  MPI_Sendrecv(nullptr, 5, empty, 0, 0, nullptr, 9, empty, 0, 0, MPI_COMM_SELF, &status);
  CHECK_EQ(countOf(status, empty), 0);
  CHECK_EQ(elementsOf(status, empty), 0);
  CHECK_EQ(countOf(received(4), empty), MPI_UNDEFINED);
  CHECK_EQ(elementsOf(received(4), empty), MPI_UNDEFINED);
  CHECK_EQ(MPI_Status_set_elements(&status, empty, 7), MPI_SUCCESS);
  CHECK_EQ(countOf(status, MPI_BYTE), 0);
  MPI_Type_free(&empty);
}

void largeCounts() {
  MPI_Status status = received(0);
  const MPI_Count many = MPI_Count{5} * INT_MAX;
  CHECK_EQ(MPI_Status_set_elements_c(&status, MPI_INT, many), MPI_SUCCESS);
  int count = 0;
  MPI_Count large = 0;
  CHECK_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK_EQ(MPI_Get_elements(&status, MPI_INT, &count), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK_EQ(MPI_Get_count_c(&status, MPI_INT, &large), MPI_SUCCESS);
  CHECK_EQ(large, many);
  CHECK_EQ(MPI_Get_elements_x(&status, MPI_INT, &large), MPI_SUCCESS);
  CHECK_EQ(large, many);
  CHECK_EQ(MPI_Status_set_elements_x(&status, MPI_DOUBLE, many), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_count_c(&status, MPI_BYTE, &large), MPI_SUCCESS);
  CHECK_EQ(large, 8 * many);
}

void badArguments() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Status status = received(4);
  int count = 77;
  CHECK_EQ(check::errorClass(MPI_Get_count(&status, MPI_DATATYPE_NULL, &count)), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &count)), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &count)), MPI_ERR_ARG);
  CHECK_EQ(check::errorClass(MPI_Status_set_elements(&status, MPI_INT, -1)), MPI_ERR_COUNT);
  CHECK_EQ(check::errorClass(MPI_Status_set_elements_c(&status, MPI_INT, LLONG_MAX)), MPI_ERR_COUNT);
  CHECK_EQ(count, 77);
  CHECK_EQ(countOf(status, MPI_INT), 1);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"basic-types", basicTypes},
                     {"partial-elements", partialElements},
                     {"mixed-structs", mixedStructs},
                     {"empty-types", emptyTypes},
                     {"large-counts", largeCounts},
                     {"bad-arguments", badArguments}});
}
