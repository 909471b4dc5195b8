// Window objects: making and freeing, attributes, hints, names, groups, error handlers, shared memory and
// attached memory.
#include "OneWindow.h"

using namespace onesided;

namespace {

template <class T> T attribute(MPI_Win win, int key) {
  void* value = nullptr;
  int flag = 0;
  MPI_Win_get_attr(win, key, &value, &flag);
  CHECK_EQ(flag, 1);
  return flag ? *static_cast<T*>(value) : T();
}

void predefinedAttributes() {
  const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                         MPI_WIN_FLAVOR_DYNAMIC};
  for (int i = 0; i < 4; ++i) {
    OneWindow<double> win(allFlavors[i], 3 + check::rank());
    void* base = nullptr;
    int flag = 0;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK_EQ(flag, 1);
    const bool dynamic = allFlavors[i] == Flavor::dynamic;
    CHECK(base == (dynamic ? MPI_BOTTOM : static_cast<void*>(win.data())));
    CHECK_EQ(attribute<MPI_Aint>(win, MPI_WIN_SIZE),
             dynamic ? 0 : static_cast<MPI_Aint>(sizeof(double)) * (3 + check::rank()));
    CHECK_EQ(attribute<int>(win, MPI_WIN_DISP_UNIT), dynamic ? 1 : static_cast<int>(sizeof(double)));
    CHECK_EQ(attribute<int>(win, MPI_WIN_CREATE_FLAVOR), flavors[i]);
    const int model = attribute<int>(win, MPI_WIN_MODEL);
    CHECK(model == MPI_WIN_UNIFIED || model == MPI_WIN_SEPARATE);
  }
}

int deleted = 0;
int deleteFunction(MPI_Win, int, void* value, void* extra) {
  deleted += *static_cast<int*>(value) + *static_cast<int*>(extra);
  return MPI_SUCCESS;
}

void keyvals() {
  int key = MPI_KEYVAL_INVALID;
  int extra = 1000;
  int first = 1;
  int second = 20;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleteFunction, &key, &extra);
  deleted = 0;
  {
    OneWindow<int> win(Flavor::allocate, 1);
    void* value = nullptr;
    int flag = -1;
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK_EQ(flag, 0);
    MPI_Win_set_attr(win, key, &first);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK_EQ(flag, 1);
    CHECK(value == &first);
    MPI_Win_set_attr(win, key, &second);
    CHECK_EQ(deleted, 1001);
    MPI_Win_delete_attr(win, key);
    CHECK_EQ(deleted, 2021);
    MPI_Win_set_attr(win, key, &first);
    MPI_Win_free_keyval(&key);
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
  }
  CHECK_EQ(deleted, 3022);
}

void names() {
  OneWindow<int> win(Flavor::create, 1);
  char name[MPI_MAX_OBJECT_NAME] = "x";
  int length = -1;
  MPI_Win_get_name(win, name, &length);
  CHECK_EQ(length, 0);
  MPI_Win_set_name(win, "halo of the grid");
  MPI_Win_get_name(win, name, &length);
  CHECK_EQ(std::string(name), std::string("halo of the grid"));
  CHECK_EQ(length, 16);
}

void groups() {
  // Of a communicator in another order than the world.
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -check::rank(), &reversed);
  {
    OneWindow<int> win(Flavor::allocate, 1, reversed);
    MPI_Group ofWindow;
    MPI_Group ofComm;
    MPI_Win_get_group(win, &ofWindow);
    MPI_Comm_group(reversed, &ofComm);
    int result = -1;
    MPI_Group_compare(ofWindow, ofComm, &result);
    CHECK_EQ(result, MPI_IDENT);
    MPI_Group_free(&ofWindow);
    MPI_Group_free(&ofComm);
    // Ranks are those of the window's group.
    MPI_Win_fence(0, win);
    const int value = check::rank();
    const int next = (check::rankIn(reversed) + 1) % check::size();
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(win[0], (check::rank() + 1) % check::size());
  }
  MPI_Comm_free(&reversed);
}

