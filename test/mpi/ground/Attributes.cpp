// Attributes of communicators and datatypes: callbacks over duplication, replacement and freeing, keys that
// are freed early, callbacks that fail or call MPI (MPI-5.0, section 7.7).
#include "test/mpi/Check.h"

#include <algorithm>

using check::errorClass;

namespace {

struct Log {
  std::vector<std::string> lines;
  int copyResult = MPI_SUCCESS;
  int deleteResult = MPI_SUCCESS;
  int copyFlag = 1;
  MPI_Comm lastComm = MPI_COMM_NULL;
};
Log seen;
char cells[16]; // attribute values are addresses in here

int indexOf(void* value) {
  return static_cast<int>(static_cast<char*>(value) - cells);
}

int copyComm(MPI_Comm comm, int, void* extra, void* in, void* out, int* flag) {
  seen.lines.push_back(std::string("copy ") + static_cast<const char*>(extra) + std::to_string(indexOf(in)));
  seen.lastComm = comm;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = seen.copyFlag;
  return seen.copyResult;
}

int deleteComm(MPI_Comm comm, int, void* value, void* extra) {
  seen.lines.push_back(std::string("delete ") + static_cast<const char*>(extra) +
                       std::to_string(indexOf(value)));
  seen.lastComm = comm;
  return seen.deleteResult;
}

bool logged(std::vector<std::string> wanted) {
  const bool same = seen.lines == wanted;
  if (!same)
    for (const std::string& line : seen.lines)
      std::fprintf(stderr, "rank %d logged: %s\n", check::rank(), line.c_str());
  seen.lines.clear();
  return same;
}

int newKey(const char* name) {
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(MPI_Comm_create_keyval(copyComm, deleteComm, &key, const_cast<char*>(name)), MPI_SUCCESS);
  CHECK(key != MPI_KEYVAL_INVALID);
  return key;
}

// The index of the value that is set, -1 where none is.
int valueOf(MPI_Comm comm, int key) {
  void* value = nullptr;
  int flag = -1;
  CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, &flag), MPI_SUCCESS);
  return flag ? indexOf(value) : -1;
}

// A duplicate that returns its errors.
MPI_Comm duplicate(MPI_Comm from = MPI_COMM_WORLD) {
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(from, &comm), MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

void setGetReplaceDelete() {
  seen = {};
  MPI_Comm comm = duplicate();
  int key = newKey("a");
  CHECK_EQ(valueOf(comm, key), -1);
  CHECK_EQ(MPI_Comm_set_attr(comm, key, &cells[1]), MPI_SUCCESS);
  CHECK_EQ(valueOf(comm, key), 1);
  CHECK(logged({}));
  CHECK_EQ(MPI_Comm_set_attr(comm, key, &cells[2]), MPI_SUCCESS);
  CHECK(logged({"delete a1"}));
  CHECK(seen.lastComm == comm);
  CHECK_EQ(valueOf(comm, key), 2);
  CHECK_EQ(MPI_Comm_delete_attr(comm, key), MPI_SUCCESS);
  CHECK(logged({"delete a2"}));
  CHECK_EQ(valueOf(comm, key), -1);
  CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
  MPI_Comm_free(&comm);
  CHECK(logged({}));
}

void duplicatesGetWhatTheCallbackSays() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  MPI_Comm_set_attr(comm, a, &cells[1]);
  MPI_Comm copy = duplicate(comm);
  CHECK(logged({"copy a1"}));
  CHECK(seen.lastComm == comm);
  CHECK_EQ(valueOf(copy, a), 2);
  seen.copyFlag = 0;
  MPI_Comm without = duplicate(comm);
  CHECK(logged({"copy a1"}));
  CHECK_EQ(valueOf(without, a), -1);
  const MPI_Comm old = copy;
  MPI_Comm_free(&copy);
  CHECK(logged({"delete a2"}));
  CHECK(seen.lastComm == old);
  MPI_Comm_free(&without);
  CHECK(logged({}));
  MPI_Comm_free(&comm);
  CHECK(logged({"delete a1"}));
  MPI_Comm_free_keyval(&a);
}

