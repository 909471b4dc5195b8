// Bad datatypes, groups, communicators, info objects, keys of attributes, operations and error handlers.
#include "test/mpi/args/Expect.h"

#include <cstdint>

using namespace check;

namespace {

void datatypes() {
  MPI_Datatype out = MPI_DATATYPE_NULL;
  const int lengths[2] = {1, -1};
  const int places[2] = {0, 1};
  const MPI_Aint addresses[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  const std::initializer_list<int> badLength{MPI_ERR_ARG, MPI_ERR_COUNT};
  EXPECT_ERROR(MPI_Type_contiguous(-2, MPI_INT, &out), MPI_ERR_COUNT, {"MPI_Type_contiguous", "-2"});
  EXPECT_ERROR(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &out), MPI_ERR_TYPE, {"MPI_Type_contiguous"});
  EXPECT_ERROR(MPI_Type_vector(-2, 1, 1, MPI_INT, &out), MPI_ERR_COUNT, {"MPI_Type_vector", "-2"});
  expectError(MPI_Type_vector(2, -7, 1, MPI_INT, &out), badLength, {"MPI_Type_vector", "-7"}, __FILE__,
              __LINE__);
  EXPECT_ERROR(MPI_Type_vector(2, 1, 1, MPI_DATATYPE_NULL, &out), MPI_ERR_TYPE, {"MPI_Type_vector"});
  EXPECT_ERROR(MPI_Type_indexed(-2, lengths, places, MPI_INT, &out), MPI_ERR_COUNT, {"MPI_Type_indexed"});
  expectError(MPI_Type_indexed(2, lengths, places, MPI_INT, &out), badLength, {"MPI_Type_indexed", "-1"},
              __FILE__, __LINE__);
  EXPECT_ERROR(MPI_Type_create_struct(-2, lengths, addresses, ints, &out), MPI_ERR_COUNT,
               {"MPI_Type_create_struct"});
  expectError(MPI_Type_create_struct(2, lengths, addresses, ints, &out), badLength,
              {"MPI_Type_create_struct"}, __FILE__, __LINE__);
  const int good[2] = {1, 1};
  EXPECT_ERROR(MPI_Type_create_struct(2, good, addresses, types, &out), MPI_ERR_TYPE,
               {"MPI_Type_create_struct"});
  EXPECT_ERROR(MPI_Type_dup(MPI_DATATYPE_NULL, &out), MPI_ERR_TYPE, {"MPI_Type_dup"});
  EXPECT_ERROR(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 4, &out), MPI_ERR_TYPE,
               {"MPI_Type_create_resized"});
  const int sizes[1] = {10};
  const int parts[1] = {11};
  const int starts[1] = {0};
  EXPECT_ERROR(MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &out), MPI_ERR_ARG,
               {"MPI_Type_create_subarray"});
  EXPECT_ERROR(MPI_Type_create_subarray(1, sizes, good, starts, 12345, MPI_INT, &out), MPI_ERR_ARG,
               {"MPI_Type_create_subarray"});
  MPI_Datatype none = MPI_DATATYPE_NULL;
  EXPECT_ERROR(MPI_Type_commit(&none), MPI_ERR_TYPE, {"MPI_Type_commit"});
  EXPECT_ERROR(MPI_Type_free(&none), MPI_ERR_TYPE, {"MPI_Type_free"});
  int bytes = 0;
  EXPECT_ERROR(MPI_Type_size(MPI_DATATYPE_NULL, &bytes), MPI_ERR_TYPE, {"MPI_Type_size"});
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  EXPECT_ERROR(MPI_Type_get_extent(MPI_DATATYPE_NULL, &lower, &extent), MPI_ERR_TYPE,
               {"MPI_Type_get_extent"});
  MPI_Datatype predefined = MPI_INT;
  EXPECT_ERROR(MPI_Type_free(&predefined), MPI_ERR_TYPE, {"MPI_Type_free"});
  CHECK(predefined == MPI_INT);
  STILL_WORKS(MPI_COMM_WORLD);
}

