// MPI_Op_create, MPI_Op_free, MPI_Op_commutative and MPI_Reduce_local.
#include "test/mpi/Check.h"

namespace {

void oneAndTwice(void* in, void* inout, int* length, MPI_Datatype* type) {
  CHECK(*type == MPI_INT);
  for (int i = 0; i < *length; ++i)
    static_cast<int*>(inout)[i] = static_cast<int*>(in)[i] + 2 * static_cast<int*>(inout)[i];
}

void largeMaximum(void* in, void* inout, MPI_Count* length, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *length; ++i)
    if (static_cast<double*>(in)[i] > static_cast<double*>(inout)[i])
      static_cast<double*>(inout)[i] = static_cast<double*>(in)[i];
}

void ownOperations() {
  MPI_Op op = MPI_OP_NULL;
  CHECK_EQ(MPI_Op_create(oneAndTwice, 0, &op), MPI_SUCCESS);
  int commutes = -1;
  CHECK_EQ(MPI_Op_commutative(op, &commutes), MPI_SUCCESS);
  CHECK_EQ(commutes, 0);
  CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op);
  const int in[3] = {1, 2, 3};
  int inout[3] = {10, 20, 30};
  CHECK_EQ(MPI_Reduce_local(in, inout, 3, MPI_INT, op), MPI_SUCCESS);
  CHECK(inout[0] == 21 && inout[1] == 42 && inout[2] == 63);
  CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  CHECK(op == MPI_OP_NULL);

  CHECK_EQ(MPI_Op_create_c(largeMaximum, 1, &op), MPI_SUCCESS);
  MPI_Op_commutative(op, &commutes);
  CHECK_EQ(commutes, 1);
  const double a[2] = {1, 5};
  double b[2] = {3, 4};
  CHECK_EQ(MPI_Reduce_local_c(a, b, 2, MPI_DOUBLE, op), MPI_SUCCESS);
  CHECK(b[0] == 3 && b[1] == 5);
  CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
}

void predefinedOperations() {
  const long a[3] = {1, 6, 3};
  long b[3] = {4, 3, 3};
  CHECK_EQ(MPI_Reduce_local(a, b, 3, MPI_LONG, MPI_SUM), MPI_SUCCESS);
  CHECK(b[0] == 5 && b[1] == 9 && b[2] == 6);
  CHECK_EQ(MPI_Reduce_local(a, b, 3, MPI_LONG, MPI_BAND), MPI_SUCCESS);
  CHECK(b[0] == 1 && b[1] == 0 && b[2] == 2);
  struct Pair {
    float value;
    int index;
  };
  const Pair in[2] = {{1.5F, 7}, {2.0F, 1}};
  Pair inout[2] = {{1.5F, 9}, {3.0F, 2}};
  CHECK_EQ(MPI_Reduce_local_c(in, inout, 2, MPI_FLOAT_INT, MPI_MINLOC), MPI_SUCCESS);
  CHECK(inout[0].index == 7 && inout[1].index == 1);
  int commutes = 0;
  MPI_Op_commutative(MPI_MAXLOC, &commutes);
  CHECK_EQ(commutes, 1);
  CHECK_EQ(MPI_Reduce_local(nullptr, nullptr, 0, MPI_INT, MPI_SUM), MPI_SUCCESS);
}

void badArguments() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  double a = 1;
  double b = 2;
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BAND)), MPI_ERR_OP);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, 1, MPI_CHAR, MPI_SUM)), MPI_ERR_OP);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_REPLACE)), MPI_ERR_OP);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_OP_NULL)), MPI_ERR_OP);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, -1, MPI_DOUBLE, MPI_SUM)), MPI_ERR_COUNT);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM)), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Reduce_local(nullptr, &b, 1, MPI_DOUBLE, MPI_SUM)), MPI_ERR_BUFFER);
  CHECK_EQ(b, 2.0);
  MPI_Op op = MPI_SUM;
  CHECK_EQ(check::errorClass(MPI_Op_free(&op)), MPI_ERR_OP);
  CHECK(op == MPI_SUM);
  op = MPI_OP_NULL;
  CHECK_EQ(check::errorClass(MPI_Op_free(&op)), MPI_ERR_OP);
  CHECK_EQ(check::errorClass(MPI_Op_create(nullptr, 1, &op)), MPI_ERR_ARG);
  CHECK(op == MPI_OP_NULL);
  MPI_Op_create(oneAndTwice, 1, &op);
  MPI_Op copy = op;
  MPI_Op_free(&op);
  CHECK_EQ(check::errorClass(MPI_Op_free(&copy)), MPI_ERR_OP);
  int commutes = 0;
  CHECK_EQ(check::errorClass(MPI_Op_commutative(copy, &commutes)), MPI_ERR_OP);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"own-operations", ownOperations},
                     {"predefined-operations", predefinedOperations},
                     {"bad-arguments", badArguments}});
}
