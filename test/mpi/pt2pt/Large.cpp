// Messages beyond 2 and 4 GiB (MPI 4.1, 3.2.5: MPI_Get_count gives MPI_UNDEFINED for a number that is no
// int), compared byte by byte. What this machine has no memory for is left out, with a line that says so;
// exit status 77 where that is all.
#include "test/mpi/Check.h"
#include "test/mpi/Memory.h"
#include "test/mpi/Pattern.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

using namespace check;

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t largest = 4200 * mib;

// What is sent repeats itself: new memory takes more time than anything else here, so the sender has the same
// pages again and again. Their number is a prime: what is lost or shifted by 2 or 4 GiB shows.
constexpr std::size_t period = std::size_t{4099} * 4096;

unsigned char* sent = nullptr;     // at the sender
unsigned char* received = nullptr; // at the receiver
unsigned char* wanted = nullptr;   // one period, at both

[[noreturn]] void giveUp(const char* what) {
  std::perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void* map(std::size_t bytes, int flags, int file) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (memory == MAP_FAILED)
    giveUp("mmap");
  return memory;
}

void makeMemory() {
  if (rank() == 0) {
    const int file = memfd_create("sent", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, period) != 0)
      giveUp("memfd_create");
    const std::size_t times = largest / period + 1;
    sent = static_cast<unsigned char*>(map(times * period, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
    for (std::size_t i = 0; i < times; ++i)
      if (mmap(sent + i * period, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED)
        giveUp("mmap");
    close(file);
    wanted = sent;
  } else if (rank() == 1) {
    received = static_cast<unsigned char*>(map(largest, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
    madvise(received, largest, MADV_HUGEPAGE);
    wanted = static_cast<unsigned char*>(map(period, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  }
}

// Both sides call it before each message: nothing that an earlier one left behind is right.
void newContents() {
  static std::uint64_t seed = 0;
  if (rank() < 2)
    fill(wanted, period, ++seed);
}

// Whether these bytes are those from place `from` on of the sender's memory.
bool asSent(const unsigned char* in, std::size_t from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t at = from % period;
    const std::size_t part = std::min(bytes, period - at);
    if (std::memcmp(in, wanted + at, part) != 0)
      return false;
    in += part;
    from += part;
    bytes -= part;
  }
  return true;
}

void checkLength(const MPI_Status& status, std::size_t bytes) {
  int count = 0;
  CHECK_EQ(status.MPI_SOURCE, 0);
  CHECK_EQ(status.MPI_TAG, 3);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, bytes > 0x7FFFFFFF ? MPI_UNDEFINED : static_cast<int>(bytes));
  MPI_Count elements = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &elements);
  CHECK_EQ(elements, static_cast<MPI_Count>(bytes));
#if CHECK_MPI_40
  MPI_Get_count_c(&status, MPI_BYTE, &elements);
  CHECK_EQ(elements, static_cast<MPI_Count>(bytes));
#endif
}

// The message is right, and nothing was written behind it. `behind` is what was there before.
void checkContents(std::size_t bytes, unsigned char behind) {
  CHECK(asSent(received, 0, bytes));
  CHECK_EQ(received[bytes], behind);
}

// A datatype of 1 MiB, so that an int count reaches far.
void byLargeType(std::size_t chunks, bool probe) {
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(mib), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  newContents();
  const std::size_t bytes = chunks * mib;
  if (rank() == 0) {
    MPI_Send(sent, static_cast<int>(chunks), type, 1, 3, MPI_COMM_WORLD);
  } else if (rank() == 1) {
    const unsigned char behind = received[bytes];
    MPI_Status status;
    if (probe) {
      MPI_Probe(0, 3, MPI_COMM_WORLD, &status);
      checkLength(status, bytes);
    }
    MPI_Recv(received, static_cast<int>(chunks), type, 0, 3, MPI_COMM_WORLD, &status);
    checkLength(status, bytes);
    int count = 0;
    MPI_Get_count(&status, type, &count);
    CHECK_EQ(count, static_cast<int>(chunks));
    checkContents(bytes, behind);
  }
  MPI_Type_free(&type);
}

#if CHECK_MPI_40
enum class By { receive, matchedReceive };

void byLargeCount(std::size_t bytes, By by) {
  const auto count = static_cast<MPI_Count>(bytes);
  newContents();
  if (rank() == 0) {
    MPI_Request request;
    MPI_Isend_c(sent, count, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank() == 1) {
    const unsigned char behind = received[bytes];
    MPI_Status status;
    if (by == By::matchedReceive) {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      checkLength(status, bytes);
      MPI_Mrecv_c(received, count, MPI_BYTE, &message, &status);
    } else {
      MPI_Recv_c(received, count, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    }
    checkLength(status, bytes);
    checkContents(bytes, behind);
  }
}

// Too long by one byte beyond 2 GiB is an error as everywhere.
void truncated() {
  const ReturningComm comm;
  const auto bytes = static_cast<MPI_Count>(2049 * mib);
  if (rank() == 0) {
    CHECK_EQ(MPI_Send_c(sent, bytes, MPI_BYTE, 1, 3, comm), MPI_SUCCESS);
  } else if (rank() == 1) {
    received[bytes - 1] = 0x77;
    MPI_Status status;
    CHECK_EQ(errorClass(MPI_Recv_c(received, bytes - 1, MPI_BYTE, 0, 3, comm, &status)), MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(received[bytes - 1], 0x77);
  }
}

// Blocks with gaps between them, in which a message lies.
class Blocks {
public:
  Blocks(std::size_t length, std::size_t gap, std::size_t bytes)
      : length_(length), stride_(length + gap), bytes_(bytes) {
    MPI_Datatype block;
    MPI_Type_contiguous(static_cast<int>(length), MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, static_cast<MPI_Aint>(stride_), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&block);
  }
  ~Blocks() { MPI_Type_free(&type_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  MPI_Datatype type() const { return type_; }
  MPI_Count count() const { return static_cast<MPI_Count>((bytes_ + length_ - 1) / length_); }
  // Where a byte of the message lies, and how many follow it without a gap.
  std::size_t offset(std::size_t place) const { return place / length_ * stride_ + place % length_; }
  std::size_t together(std::size_t place) const {
    return std::min(length_ - place % length_, bytes_ - place);
  }
  // body(offset, length) for each gap, the one behind the last byte too.
  template <class Body> void forGaps(Body body) const {
    for (std::size_t place = 0; place < bytes_; place += length_) {
      const std::size_t filled = together(place);
      body(offset(place) + filled, stride_ - filled);
    }
  }

private:
  std::size_t length_;
  std::size_t stride_;
  std::size_t bytes_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Different blocks on the two sides; the receiver's last one is filled in part only.
void strided() {
  constexpr unsigned char untouched = 0xA5;
  constexpr std::size_t bytes = std::size_t{715850} * 3000;
  static_assert(bytes > (std::size_t{1} << 31) + 65536);
  const Blocks from(3000, 61, bytes);
  const Blocks to(4104, 57, bytes);
  newContents();
  if (rank() == 0) {
    MPI_Send_c(sent, from.count(), from.type(), 1, 3, MPI_COMM_WORLD);
  } else if (rank() == 1) {
    to.forGaps(
        [](std::size_t offset, std::size_t length) { std::memset(received + offset, untouched, length); });
    MPI_Status status;
    MPI_Recv_c(received, to.count(), to.type(), 0, 3, MPI_COMM_WORLD, &status);
    checkLength(status, bytes);
    std::size_t place = 0;
    std::size_t part = 0;
    for (; place < bytes; place += part) {
      part = std::min(from.together(place), to.together(place));
      if (!asSent(received + to.offset(place), from.offset(place), part))
        break;
    }
    CHECK_EQ(place, bytes);
    std::size_t touched = 0;
    to.forGaps([&](std::size_t offset, std::size_t length) {
      touched += static_cast<std::size_t>(std::count_if(received + offset, received + offset + length,
                                                        [](unsigned char c) { return c != untouched; }));
    });
    CHECK_EQ(touched, 0u);
  }
}
#endif

struct Wanted {
  long needMiB; // of both ranks together
  Case what;
};

constexpr long forOnePart = 2300;
constexpr long forAll = 5000; // strided: the sender packs as much as the receiver gets

std::vector<Wanted> allCases() {
  return {
    {forOnePart, {"beyond-2-gib-by-type", [] { byLargeType(2050, true); }, 2}},
#if CHECK_MPI_40
        {forOnePart, {"at-2-gib", [] { byLargeCount((std::size_t{1} << 31) - 1, By::matchedReceive); }, 2}},
        {forOnePart,
         {"beyond-2-gib", [] { byLargeCount((std::size_t{1} << 31) + 65536 + 3, By::receive); }, 2}},
        {forOnePart, {"truncated", truncated, 2}}, {forAll, {"strided", strided, 2}},
        {forAll,
         {"beyond-4-gib", [] { byLargeCount((std::size_t{1} << 32) + 4099, By::matchedReceive); }, 2}},
#endif
    {
      forAll, {
        "beyond-4-gib-by-type", [] { byLargeType(4100, false); }, 2
      }
    }
  };
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  // Some is left to all that is not this program.
  long available = availableKiB() / 1024 - 1024;
  MPI_Bcast(&available, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  std::vector<Case> cases;
  for (const Wanted& one : allCases()) {
    if (size() >= 2 && available >= one.needMiB)
      cases.push_back(one.what);
    else if (rank() == 0)
      std::printf("SKIP Large, %s: needs two ranks and %ld MiB of memory, %ld may be used\n",
                  one.what.name.c_str(), one.needMiB, available);
  }
  if (cases.empty()) {
    MPI_Finalize();
    return 77;
  }
  makeMemory();
  return run(argc, argv, cases);
}