void packing() {
  int value = 1;
  char buffer[8];
  int at = 6;
  const std::initializer_list<int> noRoom{MPI_ERR_TRUNCATE, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_OTHER,
                                          MPI_ERR_UNKNOWN};
  if (isMpl()) {
    expectError(MPI_Pack(&value, 1, MPI_INT, buffer, 8, &at, MPI_COMM_WORLD), noRoom, {"MPI_Pack"}, __FILE__,
                __LINE__);
    CHECK_EQ(at, 6);
    expectError(MPI_Unpack(buffer, 8, &at, &value, 1, MPI_INT, MPI_COMM_WORLD), noRoom, {"MPI_Unpack"},
                __FILE__, __LINE__);
    CHECK_EQ(value, 1);
  }
  at = 0;
  EXPECT_ERROR(MPI_Pack(&value, -1, MPI_INT, buffer, 8, &at, MPI_COMM_WORLD), MPI_ERR_COUNT,
               {"MPI_Pack", "-1"});
  EXPECT_ERROR(MPI_Pack(&value, 1, MPI_DATATYPE_NULL, buffer, 8, &at, MPI_COMM_WORLD), MPI_ERR_TYPE,
               {"MPI_Pack"});
  EXPECT_ERROR(MPI_Pack(&value, 1, MPI_INT, buffer, 8, &at, MPI_COMM_NULL), MPI_ERR_COMM, {"MPI_Pack"});
  STILL_WORKS(MPI_COMM_WORLD);
}

void communicators() {
  const ReturningComm comm;
  MPI_Comm out = MPI_COMM_NULL;
  MPI_Comm none = MPI_COMM_NULL;
  int value = 0;
  EXPECT_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM, {"MPI_Comm_rank"});
  EXPECT_ERROR(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM, {"MPI_Comm_size"});
  EXPECT_ERROR(MPI_Comm_dup(MPI_COMM_NULL, &out), MPI_ERR_COMM, {"MPI_Comm_dup"});
  EXPECT_ERROR(MPI_Comm_free(&none), MPI_ERR_COMM, {"MPI_Comm_free"});
  MPI_Comm world = MPI_COMM_WORLD;
  EXPECT_ERROR(MPI_Comm_free(&world), MPI_ERR_COMM, {"MPI_Comm_free"});
  CHECK(world == MPI_COMM_WORLD);
  EXPECT_ERROR(MPI_Comm_split(comm, -55, 0, &out), MPI_ERR_ARG, {"MPI_Comm_split", "-55"});
  EXPECT_ERROR(MPI_Comm_compare(comm, MPI_COMM_NULL, &value), MPI_ERR_COMM, {"MPI_Comm_compare"});
  MPI_Group group;
  EXPECT_ERROR(MPI_Comm_group(MPI_COMM_NULL, &group), MPI_ERR_COMM, {"MPI_Comm_group"});
  EXPECT_ERROR(MPI_Comm_create_group(comm, MPI_GROUP_NULL, 0, &out), MPI_ERR_GROUP,
               {"MPI_Comm_create_group"});
  STILL_WORKS(comm);
}

void groups() {
  MPI_Group world;
  MPI_Group out;
  int value = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int outside[1] = {size() + 2};
  const int twice[2] = {0, 0};
  const std::string number = std::to_string(size() + 2);
  EXPECT_ERROR(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP, {"MPI_Group_size"});
  EXPECT_ERROR(MPI_Group_rank(MPI_GROUP_NULL, &value), MPI_ERR_GROUP, {"MPI_Group_rank"});
  EXPECT_ERROR(MPI_Group_incl(world, 1, outside, &out), MPI_ERR_RANK, {"MPI_Group_incl", number.c_str()});
  EXPECT_ERROR(MPI_Group_incl(world, 2, twice, &out), MPI_ERR_RANK, {"MPI_Group_incl"});
  EXPECT_ERROR(MPI_Group_excl(world, 1, outside, &out), MPI_ERR_RANK, {"MPI_Group_excl", number.c_str()});
  EXPECT_ERROR(MPI_Group_union(world, MPI_GROUP_NULL, &out), MPI_ERR_GROUP, {"MPI_Group_union"});
  EXPECT_ERROR(MPI_Group_translate_ranks(world, 1, outside, world, &value), MPI_ERR_RANK,
               {"MPI_Group_translate_ranks"});
  MPI_Group none = MPI_GROUP_NULL;
  EXPECT_ERROR(MPI_Group_free(&none), MPI_ERR_GROUP, {"MPI_Group_free"});
  int range[1][3] = {{0, size() + 2, 1}};
  EXPECT_ERROR(MPI_Group_range_incl(world, 1, range, &out), MPI_ERR_RANK, {"MPI_Group_range_incl"});
  range[0][1] = 0;
  range[0][2] = 0;
  const int code = MPI_Group_range_incl(world, 1, range, &out);
  expectError(code, {MPI_ERR_ARG, MPI_ERR_RANK}, {"MPI_Group_range_incl"}, __FILE__, __LINE__);
  MPI_Group_free(&world);
  STILL_WORKS(MPI_COMM_WORLD);
}