void othersThanDuplicatesGetNothing() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  MPI_Comm_set_attr(comm, a, &cells[1]);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(comm, check::rank() % 2, 0, &half);
  CHECK_EQ(valueOf(half, a), -1);
  CHECK(logged({}));
  MPI_Comm_free(&half);
  CHECK(logged({}));
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&a);
}

void theStandardsOwnFunctions() {
  MPI_Comm comm = duplicate();
  int plain = MPI_KEYVAL_INVALID;
  int dup = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup, nullptr);
  MPI_Comm_set_attr(comm, plain, &cells[1]);
  MPI_Comm_set_attr(comm, dup, &cells[2]);
  MPI_Comm copy = duplicate(comm);
  CHECK_EQ(valueOf(copy, plain), -1);
  CHECK_EQ(valueOf(copy, dup), 2);
  MPI_Comm_free(&comm);
  CHECK_EQ(valueOf(copy, dup), 2);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&plain);
  MPI_Comm_free_keyval(&dup);
}

void keysFreedEarlyLiveOn() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  const int key = a;
  MPI_Comm_set_attr(comm, a, &cells[1]);
  CHECK_EQ(MPI_Comm_free_keyval(&a), MPI_SUCCESS);
  CHECK_EQ(valueOf(comm, key), 1);
  MPI_Comm copy = duplicate(comm);
  CHECK(logged({"copy a1"}));
  MPI_Comm_free(&comm);
  CHECK(logged({"delete a1"}));
  CHECK_EQ(valueOf(copy, key), 2);
  CHECK_EQ(MPI_Comm_delete_attr(copy, key), MPI_SUCCESS);
  CHECK(logged({"delete a2"}));
  MPI_Comm_free(&copy);
}

int freesTheKey(MPI_Comm, int key, void*, void*) {
  seen.lines.push_back("delete");
  return MPI_Comm_free_keyval(&key);
}

void callbacksMayFreeTheKey() {
  seen = {};
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, freesTheKey, &key, nullptr);
  MPI_Comm one = duplicate(MPI_COMM_SELF);
  MPI_Comm_set_attr(one, key, nullptr);
  MPI_Comm two = duplicate(one);
  CHECK_EQ(MPI_Comm_free(&one), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&two), MPI_SUCCESS);
  CHECK(logged({"delete", "delete"}));
}

#if CHECK_MPI_40
void freeGoesBackwards() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  int b = newKey("b");
  int c = newKey("c");
  for (const int key : {b, a, c})
    MPI_Comm_set_attr(comm, key, &cells[0]);
  MPI_Comm_free(&comm);
  CHECK(logged({"delete c0", "delete a0", "delete b0"}));
  for (int* key : {&a, &b, &c})
    MPI_Comm_free_keyval(key);
}
#endif

void failingDeleteCallbacksKeepTheAttribute() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  MPI_Comm_set_attr(comm, a, &cells[1]);
  seen.deleteResult = MPI_ERR_OTHER;
  CHECK(MPI_Comm_delete_attr(comm, a) != MPI_SUCCESS);
  CHECK_EQ(valueOf(comm, a), 1);
  CHECK(MPI_Comm_set_attr(comm, a, &cells[2]) != MPI_SUCCESS);
  CHECK_EQ(valueOf(comm, a), 1);
  CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS);
  CHECK(comm != MPI_COMM_NULL);
  seen.lines.clear();
  seen.deleteResult = MPI_SUCCESS;
  // The communicator is as good as before.
  int sum = 0;
  const int one = 1;
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(sum, check::size());
  CHECK_EQ(valueOf(comm, a), 1);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK(logged({"delete a1"}));
  MPI_Comm_free_keyval(&a);
}