std::string hint(MPI_Win win, const char* key) {
  MPI_Info info;
  MPI_Win_get_info(win, &info);
  char value[MPI_MAX_INFO_VAL] = "";
  int flag = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag);
  MPI_Info_free(&info);
  return flag ? value : "(none)";
}

void hints() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "accumulate_ordering", "none");
  int memory = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, 1, info, MPI_COMM_WORLD, &win);
  CHECK_EQ(hint(win, "no_locks"), std::string("true"));
  CHECK_EQ(hint(win, "accumulate_ops"), std::string("same_op"));
  CHECK_EQ(hint(win, "accumulate_ordering"), std::string("none"));
  MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
  MPI_Win_set_info(win, info);
  CHECK_EQ(hint(win, "accumulate_ops"), std::string("same_op_no_op"));
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
  MPI_Info_free(&info);
}

int handlerCalls = 0;
int handlerCode = 0;
void handler(MPI_Win*, int* code, ...) {
  ++handlerCalls;
  handlerCode = *code;
}

void errorHandlers() {
  OneWindow<int> win(Flavor::allocate, 1);
  MPI_Errhandler made;
  MPI_Errhandler got;
  MPI_Win_get_errhandler(win, &got);
  CHECK(got == MPI_ERRORS_ARE_FATAL);
  MPI_Win_create_errhandler(handler, &made);
  MPI_Win_set_errhandler(win, made);
  MPI_Win_get_errhandler(win, &got);
  CHECK(got == made);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&made);
  handlerCalls = 0;
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK_EQ(handlerCalls, 1);
  CHECK_EQ(handlerCode, MPI_ERR_OTHER);
  int value = 0;
  const int code = MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  CHECK_EQ(check::errorClass(code), MPI_ERR_RMA_SYNC);
  CHECK_EQ(handlerCalls, 2);
}

void handles() {
  OneWindow<int> win(Flavor::allocate, 1);
#ifdef MPI_ABI_VERSION
  CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == static_cast<MPI_Win>(win));
#else
  CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == static_cast<MPI_Win>(win));
#endif
}

// Parts of different sizes lie next to each other, and everybody sees everybody's.
void sharedMemory() {
  const int me = check::rank();
  const int ranks = check::size();
  const auto elements = [](int rank) { return rank % 3 == 1 ? 0 : rank + 2; };
  int* mine = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(sizeof(int)) * elements(me), sizeof(int), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &mine, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < elements(me); ++i)
    mine[i] = 100 * me + i;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  int* previousEnd = nullptr;
  for (int rank = 0; rank < ranks; ++rank) {
    MPI_Aint size = -1;
    int unit = -1;
    int* base = nullptr;
    MPI_Win_shared_query(win, rank, &size, &unit, &base);
    CHECK_EQ(size, static_cast<MPI_Aint>(sizeof(int)) * elements(rank));
    CHECK_EQ(unit, static_cast<int>(sizeof(int)));
    for (int i = 0; i < elements(rank); ++i)
      CHECK_EQ(base[i], 100 * rank + i);
    if (elements(rank) != 0) {
      CHECK(previousEnd == nullptr || base == previousEnd);
      previousEnd = base + elements(rank);
    }
  }
  MPI_Aint size = -1;
  int unit = -1;
  int* base = nullptr;
  MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base);
  CHECK_EQ(size, static_cast<MPI_Aint>(2 * sizeof(int)));
  CHECK_EQ(base[1], 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);

  // Apart from each other: aligned bases.
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  char* bytes = nullptr;
  MPI_Win_allocate_shared(3, 1, info, MPI_COMM_WORLD, &bytes, &win);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 64, 0U);
  MPI_Win_free(&win);
  MPI_Info_free(&info);
}

