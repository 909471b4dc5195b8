// Attributes of communicators when something fails: callbacks that fail or call MPI, keys that are none
// (MPI-5.0, section 7.7).
#include "test/mpi/ground/AttributeLog.h"

using check::errorClass;

namespace {

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

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {
                        {"delete-fails", failingDeleteCallbacksKeepTheAttribute},
                        {"copy-fails", failingCopyCallbacksFailTheDuplication},
                        {"recursion", callbacksMayCallMpi},
#ifdef MPI_ABI_VERSION
                        {"codes", codesOfCallbacksArePassedOn},
                        {"bad", badKeysAreErrors},
#endif
                    });
}