void infos() {
  MPI_Info info;
  int found = 0;
  char value[10];
  MPI_Info none = MPI_INFO_NULL;
  const std::string longKey(MPI_MAX_INFO_KEY + 10, 'k');
  const std::string longValue(MPI_MAX_INFO_VAL + 10, 'v');
  MPI_Info_create(&info);
  EXPECT_ERROR(MPI_Info_set(MPI_INFO_NULL, "key", "value"), MPI_ERR_INFO, {"MPI_Info_set"});
  EXPECT_ERROR(MPI_Info_get_nkeys(MPI_INFO_NULL, &found), MPI_ERR_INFO, {"MPI_Info_get_nkeys"});
  EXPECT_ERROR(MPI_Info_free(&none), MPI_ERR_INFO, {"MPI_Info_free"});
  EXPECT_ERROR(MPI_Info_set(info, longKey.c_str(), "value"), MPI_ERR_INFO_KEY, {"MPI_Info_set"});
  EXPECT_ERROR(MPI_Info_set(info, "", "value"), MPI_ERR_INFO_KEY, {"MPI_Info_set"});
  EXPECT_ERROR(MPI_Info_set(info, "key", longValue.c_str()), MPI_ERR_INFO_VALUE, {"MPI_Info_set"});
  EXPECT_ERROR(MPI_Info_delete(info, "absent"), MPI_ERR_INFO_NOKEY, {"MPI_Info_delete", "absent"});
  const int code = MPI_Info_get_nthkey(info, 3, value);
  expectError(code, {MPI_ERR_ARG, MPI_ERR_INFO_NOKEY}, {"MPI_Info_get_nthkey", "3"}, __FILE__, __LINE__);
  MPI_Info_get(info, "absent", 9, value, &found);
  CHECK(!found);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get(info, "key", 9, value, &found);
  CHECK(found);
  CHECK_EQ(std::string(value), std::string("value"));
  MPI_Info_free(&info);
}

void attributes() {
  const ReturningComm comm;
  int key = MPI_KEYVAL_INVALID;
  int found = 0;
  void* value = nullptr;
  EXPECT_ERROR(MPI_Comm_set_attr(comm, MPI_KEYVAL_INVALID, nullptr), MPI_ERR_KEYVAL, {"MPI_Comm_set_attr"});
  EXPECT_ERROR(MPI_Comm_get_attr(comm, MPI_KEYVAL_INVALID, &value, &found), MPI_ERR_KEYVAL,
               {"MPI_Comm_get_attr"});
  EXPECT_ERROR(MPI_Comm_delete_attr(comm, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL, {"MPI_Comm_delete_attr"});
  EXPECT_ERROR(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL, {"MPI_Comm_free_keyval"});
  // The predefined attributes can be read only (MPI 4.1, 7.7.2 and 9.1.2).
  const int code = MPI_Comm_set_attr(comm, MPI_TAG_UB, &found);
  expectError(code, {MPI_ERR_KEYVAL, MPI_ERR_ARG}, {"MPI_Comm_set_attr"}, __FILE__, __LINE__);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  EXPECT_ERROR(MPI_Comm_set_attr(MPI_COMM_NULL, key, nullptr), MPI_ERR_COMM, {"MPI_Comm_set_attr"});
  MPI_Comm_free_keyval(&key);
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
  STILL_WORKS(comm);
}

void operations() {
  MPI_Op none = MPI_OP_NULL;
  EXPECT_ERROR(MPI_Op_free(&none), MPI_ERR_OP, {"MPI_Op_free"});
  MPI_Op predefined = MPI_SUM;
  EXPECT_ERROR(MPI_Op_free(&predefined), MPI_ERR_OP, {"MPI_Op_free"});
  CHECK(predefined == MPI_SUM);
  int flag = 0;
  EXPECT_ERROR(MPI_Op_commutative(MPI_OP_NULL, &flag), MPI_ERR_OP, {"MPI_Op_commutative"});
  int a = 1;
  int b = 2;
  double c = 1;
  double d = 2;
  EXPECT_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP, {"MPI_Reduce_local"});
  EXPECT_ERROR(MPI_Reduce_local(&c, &d, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP,
               {"MPI_Reduce_local", "MPI_BAND"});
  EXPECT_ERROR(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT, {"MPI_Reduce_local", "-1"});
  CHECK_EQ(b, 2);
  CHECK_EQ(d, 2.0);
}

void errorCalls() {
  const ReturningComm comm;
  const std::initializer_list<int> badHandler {
    MPI_ERR_ARG,
#if CHECK_MPI_41
        MPI_ERR_ERRHANDLER
#else
        MPI_ERR_OTHER
#endif
  };
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  int theClass = 0;
  MPI_Errhandler none = MPI_ERRHANDLER_NULL;
  if (isMpl()) {
    expectError(MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL), badHandler, {"MPI_Comm_set_errhandler"},
                __FILE__, __LINE__);
    expectError(MPI_Errhandler_free(&none), badHandler, {"MPI_Errhandler_free"}, __FILE__, __LINE__);
    EXPECT_ERROR(MPI_Error_string(-12345, text, &length), MPI_ERR_ARG, {"MPI_Error_string", "-12345"});
    EXPECT_ERROR(MPI_Error_class(1 << 30, &theClass), MPI_ERR_ARG, {"MPI_Error_class"});
  }
  EXPECT_ERROR(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM,
               {"MPI_Comm_set_errhandler"});
  // Every class is its own class and has a text.
  for (int each = MPI_SUCCESS; each <= MPI_ERR_UNKNOWN; ++each) {
    CHECK_EQ(errorClass(each), each);
    CHECK(!errorString(each).empty());
  }
  STILL_WORKS(comm);
}

