// Messages beyond 2 and 4 GiB (MPI 4.1, 3.2.5: MPI_Get_count gives MPI_UNDEFINED for a number that is no
// int). Needs about 9 GiB of memory on two ranks; with less available it is skipped (exit status 77).
#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"

#include <sys/mman.h>

using namespace check;

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t largest = 4200 * mib;
constexpr std::size_t needKiB = 11 * mib; // that is 11 GiB

unsigned char* memory = nullptr;

long availableKiB() {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  char line[200];
  long available = 0;
  while (file && std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "MemAvailable: %ld", &available) == 1)
      break;
  if (file)
    std::fclose(file);
  return available;
}

std::uint64_t wordAt(std::size_t place, std::uint64_t seed) {
  return mix(place ^ (seed << 40));
}

// One word in every 4 KiB, and the last one: a shifted or wrapped copy shows in each of them.
template <class Body> void forPlaces(std::size_t bytes, Body body) {
  for (std::size_t place = 0; place + 8 <= bytes; place += 4096)
    body(place);
  body(bytes - 8);
}

void put(std::size_t bytes, std::uint64_t seed) {
  forPlaces(bytes, [&](std::size_t place) {
    const std::uint64_t word = wordAt(place, seed);
    std::memcpy(memory + place, &word, 8);
  });
}

std::size_t wrongWords(std::size_t bytes, std::uint64_t seed) {
  std::size_t wrong = 0;
  forPlaces(bytes, [&](std::size_t place) {
    const std::uint64_t word = wordAt(place, seed);
    wrong += std::memcmp(memory + place, &word, 8) != 0;
  });
  return wrong;
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

// A datatype of 1 MiB, so that an int count reaches far.
MPI_Datatype chunk() {
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(mib), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

void byLargeType(std::size_t chunks, bool probe) {
  MPI_Datatype type = chunk();
  const std::size_t bytes = chunks * mib;
  if (rank() == 0) {
    put(bytes, chunks);
    MPI_Send(memory, static_cast<int>(chunks), type, 1, 3, MPI_COMM_WORLD);
  } else if (rank() == 1) {
    MPI_Status status;
    if (probe) {
      MPI_Probe(0, 3, MPI_COMM_WORLD, &status);
      checkLength(status, bytes);
    }
    MPI_Recv(memory, static_cast<int>(chunks), type, 0, 3, MPI_COMM_WORLD, &status);
    checkLength(status, bytes);
    int count = 0;
    MPI_Get_count(&status, type, &count);
    CHECK_EQ(count, static_cast<int>(chunks));
    CHECK_EQ(wrongWords(bytes, chunks), 0u);
  }
  MPI_Type_free(&type);
}

#if CHECK_MPI_40
void byLargeCount(std::size_t bytes, bool matched) {
  const auto count = static_cast<MPI_Count>(bytes);
  if (rank() == 0) {
    put(bytes, bytes);
    MPI_Request request;
    MPI_Isend_c(memory, count, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank() == 1) {
    MPI_Status status;
    if (matched) {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      checkLength(status, bytes);
      MPI_Mrecv_c(memory, count, MPI_BYTE, &message, &status);
    } else {
      MPI_Recv_c(memory, count, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    }
    checkLength(status, bytes);
    CHECK_EQ(wrongWords(bytes, bytes), 0u);
  }
}

// Too long by one byte beyond 2 GiB is an error as everywhere.
void truncated() {
  const ReturningComm comm;
  const auto bytes = static_cast<MPI_Count>(2049 * mib);
  if (rank() == 0) {
    CHECK_EQ(MPI_Send_c(memory, bytes, MPI_BYTE, 1, 3, comm), MPI_SUCCESS);
  } else if (rank() == 1) {
    memory[bytes - 1] = 0x77;
    MPI_Status status;
    CHECK_EQ(errorClass(MPI_Recv_c(memory, bytes - 1, MPI_BYTE, 0, 3, comm, &status)), MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(memory[bytes - 1], 0x77);
  }
}
#endif

// Blocks of 1 MiB with gaps on the sender's side, 2.1 GiB of data in all.
void strided() {
  constexpr int blocks = 2100;
  constexpr std::size_t stride = mib + 65536;
  MPI_Datatype gaps;
  MPI_Datatype plain = chunk();
  MPI_Type_create_hvector(blocks, 1, static_cast<MPI_Aint>(stride), plain, &gaps);
  MPI_Type_commit(&gaps);
  if (rank() == 0) {
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t place = 0; place < mib; place += 4096) {
        const std::uint64_t word = wordAt(i * mib + place, 9);
        std::memcpy(memory + i * stride + place, &word, 8);
      }
    const std::uint64_t last = wordAt(blocks * mib - 8, 9);
    std::memcpy(memory + (blocks - 1) * stride + mib - 8, &last, 8);
    MPI_Send(memory, 1, gaps, 1, 3, MPI_COMM_WORLD);
  } else if (rank() == 1) {
    MPI_Status status;
    MPI_Recv(memory, blocks, plain, 0, 3, MPI_COMM_WORLD, &status);
    checkLength(status, blocks * mib);
    CHECK_EQ(wrongWords(blocks * mib, 9), 0u);
  }
  MPI_Type_free(&gaps);
  MPI_Type_free(&plain);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int enough = availableKiB() > static_cast<long>(needKiB) && size() >= 2 ? 1 : 0;
  MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!enough) {
    if (rank() == 0)
      std::printf("SKIP Large: needs two ranks and %zu MiB of available memory\n", needKiB / 1024);
    MPI_Finalize();
    return 77;
  }
  void* mapped =
      mmap(nullptr, largest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    std::printf("FAIL Large: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memory = static_cast<unsigned char*>(mapped);
  return run(argc, argv, {
    {"beyond-2-gib-by-type", [] { byLargeType(2050, true); }, 2},
#if CHECK_MPI_40
        {"at-2-gib-by-count", [] { byLargeCount((std::size_t{1} << 31) - 1, false); }, 2},
        {"beyond-2-gib-by-count", [] { byLargeCount((std::size_t{1} << 31) + 12345, true); }, 2},
        {"truncated", truncated, 2},
        {"beyond-4-gib-by-count", [] { byLargeCount((std::size_t{1} << 32) + 4099, false); }, 2},
#endif
        {"strided", strided, 2}, {
      "beyond-4-gib-by-type", [] { byLargeType(4100, false); }, 2
    }
  });
}