void failingCopyCallbacksFailTheDuplication() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  MPI_Comm_set_attr(comm, a, &cells[1]);
  seen.copyResult = MPI_ERR_OTHER;
  MPI_Comm copy = MPI_COMM_NULL;
  CHECK_EQ(errorClass(MPI_Comm_dup(comm, &copy)), MPI_ERR_OTHER);
  CHECK(copy == MPI_COMM_NULL);
  seen = {};
  copy = duplicate(comm);
  CHECK(logged({"copy a1"}));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&a);
}

#ifdef MPI_ABI_VERSION
// What a callback returns is what the call returns, where it is an error code.
void codesOfCallbacksArePassedOn() {
  seen = {};
  MPI_Comm comm = duplicate();
  int a = newKey("a");
  int mine = 0;
  MPI_Add_error_code(MPI_ERR_FILE, &mine);
  MPI_Comm_set_attr(comm, a, &cells[1]);
  for (const int code : {mine, MPI_ERR_NO_SPACE}) {
    seen.copyResult = seen.deleteResult = code;
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_EQ(MPI_Comm_dup(comm, &copy), code);
    CHECK_EQ(MPI_Comm_delete_attr(comm, a), code);
    CHECK_EQ(MPI_Comm_free(&comm), code);
  }
  seen.deleteResult = 123456789;
  CHECK_EQ(MPI_Comm_delete_attr(comm, a), MPI_ERR_OTHER);
  CHECK(check::errorString(MPI_ERR_OTHER).find("123456789") != std::string::npos);
  seen = {};
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&a);
}

void badKeysAreErrors() {
  seen = {};
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comm = duplicate();
  void* value = nullptr;
  int flag = 0;
  int typeKey = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &typeKey, nullptr);
  int freed = newKey("a");
  const int stale = freed;
  MPI_Comm_free_keyval(&freed);
  for (const int key : {MPI_KEYVAL_INVALID, -1, 12345, typeKey, stale}) {
    CHECK_EQ(MPI_Comm_set_attr(comm, key, nullptr), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, &flag), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_delete_attr(comm, key), MPI_ERR_KEYVAL);
    int copy = key;
    CHECK_EQ(MPI_Comm_free_keyval(&copy), MPI_ERR_KEYVAL);
    CHECK_EQ(copy, key);
  }
  for (const int key :
       {MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_LASTUSEDCODE, MPI_UNIVERSE_SIZE}) {
    CHECK_EQ(MPI_Comm_set_attr(comm, key, nullptr), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_delete_attr(comm, key), MPI_ERR_KEYVAL);
  }
  int key = newKey("b");
  CHECK_EQ(MPI_Comm_delete_attr(comm, key), MPI_ERR_KEYVAL);
  CHECK_EQ(MPI_Comm_get_attr(comm, key, nullptr, &flag), MPI_ERR_ARG);
  CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_NULL, key, nullptr), MPI_ERR_COMM);
  CHECK_EQ(MPI_Comm_create_keyval(nullptr, nullptr, nullptr, nullptr), MPI_ERR_ARG);
  MPI_Comm_free_keyval(&key);
  MPI_Type_free_keyval(&typeKey);
  MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}
#endif

int innerKey = MPI_KEYVAL_INVALID;

// Duplicates another communicator and talks on it, and changes attributes of the one in hand.
int busyDelete(MPI_Comm comm, int, void*, void*) {
  MPI_Comm other = MPI_COMM_NULL;
  int sum = 0;
  const int one = 1;
  if (MPI_Comm_dup(MPI_COMM_SELF, &other) != MPI_SUCCESS ||
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other) != MPI_SUCCESS || sum != 1)
    return MPI_ERR_INTERN;
  seen.lines.push_back("inner was " + std::to_string(valueOf(comm, innerKey)));
  MPI_Comm_free(&other);
  return MPI_Comm_set_attr(comm, innerKey, &cells[5]);
}

