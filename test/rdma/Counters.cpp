// What windows over librpma do on the wire, counted: one connection serves all windows, put is rpma_write,
// get rpma_read, a flush rpma_flush. Looks into the library, so it is linked with its objects. Needs two
// ranks and MPL_ONESIDED=rpma on a machine with an RDMA device; with MPL_RPMA_FLUSH=ack other
// cases.
#include "mpl/Config.h"
#include "onesided/RmaLock.h"
#include "onesided/rpma/PrivateData.h"
#include "onesided/rpma/RpmaCounters.h"
#include "onesided/rpma/SendQueue.h"
#include "test/mpi/Check.h"

#include <cstring>
#include <numeric>
#include <sys/mman.h>

namespace {

mpl::RpmaCounters now() {
  const mpl::RmaLock lock;
  return mpl::rpmaCounters;
}

struct Window {
  explicit Window(MPI_Aint bytes) : data(static_cast<size_t>(bytes), 0) {
    MPI_Win_create(data.data(), bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (check::rank() == 0)
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  }
  ~Window() {
    if (check::rank() == 0)
      MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
  }
  std::vector<unsigned char> data;
  MPI_Win win = MPI_WIN_NULL;
};

std::vector<unsigned char> pattern(size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  for (size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(i * 7 + i / 251 + seed);
  return data;
}

// The first access to a target connects; its private data brings what the first window needs.
void firstWindow() {
  const mpl::RpmaCounters before = now();
  CHECK_EQ(before.connections, 0U);
  {
    Window window(4096);
    if (check::rank() == 0) {
      const std::vector<unsigned char> sent = pattern(64, 1);
      MPI_Put(sent.data(), 64, MPI_BYTE, 1, 128, 64, MPI_BYTE, window.win);
      MPI_Win_flush(1, window.win);
      std::vector<unsigned char> back(64);
      MPI_Get(back.data(), 64, MPI_BYTE, 1, 128, 64, MPI_BYTE, window.win);
      MPI_Win_flush(1, window.win);
      CHECK(back == sent);
      const mpl::RpmaCounters after = now();
      CHECK_EQ(after.connections, 1U);
      CHECK_EQ(after.refused, 0U);
      CHECK_EQ(after.lookups, 0U);
      CHECK_EQ(after.writes, 1U);
      CHECK_EQ(after.writtenBytes, 64U);
      CHECK_EQ(after.reads, 1U);
      CHECK_EQ(after.readBytes, 64U);
      CHECK_EQ(after.flushes, 1U);
      CHECK_EQ(after.requestBytesSent, mpl::ConnectRequest::wireBytes);
      CHECK(after.replyBytesReceived > 0);
    }
  }
  if (check::rank() == 1) {
    const mpl::RpmaCounters after = now();
    CHECK_EQ(after.connections, 0U);
    CHECK_EQ(after.accepted, 1U);
    CHECK_EQ(after.rejectedInAll(), 0U);
    CHECK(after.requestBytesReceived >= mpl::ConnectRequest::wireBytes);
    CHECK(after.replyBytesSent > 0);
    CHECK(after.replyBytesSent <= mpl::ConnectReply::wireLimit);
    CHECK_EQ(after.writes + after.reads + after.flushes, 0U);
  }
}

// A window made later is found by one read of the directory, over the connection that is there.
void laterWindows() {
  const mpl::RpmaCounters before = now();
  constexpr int some = 5;
  for (int i = 0; i < some; ++i) {
    Window window(1 + i); // less than the 8 bytes that a flush reads
    if (check::rank() == 0) {
      const unsigned char value = static_cast<unsigned char>(50 + i);
      MPI_Put(&value, 1, MPI_BYTE, 1, i, 1, MPI_BYTE, window.win);
      MPI_Win_flush(1, window.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check::rank() == 1)
      CHECK_EQ(window.data[static_cast<size_t>(i)], 50 + i);
  }
  const mpl::RpmaCounters after = now();
  if (check::rank() == 0) {
    CHECK_EQ(after.connections - before.connections, 0U);
    CHECK_EQ(after.lookups - before.lookups, static_cast<unsigned>(some));
    CHECK_EQ(after.writes - before.writes, static_cast<unsigned>(some));
    CHECK_EQ(after.flushes - before.flushes, static_cast<unsigned>(some));
    CHECK_EQ(after.requestBytesSent - before.requestBytesSent, 0U);
  } else {
    CHECK_EQ(after.accepted - before.accepted, 0U);
  }
}

// A flush where nothing was put since the last costs nothing.
void emptyFlush() {
  Window window(64);
  if (check::rank() != 0)
    return;
  int value = 3;
  MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);
  MPI_Win_flush(1, window.win);
  const mpl::RpmaCounters before = now();
  MPI_Win_flush(1, window.win);
  MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);
  MPI_Win_flush(1, window.win);
  CHECK_EQ(now().flushes - before.flushes, 0U);
}

// Large transfers are split, and registered once for a buffer that is used again.
void largeTransfers() {
  constexpr size_t bytes = 2 * mpl::SendQueue::pieceBytes + 4321;
  Window window(static_cast<MPI_Aint>(bytes));
  if (check::rank() == 0) {
    const std::vector<unsigned char> sent = pattern(bytes, 9);
    std::vector<unsigned char> back(bytes);
    const mpl::RpmaCounters before = now();
    MPI_Put(sent.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, static_cast<int>(bytes), MPI_BYTE,
            window.win);
    MPI_Win_flush(1, window.win);
    CHECK_EQ(now().writes - before.writes, 3U);
    MPI_Get(back.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, static_cast<int>(bytes), MPI_BYTE,
            window.win);
    MPI_Win_flush(1, window.win);
    CHECK_EQ(now().reads - before.reads - (now().lookups - before.lookups), 3U);
    CHECK(back == sent);
    MPI_Get(back.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, static_cast<int>(bytes), MPI_BYTE,
            window.win);
    MPI_Win_flush(1, window.win);
    CHECK_EQ(now().registrations - before.registrations, 2U);
  }
}

// Memory that was unmapped and mapped again is not taken for what was registered before.
void remappedMemory() {
  constexpr size_t bytes = 65536;
  Window window(bytes);
  if (check::rank() == 0) {
    const int protection = PROT_READ | PROT_WRITE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, bytes, protection, flags, -1, 0);
    for (unsigned round = 0; round < 4; ++round) {
      CHECK(memory != MAP_FAILED);
      const std::vector<unsigned char> sent = pattern(bytes, round);
      std::memcpy(memory, sent.data(), bytes);
      MPI_Put(memory, static_cast<int>(bytes), MPI_BYTE, 1, 0, static_cast<int>(bytes), MPI_BYTE, window.win);
      MPI_Win_flush(1, window.win);
      std::vector<unsigned char> back(bytes);
      MPI_Get(back.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, static_cast<int>(bytes), MPI_BYTE,
              window.win);
      MPI_Win_flush(1, window.win);
      CHECK(back == sent);
      munmap(memory, bytes);
      void* again = mmap(memory, bytes, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
      memory = again;
    }
    munmap(memory, bytes);
  }
}

// More operations than the send queue takes, of all kinds, in order.
void fullQueue() {
  constexpr int many = 1000;
  Window window(many * 8);
  if (check::rank() == 0) {
    const mpl::RpmaCounters before = now();
    for (std::int64_t i = 0; i < many; ++i)
      MPI_Put(&i, 8, MPI_BYTE, 1, i * 8, 8, MPI_BYTE, window.win);
    MPI_Win_flush(1, window.win);
    std::vector<std::int64_t> back(many, -1);
    for (std::int64_t i = 0; i < many; ++i)
      MPI_Get(&back[static_cast<size_t>(i)], 8, MPI_BYTE, 1, i * 8, 8, MPI_BYTE, window.win);
    MPI_Win_flush(1, window.win);
    std::vector<std::int64_t> wanted(many);
    std::iota(wanted.begin(), wanted.end(), 0);
    CHECK(back == wanted);
    CHECK_EQ(now().writes - before.writes, static_cast<unsigned>(many));
    CHECK_EQ(now().flushes - before.flushes, 1U);
  }
}

// A target that computes answers connections, puts and gets all the same: rank 1 stays out of MPI.
void busyTarget() {
  std::vector<unsigned char> data(64, 0);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(data.data(), 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (check::rank() == 0) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    const unsigned char value = 77;
    MPI_Put(&value, 1, MPI_BYTE, 1, 5, 1, MPI_BYTE, win);
    MPI_Win_flush(1, win);
    MPI_Win_unlock_all(win);
  } else {
    const volatile unsigned char* watched = &data[5];
    while (*watched != 77)
      ;
    CHECK_EQ(static_cast<int>(data[5]), 77);
  }
  MPI_Win_free(&win);
}

// Where all operations on a location are the same, the device stores single elements of 8 bytes; what other
// accumulates do comes before or after it, in their order.
void storedElements() {
  constexpr int some = 16;
  for (const bool same : {true, false}) {
    std::vector<std::int64_t> data(some + 1, -1);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", same ? "same_op" : "same_op_no_op");
    MPI_Win win;
    MPI_Win_create(data.data(), static_cast<MPI_Aint>(data.size() * 8), 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    if (check::rank() == 0) {
      const auto replace = [&](std::int64_t value, int count, MPI_Aint at) {
        const std::int64_t values[] = {value, value};
        MPI_Accumulate(values, count, MPI_INT64_T, 1, at, count, MPI_INT64_T, MPI_REPLACE, win);
      };
      const mpl::RpmaCounters before = now();
      const auto stores = [&] { return now().atomicWrites - before.atomicWrites; };
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
      for (int i = 0; i < some; ++i)
        replace(100 + i, 1, i * 8);
      MPI_Win_flush(1, win);
      CHECK_EQ(stores(), same ? static_cast<unsigned>(some) : 0U);
      // A pair goes by a message; a single element right behind it has to as well.
      for (int i = 0; i < some; ++i) {
        replace(200 + i, 1, i * 8);
        replace(300 + i, 2, i / 2 * 16);
        replace(400 + i, 1, i * 8);
      }
      MPI_Win_flush(1, win);
      CHECK_EQ(stores(), same ? static_cast<unsigned>(some) + 1 : 0U);
      double real = 2.5;
      MPI_Accumulate(&real, 1, MPI_DOUBLE, 1, some * 8, 1, MPI_DOUBLE, MPI_REPLACE, win);
      MPI_Win_flush(1, win);
      CHECK_EQ(stores(), same ? static_cast<unsigned>(some) + 2 : 0U);
      // Not these: another operation, and elements that are not aligned.
      replace(7, 1, 4);
      const std::int64_t nothing = 0;
      MPI_Accumulate(&nothing, 1, MPI_INT64_T, 1, 16, 1, MPI_INT64_T, MPI_SUM, win);
      MPI_Win_unlock(1, win);
      CHECK_EQ(stores(), same ? static_cast<unsigned>(some) + 2 : 0U);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check::rank() == 1) {
      double real = 0;
      std::memcpy(&real, &data[some], sizeof real);
      CHECK(real == 2.5);
      // The two of a pair: the first was overwritten by the second's message, and only the second was then
      // replaced.
      for (int i = 2; i < some; ++i)
        CHECK_EQ(data[static_cast<size_t>(i)], i % 2 == 0 ? 300 + i + 1 : 400 + i);
    }
    MPI_Win_free(&win);
  }
}

// MPL_RPMA_FLUSH=ack: a single put is flushed by its own acknowledgement, several by rpma_flush.
void acknowledgedPuts() {
  constexpr int some = 20;
  Window first(some), second(some);
  const auto put = [](int i, const Window& window) {
    const auto value = static_cast<unsigned char>(i + 1);
    MPI_Put(&value, 1, MPI_BYTE, 1, i, 1, MPI_BYTE, window.win);
  };
  if (check::rank() == 0) {
    // Reaching a window reads the directory, behind which the first put is not alone.
    put(0, first);
    MPI_Win_flush(1, first.win);
    put(0, second);
    MPI_Win_flush(1, second.win);
    const mpl::RpmaCounters reached = now();
    for (int i = 1; i < some / 2; ++i) {
      put(i, first);
      MPI_Win_flush(1, first.win);
    }
    CHECK_EQ(now().flushes - reached.flushes, 0U);
    CHECK_EQ(now().writes - reached.writes, some / 2 - 1U);
    for (int i = some / 2; i < some; ++i)
      put(i, first);
    MPI_Win_flush(1, first.win);
    CHECK_EQ(now().flushes - reached.flushes, 1U);
    // The last put is another window's.
    for (int i = 1; i < some; ++i) {
      put(i, second);
      put(i, first);
      MPI_Win_flush(1, second.win);
    }
    MPI_Win_flush(1, first.win);
    CHECK(now().flushes - reached.flushes >= static_cast<unsigned>(some));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == 1)
    for (const Window* window : {&first, &second})
      for (int i = 0; i < some; ++i)
        CHECK_EQ(window->data[static_cast<size_t>(i)], i + 1);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (mpl::Config::get().word(mpl::Setting::rpmaFlush) == "ack")
    return check::run(argc, argv,
                      {{"acknowledged puts", acknowledgedPuts, 2},
                       {"stored elements", storedElements, 2},
                       {"large transfers", largeTransfers, 2},
                       {"busy target", busyTarget, 2}});
  return check::run(argc, argv,
                    {{"first window", firstWindow, 2},
                     {"later windows", laterWindows, 2},
                     {"empty flush", emptyFlush, 2},
                     {"large transfers", largeTransfers, 2},
                     {"remapped memory", remappedMemory, 2},
                     {"full queue", fullQueue, 2},
                     {"stored elements", storedElements, 2},
                     {"busy target", busyTarget, 2}});
}
