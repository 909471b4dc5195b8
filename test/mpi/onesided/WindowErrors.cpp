// Bad calls on windows: the class of the error, a text that names argument and value, and a window that works
// on.
#include "OneWindow.h"
#include "test/mpi/args/Expect.h"

#include <climits>
#include <cstring>
#include <limits>

using namespace onesided;

namespace {

constexpr int n = 4;

class Quiet : public OneWindow<int> {
public:
  explicit Quiet(Flavor flavor) : OneWindow<int>(flavor, n) {
    MPI_Win_set_errhandler(*this, MPI_ERRORS_RETURN);
  }
};

// After a bad call the window does what it should.
void works(Quiet& win) {
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  const int left = (me + check::size() - 1) % check::size();
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  const int value = 31 + me;
  CHECK_EQ(MPI_Put(&value, 1, MPI_INT, right, win.at(right, 2), 1, MPI_INT, win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
  CHECK_EQ(win[2], 31 + left);
}

void handles() {
  int value = 0;
  EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL), MPI_ERR_WIN,
               {"MPI_Put", "MPI_WIN_NULL"});
  EXPECT_ERROR(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN, {"MPI_Win_fence"});
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_ERROR(MPI_Win_free(&win), MPI_ERR_WIN, {"MPI_Win_free"});
  if (check::isMpl()) {
    int memory = 0;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    const MPI_Win freed = win;
    MPI_Win_free(&win);
    EXPECT_ERROR(MPI_Win_sync(freed), MPI_ERR_WIN, {"MPI_Win_sync", "freed"});
    EXPECT_ERROR(MPI_Win_free(nullptr), MPI_ERR_WIN, {"MPI_Win_free"});
  }
}

void arguments(Flavor flavor) {
  Quiet win(flavor);
  const int ranks = check::size();
  int value = 3;
  MPI_Win_lock_all(0, win);
  EXPECT_ERROR(MPI_Put(&value, -1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win), MPI_ERR_COUNT,
               {"MPI_Put", "origin_count", "-1"});
  EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, 0, win.at(0, 0), -5, MPI_INT, win), MPI_ERR_COUNT,
               {"target_count", "-5"});
  EXPECT_ERROR(MPI_Get(&value, 1, MPI_DATATYPE_NULL, 0, win.at(0, 0), 1, MPI_INT, win), MPI_ERR_TYPE,
               {"MPI_Get"});
  EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, ranks, win.at(0, 0), 1, MPI_INT, win), MPI_ERR_RANK,
               {"target_rank", std::to_string(ranks).c_str()});
  EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, -7, win.at(0, 0), 1, MPI_INT, win), MPI_ERR_RANK, {"-7"});
  EXPECT_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP,
               {"MPI_Accumulate"});
  EXPECT_ERROR(MPI_Win_flush(ranks, win), MPI_ERR_RANK, {"MPI_Win_flush"});
  MPI_Datatype raw;
  MPI_Type_contiguous(2, MPI_INT, &raw);
  EXPECT_ERROR(MPI_Put(&value, 1, raw, 0, win.at(0, 0), 2, MPI_INT, win), MPI_ERR_TYPE,
               {"origin_datatype", "committed"});
  EXPECT_ERROR(MPI_Put(&value, 2, MPI_INT, 0, win.at(0, 0), 1, raw, win), MPI_ERR_TYPE,
               {"target_datatype", "committed"});
  MPI_Type_free(&raw);
  if (check::isMpl()) {
    EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, 0, win.at(0, 0), 2, MPI_INT, win), MPI_ERR_TYPE, {"4", "8"});
    EXPECT_ERROR(MPI_Put(nullptr, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win), MPI_ERR_BUFFER,
                 {"origin_addr", "null"});
    float real = 1;
    EXPECT_ERROR(MPI_Accumulate(&real, 1, MPI_FLOAT, 0, win.at(0, 0), 1, MPI_FLOAT, MPI_BAND, win),
                 MPI_ERR_OP, {"MPI_BAND", "MPI_FLOAT"});
    EXPECT_ERROR(MPI_Accumulate(&real, 1, MPI_FLOAT, 0, win.at(0, 0), 1, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE,
                 {"predefined"});
    EXPECT_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP,
                 {"MPI_NO_OP"});
    float result = 0;
    EXPECT_ERROR(MPI_Compare_and_swap(&real, &real, &result, MPI_FLOAT, 0, win.at(0, 0), win), MPI_ERR_TYPE,
                 {"MPI_Compare_and_swap"});
    MPI_Op mine;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &mine);
    EXPECT_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, mine, win), MPI_ERR_OP,
                 {"predefined"});
    MPI_Op_free(&mine);
    EXPECT_ERROR(MPI_Rput(&value, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win, nullptr), MPI_ERR_ARG,
                 {"request"});
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  works(win);
}