void alignment() {
  char* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(5, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(base) % 64, 0U);
  MPI_Win_free(&win);
}

// Many regions, on shared pages, attached and detached in any order.
void attachedMemory() {
  constexpr int regions = 200;
  constexpr int length = 6;
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  std::vector<int> memory(regions * length);
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const auto part = [&](int i) { return memory.data() + i * length; };
  for (int i = 0; i < regions; i += 2)
    MPI_Win_attach(win, part(i), sizeof(int) * length);
  for (int i = regions - 1; i > 0; i -= 2)
    MPI_Win_attach(win, part(i), sizeof(int) * length);
  for (int i = 0; i < regions; i += 3)
    MPI_Win_detach(win, part(i));
  MPI_Aint base = 0;
  MPI_Get_address(memory.data(), &base);
  std::vector<MPI_Aint> bases(static_cast<size_t>(ranks));
  MPI_Allgather(&base, 1, MPI_AINT, bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  for (int i = 0; i < regions; ++i) {
    if (i % 3 == 0)
      continue;
    const int value = 1000 * me + i;
    const MPI_Aint disp = MPI_Aint_add(bases[static_cast<size_t>(right)],
                                       static_cast<MPI_Aint>(sizeof(int)) * (i * length + length - 1));
    MPI_Put(&value, 1, MPI_INT, right, disp, 1, MPI_INT, win);
    MPI_Win_flush(right, win);
  }
  MPI_Win_unlock(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int left = (me + ranks - 1) % ranks;
  for (int i = 0; i < regions; ++i)
    CHECK_EQ(part(i)[length - 1], i % 3 == 0 ? 0 : 1000 * left + i);
  for (int i = 1; i < regions; ++i)
    if (i % 3 != 0)
      MPI_Win_detach(win, part(i));
  MPI_Win_free(&win);
}

// Many windows one after the other, and many at once.
void manyWindows() {
  for (int i = 0; i < 40; ++i) {
    OneWindow<int> win(allFlavors[i % 4], 16);
    MPI_Win_fence(0, win);
    MPI_Put(&i, 1, MPI_INT, 0, win.at(0, check::rank()), 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (check::rank() == 0) {
      CHECK_EQ(win[check::size() - 1], i);
    }
  }
  std::vector<MPI_Win> windows(20);
  int memory[20] = {};
  for (int i = 0; i < 20; ++i)
    MPI_Win_create(&memory[i], sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &windows[static_cast<size_t>(i)]);
  const int right = (check::rank() + 1) % check::size();
  for (int i = 19; i >= 0; --i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, windows[static_cast<size_t>(i)]);
    MPI_Put(&i, 1, MPI_INT, right, 0, 1, MPI_INT, windows[static_cast<size_t>(i)]);
    MPI_Win_unlock(right, windows[static_cast<size_t>(i)]);
  }
  for (MPI_Win& win : windows)
    MPI_Win_free(&win);
  for (int i = 0; i < 20; ++i)
    CHECK_EQ(memory[i], i);
}

void onSelf() {
  for (const Flavor flavor : allFlavors) {
    OneWindow<int> win(flavor, 2, MPI_COMM_SELF);
    const int value = 9;
    int old = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, win.at(0, 1), 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Fetch_and_op(&value, &old, MPI_INT, 0, win.at(0, 1), MPI_SUM, win);
    MPI_Win_unlock(0, win);
    CHECK_EQ(old, 9);
    CHECK_EQ(win[1], 18);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"predefined attributes", predefinedAttributes},
                     {"keyvals", keyvals},
                     {"names", names},
                     {"groups", groups},
                     {"hints", hints},
                     {"error handlers", errorHandlers},
                     {"handles", handles},
                     {"shared memory", sharedMemory},
                     {"alignment", alignment},
                     {"attached memory", attachedMemory},
                     {"many windows", manyWindows},
                     {"on self", onSelf}});
}