// Handles that were freed, and values that never were handles. Other libraries may crash on these.
void deadHandles() {
  if (!isMpl())
    return;
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const MPI_Group deadGroup = group;
  MPI_Group_free(&group);
  MPI_Info info;
  MPI_Info_create(&info);
  const MPI_Info deadInfo = info;
  MPI_Info_free(&info);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm deadComm = comm;
  MPI_Comm_free(&comm);
  int value = 0;
  EXPECT_ERROR(MPI_Group_size(deadGroup, &value), MPI_ERR_GROUP, {"MPI_Group_size"});
  EXPECT_ERROR(MPI_Info_get_nkeys(deadInfo, &value), MPI_ERR_INFO, {"MPI_Info_get_nkeys"});
  EXPECT_ERROR(MPI_Comm_free(&deadComm), MPI_ERR_COMM, {"MPI_Comm_free"});
  int key = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  const int deadKey = key;
  MPI_Comm_free_keyval(&key);
  EXPECT_ERROR(MPI_Comm_set_attr(MPI_COMM_SELF, deadKey, nullptr), MPI_ERR_KEYVAL, {"MPI_Comm_set_attr"});
  for (std::uintptr_t bits : {std::uintptr_t{0x3}, std::uintptr_t{0x123456}, std::uintptr_t{0xDEADBEEF00}}) {
    MPI_Group noGroup;
    MPI_Info noInfo;
    MPI_Op noOp;
    MPI_Errhandler noHandler;
    std::memcpy(&noGroup, &bits, sizeof noGroup);
    std::memcpy(&noInfo, &bits, sizeof noInfo);
    std::memcpy(&noOp, &bits, sizeof noOp);
    std::memcpy(&noHandler, &bits, sizeof noHandler);
    EXPECT_ERROR(MPI_Group_size(noGroup, &value), MPI_ERR_GROUP, {"MPI_Group_size"});
    EXPECT_ERROR(MPI_Info_set(noInfo, "a", "b"), MPI_ERR_INFO, {"MPI_Info_set"});
    EXPECT_ERROR(MPI_Op_commutative(noOp, &value), MPI_ERR_OP, {"MPI_Op_commutative"});
    const int code = MPI_Comm_set_errhandler(MPI_COMM_SELF, noHandler);
#if CHECK_MPI_41
    expectError(code, {MPI_ERR_ARG, MPI_ERR_ERRHANDLER}, {"MPI_Comm_set_errhandler"}, __FILE__, __LINE__);
#else
    expectError(code, {MPI_ERR_ARG}, {"MPI_Comm_set_errhandler"}, __FILE__, __LINE__);
#endif
  }
  STILL_WORKS(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  returnAllErrors();
  return run(argc, argv,
             {{"datatypes", datatypes},
              {"packing", packing},
              {"communicators", communicators},
              {"groups", groups},
              {"infos", infos},
              {"attributes", attributes},
              {"operations", operations},
              {"error-calls", errorCalls},
              {"dead-handles", deadHandles}});
}
