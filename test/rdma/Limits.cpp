// Little memory may be locked (the run sets the limit, as a user whom it binds): what cannot be registered
// goes another way, quietly, and nothing arrives wrong. Two ranks under MPL_ONESIDED=rpma on a machine with
// an RDMA device. The argument is what the limit leaves: "small" - windows of some KiB are registered, large
// ones and large buffers of origins are not; "nothing" - not even what a process needs to be reached.
#include "test/rdma/Pvars.h"

#include <sys/resource.h>

namespace {

constexpr int target = 1;
bool nothing = false;

std::vector<unsigned char> pattern(size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  for (size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(i * 5 + i / 127 + seed);
  return data;
}

// Puts all of a window and gets it back; tells over which transport.
std::string roundTrip(size_t bytes, unsigned seed) {
  std::vector<unsigned char> memory(bytes, 0);
  MPI_Win win = MPI_WIN_NULL;
  CHECK_EQ(
      MPI_Win_create(memory.data(), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
      MPI_SUCCESS);
  std::string way = "none";
  if (check::rank() == 0) {
    const rdma::Pvars pvars;
    const std::vector<unsigned char> sent = pattern(bytes, seed);
    std::vector<unsigned char> back(bytes, 0);
    const auto count = static_cast<int>(bytes);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(sent.data(), count, MPI_BYTE, target, 0, count, MPI_BYTE, win);
    MPI_Win_flush(target, win);
    MPI_Get(back.data(), count, MPI_BYTE, target, 0, count, MPI_BYTE, win);
    MPI_Win_flush(target, win);
    MPI_Win_unlock(target, win);
    CHECK(back == sent);
    for (const char* one : {"rpma", "ucx"})
      if (pvars[std::string("windows_") + one + "_put_bytes"] == bytes)
        way = one;
    CHECK_EQ(pvars["rpma_written_bytes"], way == "rpma" ? bytes : 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == target)
    CHECK(memory == pattern(bytes, seed));
  MPI_Win_free(&win);
  return way;
}

void limited() {
  struct rlimit limit {};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const auto most = static_cast<size_t>(limit.rlim_cur);
  CHECK(most < size_t{64} << 20);
  const std::string small = roundTrip(4096, 1);
  const std::string large = roundTrip(2 * most, 2);
  const std::string again = roundTrip(4096, 3);
  if (check::rank() != 0)
    return;
  CHECK_EQ(small, std::string(nothing ? "ucx" : "rpma"));
  CHECK_EQ(large, std::string("ucx"));
  CHECK_EQ(again, small);
}

// The window's memory is registered; the origin's is too large for that: bounce buffers carry it.
void largeOrigin() {
  if (nothing)
    return;
  struct rlimit limit {};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const auto bytes = static_cast<size_t>(limit.rlim_cur) * 5 / 8;
  CHECK_EQ(roundTrip(bytes, 4), std::string(check::rank() == 0 ? "rpma" : "none"));
}

} // namespace

int main(int argc, char** argv) {
  nothing = argc > 1 && std::strcmp(argv[1], "nothing") == 0;
  MPI_Init(&argc, &argv);
  return check::run(1, argv, {{"limited", limited, 2}, {"large origin", largeOrigin, 2}});
}
