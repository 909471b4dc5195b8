// The functions on datatypes as a program calls them: what they give, and what they say to bad arguments.
#include "test/mpi/Check.h"

#include <climits>

namespace {

struct Extent {
  MPI_Aint lb = -1;
  MPI_Aint extent = -1;
};

Extent extentOf(MPI_Datatype type) {
  Extent e;
  CHECK_EQ(MPI_Type_get_extent(type, &e.lb, &e.extent), MPI_SUCCESS);
  return e;
}

void structs() {
  struct Particle {
    double position[3];
    char kind;
  };
  const int lengths[] = {3, 1};
  const MPI_Aint places[] = {0, 24};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_create_struct(2, lengths, places, types, &type), MPI_SUCCESS);
  CHECK_EQ(extentOf(type).extent, static_cast<MPI_Aint>(sizeof(Particle)));
  int size = 0;
  MPI_Type_size(type, &size);
  CHECK_EQ(size, 25);
  MPI_Aint lb = -1;
  MPI_Aint extent = -1;
  MPI_Type_get_true_extent(type, &lb, &extent);
  CHECK_EQ(lb, 0);
  CHECK_EQ(extent, 25);
  MPI_Type_commit(&type);
  const Particle out[2] = {{{1, 2, 3}, 'a'}, {{4, 5, 6}, 'b'}};
  Particle in[2] = {};
  MPI_Sendrecv(out, 2, type, 0, 0, in, 2, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(in[1].position[2], 6.0);
  CHECK_EQ(in[1].kind, 'b');
  MPI_Type_free(&type);
}

// The datatype is freed before the message is received.
void freeWhilePending() {
  int out[6] = {1, 2, 3, 4, 5, 6};
  int in[6] = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Request requests[2];
  MPI_Irecv(in, 1, type, 0, 3, MPI_COMM_SELF, &requests[0]);
  MPI_Type_free(&type);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Isend(out, 1, type, 0, 3, MPI_COMM_SELF, &requests[1]);
  MPI_Type_free(&type);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(in[0] == 1 && in[1] == 0 && in[2] == 3 && in[4] == 5 && in[5] == 0);
}

void largeSizes() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &type), MPI_SUCCESS);
  int size = 0;
  MPI_Count large = 0;
  CHECK_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
  CHECK_EQ(size, MPI_UNDEFINED);
  CHECK_EQ(MPI_Type_size_c(type, &large), MPI_SUCCESS);
  CHECK_EQ(large, MPI_Count{8} * INT_MAX);
  CHECK_EQ(MPI_Type_size_x(type, &large), MPI_SUCCESS);
  CHECK_EQ(large, MPI_Count{8} * INT_MAX);
  MPI_Count lb = -1;
  CHECK_EQ(MPI_Type_get_extent_c(type, &lb, &large), MPI_SUCCESS);
  CHECK_EQ(large, MPI_Count{8} * INT_MAX);
  CHECK_EQ(MPI_Type_get_extent_x(type, &lb, &large), MPI_SUCCESS);
  CHECK_EQ(large, MPI_Count{8} * INT_MAX);
  CHECK_EQ(MPI_Type_get_true_extent_x(type, &lb, &large), MPI_SUCCESS);
  CHECK_EQ(large, MPI_Count{8} * INT_MAX);
  CHECK_EQ(lb, 0);
  MPI_Type_free(&type);
}

void names() {
  char name[MPI_MAX_OBJECT_NAME] = "?";
  int length = -1;
  CHECK_EQ(MPI_Type_get_name(MPI_INT, name, &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name), std::string("MPI_INT"));
  CHECK_EQ(length, 7);
  CHECK_EQ(MPI_Type_get_name(MPI_LONG_LONG_INT, name, &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name), std::string("MPI_LONG_LONG"));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  CHECK_EQ(length, 0);
  CHECK_EQ(std::string(name), std::string(""));
  CHECK_EQ(MPI_Type_set_name(type, "pixel"), MPI_SUCCESS);
  MPI_Type_get_name(type, name, &length);
  CHECK_EQ(std::string(name), std::string("pixel"));
  const std::string longer(500, 'x');
  MPI_Type_set_name(type, longer.c_str());
  MPI_Type_get_name(type, name, &length);
  CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
  MPI_Type_free(&type);
}

void integersAndBack() {
  CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
  CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_DATATYPE_NULL)) == MPI_DATATYPE_NULL);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
  MPI_Type_free(&type);
  CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM);
  CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_OP_NULL)) == MPI_OP_NULL);
}