void callbacksMayCallMpi() {
  seen = {};
  innerKey = newKey("i");
  int busy = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, busyDelete, &busy, nullptr);
  MPI_Comm comm = duplicate();
  MPI_Comm_set_attr(comm, innerKey, &cells[4]);
  MPI_Comm_set_attr(comm, busy, nullptr);
  CHECK_EQ(MPI_Comm_delete_attr(comm, busy), MPI_SUCCESS);
  CHECK(logged({"inner was 4", "delete i4"}));
  CHECK_EQ(valueOf(comm, innerKey), 5);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK(logged({"delete i5"}));
  MPI_Comm_free_keyval(&busy);
  MPI_Comm_free_keyval(&innerKey);
}

void predefinedAttributes() {
  for (const int key : {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_IO, MPI_HOST}) {
    int* value = nullptr;
    int flag = 0;
    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag), MPI_SUCCESS);
    if (!CHECK(flag) || !CHECK(value != nullptr))
      continue;
    if (key == MPI_TAG_UB)
      CHECK(*value >= 32767);
    if (key == MPI_WTIME_IS_GLOBAL)
      CHECK(*value == 0 || *value == 1);
    // The value stays where it is.
    int* again = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &again, &flag);
    CHECK_EQ(*again, *value);
  }
  for (const int key : {MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE}) {
    int* value = nullptr;
    int flag = 0;
    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag), MPI_SUCCESS);
    if (flag && key == MPI_UNIVERSE_SIZE)
      CHECK(*value >=
            1); // fewer than there are ranks where a launcher counts slots and is told to put more on them
    if (flag && key == MPI_APPNUM)
      CHECK(*value >= 0);
    if (key == MPI_LASTUSEDCODE)
      CHECK(flag && *value >= MPI_ERR_LASTCODE);
  }
}

void deprecatedNames() {
#if !defined(OMPI_MAJOR_VERSION)
  seen = {};
  MPI_Comm comm = duplicate();
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(MPI_Keyval_create(copyComm, deleteComm, &key, const_cast<char*>("o")), MPI_SUCCESS);
  CHECK_EQ(MPI_Attr_put(comm, key, &cells[3]), MPI_SUCCESS);
  void* value = nullptr;
  int flag = 0;
  CHECK_EQ(MPI_Attr_get(comm, key, &value, &flag), MPI_SUCCESS);
  CHECK(flag && value == &cells[3]);
  CHECK_EQ(valueOf(comm, key), 3);
  MPI_Comm copy = duplicate(comm);
  CHECK(logged({"copy o3"}));
  CHECK_EQ(MPI_Attr_delete(copy, key), MPI_SUCCESS);
  CHECK(logged({"delete o4"}));
  CHECK_EQ(MPI_Keyval_free(&key), MPI_SUCCESS);
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
  CHECK(logged({"delete o3"}));
#endif
}

int copyType(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  seen.lines.push_back("copy type " + std::to_string(indexOf(in)));
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = seen.copyFlag;
  return seen.copyResult;
}

int deleteType(MPI_Datatype, int, void* value, void*) {
  seen.lines.push_back("delete type " + std::to_string(indexOf(value)));
  return seen.deleteResult;
}

int typeValue(MPI_Datatype type, int key) {
  void* value = nullptr;
  int flag = 0;
  CHECK_EQ(MPI_Type_get_attr(type, key, &value, &flag), MPI_SUCCESS);
  return flag ? indexOf(value) : -1;
}