// What is like the transfer before in all but one argument is looked at as closely.
void afterGoodOnes(Flavor flavor) {
  if (!check::isMpl())
    return;
  Quiet win(flavor);
  Quiet other(flavor);
  const int right = (check::rank() + 1) % check::size();
  const int left = (check::rank() + check::size() - 1) % check::size();
  int value = 40 + check::rank();
  int back = 0;
  const auto put = [&](const void* from, int count, int rank, MPI_Aint disp, int there, MPI_Win window) {
    CHECK_EQ(MPI_Put(&value, 1, MPI_INT, right, win.at(right, 1), 1, MPI_INT, win), MPI_SUCCESS);
    return MPI_Put(from, count, MPI_INT, rank, disp, there, MPI_INT, window);
  };
  const auto get = [&](void* to, int count, int rank, MPI_Aint disp, int there, MPI_Win window) {
    CHECK_EQ(MPI_Get(&back, 1, MPI_INT, right, win.at(right, 0), 1, MPI_INT, win), MPI_SUCCESS);
    return MPI_Get(to, count, MPI_INT, rank, disp, there, MPI_INT, window);
  };
  MPI_Win_lock_all(0, win);
  const MPI_Aint at = win.at(right, 1);
  EXPECT_ERROR(put(&value, -1, right, at, -1, win), MPI_ERR_COUNT, {"-1"});
  EXPECT_ERROR(put(&value, 1, right, at, 2, win), MPI_ERR_TYPE, {"8"});
  EXPECT_ERROR(put(nullptr, 1, right, at, 1, win), MPI_ERR_BUFFER, {"null"});
  EXPECT_ERROR(put(&value, 1, check::size(), at, 1, win), MPI_ERR_RANK, {"target_rank"});
  EXPECT_ERROR(put(&value, 1, right, at, 1, MPI_WIN_NULL), MPI_ERR_WIN, {"MPI_WIN_NULL"});
  EXPECT_ERROR(put(&value, 1, right, other.at(right, 1), 1, other), MPI_ERR_RMA_SYNC, {"no access epoch"});
  CHECK_EQ(put(&value, 0, right, at, 0, win), MPI_SUCCESS);
  CHECK_EQ(put(&value, 1, MPI_PROC_NULL, at, 1, win), MPI_SUCCESS);
  EXPECT_ERROR(get(nullptr, 1, right, at, 1, win), MPI_ERR_BUFFER, {"null"});
  EXPECT_ERROR(get(&back, -1, right, at, -1, win), MPI_ERR_COUNT, {"-1"});
  EXPECT_ERROR(get(&back, 1, right, other.at(right, 1), 1, other), MPI_ERR_RMA_SYNC, {"no access epoch"});
  if (flavor != Flavor::dynamic) {
    const MPI_Aint far = std::numeric_limits<MPI_Aint>::max();
    EXPECT_ERROR(put(&value, 1, right, -1, 1, win), MPI_ERR_DISP, {"-1"});
    EXPECT_ERROR(put(&value, 1, right, n, 1, win), MPI_ERR_RMA_RANGE, {"16 bytes"});
    EXPECT_ERROR(put(&value, 1, right, far, 1, win), MPI_ERR_RMA_RANGE, {"target_disp"});
    EXPECT_ERROR(put(&value, 1, right, far / 4, 1, win), MPI_ERR_RMA_RANGE, {"target_disp"});
    EXPECT_ERROR(put(&value, INT_MAX, right, 0, INT_MAX, win), MPI_ERR_RMA_RANGE, {"target_disp"});
    EXPECT_ERROR(get(&back, 1, right, -1, 1, win), MPI_ERR_DISP, {"-1"});
    EXPECT_ERROR(get(&back, n, right, 1, n, win), MPI_ERR_RMA_RANGE, {"16 bytes"});
    CHECK_EQ(put(&value, 0, right, n, 0, win), MPI_SUCCESS);
  }
  // Another window, another target, another datatype, in turns.
  MPI_Win_lock_all(0, other);
  const double real = 2.5;
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(put(&value, 1, right, other.at(right, 2), 1, other), MPI_SUCCESS);
    CHECK_EQ(put(&value, 1, left, win.at(left, 0), 1, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Put(&real, 1, MPI_DOUBLE, right, win.at(right, 2), 1, MPI_DOUBLE, win), MPI_SUCCESS);
  }
  MPI_Win_unlock_all(other);
  MPI_Win_unlock_all(win);
  EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, right, at, 1, MPI_INT, win), MPI_ERR_RMA_SYNC,
               {"no access epoch"});
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQ(other[2], 40 + left);
  CHECK_EQ(win[1], 40 + left);
  CHECK_EQ(win[0], 40 + right);
  double there = 0;
  std::memcpy(&there, &win[2], sizeof there);
  CHECK_EQ(there, real);
  {
    MPI_Win copy = MPI_WIN_NULL;
    int memory = 0;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &copy);
    const MPI_Win freed = copy;
    MPI_Win_fence(0, copy);
    CHECK_EQ(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, copy), MPI_SUCCESS);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, copy);
    CHECK_EQ(memory, value);
    MPI_Win_free(&copy);
    EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, freed), MPI_ERR_WIN, {"freed"});
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// The last bytes can be reached, one more cannot.
void ranges(Flavor flavor) {
  if (!check::isMpl())
    return;
  Quiet win(flavor);
  const int right = (check::rank() + 1) % check::size();
  std::vector<int> values(n + 1, 1);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
  CHECK_EQ(MPI_Put(values.data(), n, MPI_INT, right, win.at(right, 0), n, MPI_INT, win), MPI_SUCCESS);
  CHECK_EQ(MPI_Get(values.data(), 1, MPI_INT, right, win.at(right, n - 1), 1, MPI_INT, win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_flush(right, win), MPI_SUCCESS);
  if (flavor == Flavor::dynamic) {
    // Only the target knows: told by the next synchronisation.
    MPI_Put(values.data(), n + 1, MPI_INT, right, win.at(right, 0), n + 1, MPI_INT, win);
    EXPECT_ERROR(MPI_Win_flush(right, win), MPI_ERR_RMA_RANGE, {"MPI_Win_flush", "attached"});
    MPI_Get(values.data(), 2, MPI_INT, right, win.at(right, n - 1), 2, MPI_INT, win);
    EXPECT_ERROR(MPI_Win_flush(right, win), MPI_ERR_RMA_RANGE, {"attached"});
    MPI_Accumulate(values.data(), 1, MPI_INT, right, 64, 1, MPI_INT, MPI_SUM, win);
    EXPECT_ERROR(MPI_Win_flush(right, win), MPI_ERR_RMA_RANGE, {"attached"});
    MPI_Request request;
    MPI_Rget(values.data(), 1, MPI_INT, right, 4096, 1, MPI_INT, win, &request);
    EXPECT_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_RMA_RANGE, {"MPI_Rget"});
    MPI_Win_flush(right, win);
  } else {
    EXPECT_ERROR(MPI_Put(values.data(), n + 1, MPI_INT, right, 0, n + 1, MPI_INT, win), MPI_ERR_RMA_RANGE,
                 {"target_disp", "16 bytes"});
    EXPECT_ERROR(MPI_Get(values.data(), 1, MPI_INT, right, n, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, {"16"});
    EXPECT_ERROR(MPI_Put(values.data(), 1, MPI_INT, right, -1, 1, MPI_INT, win), MPI_ERR_DISP, {"-1"});
    EXPECT_ERROR(MPI_Put(values.data(), 1, MPI_INT, right, LONG_MAX, 1, MPI_INT, win), MPI_ERR_RMA_RANGE,
                 {"target_disp"});
    EXPECT_ERROR(MPI_Accumulate(values.data(), 2, MPI_INT, right, n - 1, 2, MPI_INT, MPI_SUM, win),
                 MPI_ERR_RMA_RANGE, {"MPI_Accumulate"});
    int result = 0;
    EXPECT_ERROR(MPI_Fetch_and_op(values.data(), &result, MPI_INT, right, n, MPI_SUM, win), MPI_ERR_RMA_RANGE,
                 {"MPI_Fetch_and_op"});
    MPI_Datatype spread;
    MPI_Type_vector(2, 1, n, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    EXPECT_ERROR(MPI_Put(values.data(), 2, MPI_INT, right, 0, 1, spread, win), MPI_ERR_RMA_RANGE,
                 {"20 bytes from 0"});
    MPI_Type_free(&spread);
  }
  CHECK_EQ(MPI_Win_unlock(right, win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  works(win);
}

void epochs(Flavor flavor) {
  if (!check::isMpl())
    return;
  Quiet win(flavor);
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  int value = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto put = [&] { return MPI_Put(&value, 1, MPI_INT, right, win.at(right, 0), 1, MPI_INT, win); };
  MPI_Group self;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Comm_group(MPI_COMM_WORLD, &world);

  EXPECT_ERROR(put(), MPI_ERR_RMA_SYNC, {"MPI_Put", "no access epoch"});
  EXPECT_ERROR(MPI_Win_flush(right, win), MPI_ERR_RMA_SYNC, {"MPI_Win_flush"});
  EXPECT_ERROR(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC, {"MPI_Win_flush_all"});
  EXPECT_ERROR(MPI_Win_unlock(right, win), MPI_ERR_RMA_SYNC, {"not locked"});
  EXPECT_ERROR(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, {"MPI_Win_lock_all"});
  EXPECT_ERROR(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, {"MPI_Win_start"});
  EXPECT_ERROR(MPI_Win_wait(win), MPI_ERR_RMA_SYNC, {"MPI_Win_post"});
  int flag = 0;
  EXPECT_ERROR(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC, {"MPI_Win_test"});

  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), MPI_ERR_RMA_SYNC, {"locked already"});
  EXPECT_ERROR(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_lock_all"});
  EXPECT_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_fence"});
  EXPECT_ERROR(MPI_Win_start(self, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_start"});
  EXPECT_ERROR(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, {"MPI_Win_unlock_all"});
  MPI_Win copy = win;
  EXPECT_ERROR(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC, {"MPI_Win_free"});
  if (check::size() > 1) {
    EXPECT_ERROR(MPI_Put(&value, 1, MPI_INT, me, win.at(me, 0), 1, MPI_INT, win), MPI_ERR_RMA_SYNC,
                 {"not locked"});
    EXPECT_ERROR(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC, {"not locked"});
  }
  MPI_Win_unlock(right, win);

  MPI_Win_lock_all(0, win);
  EXPECT_ERROR(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_lock_all"});
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_lock"});
  EXPECT_ERROR(MPI_Win_unlock(right, win), MPI_ERR_RMA_SYNC, {"MPI_Win_unlock"});
  EXPECT_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_lock_all"});
  MPI_Win_unlock_all(win);

  MPI_Win_post(self, 0, win);
  EXPECT_ERROR(MPI_Win_post(self, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_post"});
  EXPECT_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, {"exposure"});
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC, {"exposure"});
  MPI_Win_start(self, 0, win);
  EXPECT_ERROR(MPI_Win_start(self, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_start"});
  EXPECT_ERROR(MPI_Rput(&value, 1, MPI_INT, me, win.at(me, 0), 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC,
               {"MPI_Rput", "passive"});
  EXPECT_ERROR(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC, {"passive"});
  if (check::size() > 1) {
    EXPECT_ERROR(put(), MPI_ERR_RMA_SYNC, {"group of MPI_Win_start"});
  }
  MPI_Win_complete(win);
  MPI_Win_wait(win);

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  CHECK_EQ(put(), MPI_SUCCESS);
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_fence"});
  EXPECT_ERROR(MPI_Win_start(self, 0, win), MPI_ERR_RMA_SYNC, {"MPI_Win_fence"});
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  EXPECT_ERROR(put(), MPI_ERR_RMA_SYNC, {"no access epoch"});
  MPI_Group_free(&self);
  MPI_Group_free(&world);
  works(win);
}

void assertions() {
  if (!check::isMpl())
    return;
  Quiet win(Flavor::allocate);
  EXPECT_ERROR(MPI_Win_fence(1, win), MPI_ERR_ASSERT, {"assert", "1"});
  EXPECT_ERROR(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT, {"MPI_Win_fence"});
  EXPECT_ERROR(MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT, {"MPI_Win_post"});
  EXPECT_ERROR(MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT, {"MPI_Win_start"});
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, -1, win), MPI_ERR_ASSERT, {"-1"});
  EXPECT_ERROR(MPI_Win_lock_all(5, win), MPI_ERR_ASSERT, {"5"});
  EXPECT_ERROR(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE, {"lock_type", "77"});
  EXPECT_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, check::size(), 0, win), MPI_ERR_RANK, {"rank"});
  EXPECT_ERROR(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP, {"MPI_Win_post"});
  works(win);
}

// One rank's bad argument is everybody's error, and nobody waits for ever.
void making() {
  if (!check::isMpl())
    return;
  const check::ReturningComm comm;
  const bool last = check::rank() == check::size() - 1;
  int memory[4] = {};
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_ERROR(MPI_Win_create(memory, last ? -4 : 16, 4, MPI_INFO_NULL, comm, &win), MPI_ERR_SIZE,
               {"MPI_Win_create", "size is -4"});
  EXPECT_ERROR(MPI_Win_create(memory, 16, last ? 0 : 4, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP,
               {"disp_unit is 0"});
  EXPECT_ERROR(MPI_Win_create(last ? nullptr : memory, 16, 4, MPI_INFO_NULL, comm, &win), MPI_ERR_BASE,
               {"base"});
  EXPECT_ERROR(MPI_Win_allocate(last ? -1 : 8, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE, {"-1"});
  EXPECT_ERROR(MPI_Win_allocate_shared(last ? -1 : 8, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE,
               {"-1"});
  EXPECT_ERROR(MPI_Win_allocate_shared(last ? LONG_MAX - 100 : 8, 1, MPI_INFO_NULL, comm, &base, &win),
               MPI_ERR_NO_MEM, {"MPI_Win_allocate_shared"});
  EXPECT_ERROR(MPI_Win_allocate(last ? MPI_Aint{1} << 60 : 8, 1, MPI_INFO_NULL, comm, &base, &win),
               MPI_ERR_NO_MEM, {"bytes"});
  CHECK(win == MPI_WIN_NULL);
  EXPECT_ERROR(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM,
               {"MPI_Win_create"});
  STILL_WORKS(comm);
}

void flavors() {
  if (!check::isMpl())
    return;
  Quiet fixed(Flavor::allocate);
  Quiet dynamic(Flavor::dynamic);
  int memory[4] = {};
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  EXPECT_ERROR(MPI_Win_attach(fixed, memory, sizeof memory), MPI_ERR_RMA_FLAVOR, {"MPI_Win_create_dynamic"});
  EXPECT_ERROR(MPI_Win_detach(fixed, memory), MPI_ERR_RMA_FLAVOR, {"MPI_Win_detach"});
  EXPECT_ERROR(MPI_Win_shared_query(dynamic, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR, {"dynamic"});
  CHECK_EQ(MPI_Win_attach(dynamic, memory, sizeof memory), MPI_SUCCESS);
  EXPECT_ERROR(MPI_Win_attach(dynamic, &memory[1], 4), MPI_ERR_RMA_ATTACH, {"overlap"});
  EXPECT_ERROR(MPI_Win_attach(dynamic, memory, -1), MPI_ERR_SIZE, {"-1"});
  EXPECT_ERROR(MPI_Win_attach(dynamic, nullptr, 8), MPI_ERR_BASE, {"null"});
  EXPECT_ERROR(MPI_Win_detach(dynamic, &memory[1]), MPI_ERR_RMA_ATTACH, {"base"});
  CHECK_EQ(MPI_Win_detach(dynamic, memory), MPI_SUCCESS);
  EXPECT_ERROR(MPI_Win_shared_query(fixed, check::size(), &size, &unit, &base), MPI_ERR_RANK, {"rank"});
}

void attributes() {
  Quiet win(Flavor::allocate);
  int value = 0;
  EXPECT_ERROR(MPI_Win_set_attr(win, MPI_WIN_SIZE, &value), MPI_ERR_KEYVAL, {"MPI_Win_set_attr"});
  EXPECT_ERROR(MPI_Win_delete_attr(win, MPI_WIN_BASE), MPI_ERR_KEYVAL, {"MPI_Win_delete_attr"});
  EXPECT_ERROR(MPI_Win_set_attr(win, MPI_KEYVAL_INVALID, &value), MPI_ERR_KEYVAL, {"MPI_Win_set_attr"});
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check::returnAllErrors();
  return check::run(argc, argv,
                    {{"handles", handles},
                     {"arguments", [] { forEachFlavor(arguments); }},
                     {"after good ones", [] { forEachFlavor(afterGoodOnes); }},
                     {"ranges", [] { forEachFlavor(ranges); }},
                     {"epochs", [] { forEachFlavor(epochs); }},
                     {"assertions", assertions},
                     {"making", making},
                     {"flavors", flavors},
                     {"attributes", attributes}});
}