void addresses() {
  int values[4] = {1, 2, 3, 4};
  MPI_Aint first = 0;
  MPI_Aint third = 0;
  CHECK_EQ(MPI_Get_address(&values[0], &first), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_address(&values[2], &third), MPI_SUCCESS);
  CHECK_EQ(MPI_Aint_diff(third, first), 8);
  CHECK_EQ(MPI_Aint_add(first, 8), third);
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {third, first};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  int in[2] = {};
  MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 0, in, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(in[0] == 3 && in[1] == 1);
  MPI_Type_free(&type);
}

void sizesByClass() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &type), MPI_SUCCESS);
  CHECK(type == MPI_INTEGER8);
  CHECK_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, &type), MPI_SUCCESS);
  CHECK(type == MPI_REAL4);
}

// A failing call leaves the program's variable as it was, and the next call works.
template <class Call> void expectError(int wanted, const char* function, Call call) {
  MPI_Datatype type = MPI_FLOAT;
  const int code = call(&type);
  CHECK_EQ(check::errorClass(code), wanted);
  CHECK(check::errorString(code).find(function) != std::string::npos);
  CHECK(type == MPI_FLOAT);
  CHECK_EQ(MPI_Type_contiguous(1, MPI_INT, &type), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

void badArguments() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int lengths[] = {1, -1};
  const int places[] = {0, 4};
  const int sizes[] = {4, 4};
  using Out = MPI_Datatype*;
  expectError(MPI_ERR_COUNT, "MPI_Type_contiguous",
              [](Out t) { return MPI_Type_contiguous(-1, MPI_INT, t); });
  expectError(MPI_ERR_TYPE, "MPI_Type_contiguous",
              [](Out t) { return MPI_Type_contiguous(1, MPI_DATATYPE_NULL, t); });
  expectError(MPI_ERR_COUNT, "MPI_Type_vector", [](Out t) { return MPI_Type_vector(-1, 1, 1, MPI_INT, t); });
  expectError(MPI_ERR_ARG, "MPI_Type_vector", [](Out t) { return MPI_Type_vector(1, -1, 1, MPI_INT, t); });
  expectError(MPI_ERR_ARG, "MPI_Type_indexed",
              [&](Out t) { return MPI_Type_indexed(2, lengths, places, MPI_INT, t); });
  expectError(MPI_ERR_ARG, "MPI_Type_indexed",
              [&](Out t) { return MPI_Type_indexed(2, nullptr, places, MPI_INT, t); });
  expectError(MPI_ERR_COUNT, "MPI_Type_create_indexed_block",
              [&](Out t) { return MPI_Type_create_indexed_block(-2, 1, places, MPI_INT, t); });
  expectError(MPI_ERR_ARG, "MPI_Type_create_subarray", [&](Out t) {
    return MPI_Type_create_subarray(2, sizes, sizes, sizes, MPI_ORDER_C, MPI_INT, t);
  });
  expectError(MPI_ERR_ARG, "MPI_Type_create_subarray", [&](Out t) {
    return MPI_Type_create_subarray(0, sizes, sizes, sizes, MPI_ORDER_C, MPI_INT, t);
  });
  expectError(MPI_ERR_ARG, "MPI_Type_match_size",
              [](Out t) { return MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, t); });
  expectError(MPI_ERR_ARG, "MPI_Type_create_f90_real",
              [](Out t) { return MPI_Type_create_f90_real(99, 1, t); });
  expectError(MPI_ERR_TYPE, "MPI_Type_dup", [](Out t) { return MPI_Type_dup(MPI_DATATYPE_NULL, t); });

  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(check::errorClass(MPI_Type_commit(&type)), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Type_free(&type)), MPI_ERR_TYPE);
  type = MPI_INT;
  CHECK_EQ(check::errorClass(MPI_Type_free(&type)), MPI_ERR_TYPE);
  CHECK(type == MPI_INT);
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Datatype copy = type;
  int value = 0;
  CHECK_EQ(check::errorClass(MPI_Send(&value, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF)), MPI_ERR_TYPE);
  MPI_Type_free(&type);
  CHECK_EQ(check::errorClass(MPI_Type_free(&copy)), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Type_size(copy, &value)), MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"structs", structs},
                     {"free-while-pending", freeWhilePending},
                     {"large-sizes", largeSizes},
                     {"names", names},
                     {"integers-and-back", integersAndBack},
                     {"addresses", addresses},
                     {"sizes-by-class", sizesByClass},
                     {"bad-arguments", badArguments}});
}