void datatypes() {
  seen = {};
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(MPI_Type_create_keyval(copyType, deleteType, &key, nullptr), MPI_SUCCESS);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &type);
  CHECK_EQ(typeValue(type, key), -1);
  CHECK_EQ(MPI_Type_set_attr(type, key, &cells[6]), MPI_SUCCESS);
  CHECK_EQ(typeValue(type, key), 6);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_dup(type, &copy), MPI_SUCCESS);
  CHECK(logged({"copy type 6"}));
  CHECK_EQ(typeValue(copy, key), 7);
  CHECK_EQ(MPI_Type_delete_attr(copy, key), MPI_SUCCESS);
  CHECK(logged({"delete type 7"}));
  MPI_Type_free(&copy);
  CHECK(logged({}));
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, type, &vector);
  CHECK_EQ(typeValue(vector, key), -1);
  MPI_Type_free(&vector);
  CHECK(logged({}));
  MPI_Type_free(&type);
  CHECK(logged({"delete type 6"}));
  CHECK_EQ(MPI_Type_set_attr(MPI_DOUBLE, key, &cells[8]), MPI_SUCCESS);
  CHECK_EQ(typeValue(MPI_DOUBLE, key), 8);
  CHECK_EQ(typeValue(MPI_INT, key), -1);
  CHECK_EQ(MPI_Type_delete_attr(MPI_DOUBLE, key), MPI_SUCCESS);
  CHECK(logged({"delete type 8"}));
  CHECK_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
}

void theStandardsOwnFunctionsForDatatypes() {
  int plain = MPI_KEYVAL_INVALID;
  int dup = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup, nullptr);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_attr(type, plain, &cells[1]);
  MPI_Type_set_attr(type, dup, &cells[2]);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &copy);
  MPI_Type_free(&type);
  CHECK_EQ(typeValue(copy, plain), -1);
  CHECK_EQ(typeValue(copy, dup), 2);
  MPI_Type_free(&copy);
  MPI_Type_free_keyval(&plain);
  MPI_Type_free_keyval(&dup);
}

void manyAttributes() {
  seen = {};
  constexpr int many = 200;
  std::vector<int> keys(many);
  MPI_Comm comm = duplicate();
  for (int& key : keys) {
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(comm, key, &cells[(&key - keys.data()) % 16]);
  }
  MPI_Comm copy = duplicate(comm);
  for (int i = 0; i < many; ++i) {
    CHECK_EQ(valueOf(copy, keys[static_cast<size_t>(i)]), i % 16);
    MPI_Comm_free_keyval(&keys[static_cast<size_t>(i)]);
  }
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
}

std::vector<std::string> atTheEnd;

int noteEnd(MPI_Comm comm, int, void*, void* extra) {
  int ended = -1;
  int sum = 0;
  const int one = 1;
  MPI_Finalized(&ended);
  // MPI still works: this comes before anything else in MPI_Finalize.
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (comm == MPI_COMM_SELF && ended == 0 && sum == check::size())
    atTheEnd.push_back(static_cast<const char*>(extra));
  return MPI_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const char* name : {"first", "second", "third"}) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, noteEnd, &key, const_cast<char*>(name));
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    MPI_Comm_free_keyval(&key);
  }
  const int status = check::run(argc, argv, {
    {"set", setGetReplaceDelete}, {"dup", duplicatesGetWhatTheCallbackSays},
        {"split", othersThanDuplicatesGetNothing}, {"standard-functions", theStandardsOwnFunctions},
        {"early", keysFreedEarlyLiveOn}, {"callback-frees", callbacksMayFreeTheKey},
#if CHECK_MPI_40
        {"order", freeGoesBackwards},
#endif
        {"delete-fails", failingDeleteCallbacksKeepTheAttribute},
        {"copy-fails", failingCopyCallbacksFailTheDuplication},
#ifdef MPI_ABI_VERSION
        {"codes", codesOfCallbacksArePassedOn}, {"bad", badKeysAreErrors},
#endif
        {"recursion", callbacksMayCallMpi}, {"predefined", predefinedAttributes},
        {"deprecated", deprecatedNames}, {"datatypes", datatypes},
        {"datatype-functions", theStandardsOwnFunctionsForDatatypes}, {"many", manyAttributes},
  });
  if (atTheEnd != std::vector<std::string>{"third", "second", "first"}) {
    std::printf("FAIL attributes of MPI_COMM_SELF at MPI_Finalize:");
    for (const std::string& name : atTheEnd)
      std::printf(" %s", name.c_str());
    std::printf("\n");
    return 1;
  }
  return status;
}
