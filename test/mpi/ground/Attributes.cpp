// Attributes of communicators: callbacks over duplication, replacement and freeing, keys that are freed
// early, what MPI_Finalize does with those of MPI_COMM_SELF (MPI-5.0, sections 7.7 and 11.4.2).
#include "test/mpi/ground/AttributeLog.h"

namespace {

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
      CHECK(*value >= check::size());
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
        {"predefined", predefinedAttributes}, {"deprecated", deprecatedNames}, {"many", manyAttributes},
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
