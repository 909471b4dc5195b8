// How fast data with gaps is packed and unpacked, next to memcpy of as many bytes and to a loop written by
// hand. Plain MPI, one process: it also builds with other MPIs' wrappers. Rounds of the four are interleaved
// and the best of each counts, so that what else the machine does changes all of them alike.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int rounds = 40;

struct Pattern {
  const char* name;
  MPI_Datatype type;  // committed; freed by whoever runs it
  std::size_t block;  // bytes in one run
  std::size_t stride; // bytes from run to run
  std::size_t blocks;
};

template <class Work> double timed(Work work) {
  const double start = MPI_Wtime();
  work();
  return MPI_Wtime() - start;
}

void run(Pattern pattern) {
  const std::size_t bytes = pattern.block * pattern.blocks;
  std::vector<char> memory(pattern.stride * pattern.blocks + pattern.block, 1);
  std::vector<char> packed(bytes);
  std::vector<char> flat(bytes, 2);
  const auto size = static_cast<int>(bytes);
  const int repeat = std::max(1, (1 << 20) / size);
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    const double times[4] = {
        timed([&] {
          for (int i = 0; i < repeat; ++i)
            std::memcpy(packed.data(), flat.data(), bytes);
        }),
        timed([&] {
          for (int i = 0; i < repeat; ++i)
            for (std::size_t b = 0; b < pattern.blocks; ++b)
              std::memcpy(packed.data() + b * pattern.block, memory.data() + b * pattern.stride,
                          pattern.block);
        }),
        timed([&] {
          for (int i = 0; i < repeat; ++i) {
            int position = 0;
            MPI_Pack(memory.data(), 1, pattern.type, packed.data(), size, &position, MPI_COMM_SELF);
          }
        }),
        timed([&] {
          for (int i = 0; i < repeat; ++i) {
            int position = 0;
            MPI_Unpack(packed.data(), size, &position, memory.data(), 1, pattern.type, MPI_COMM_SELF);
          }
        })};
    for (int i = 0; i < 4; ++i)
      best[i] = std::min(best[i], times[i]);
  }
  const double moved = static_cast<double>(bytes) * repeat / 1e9;
  std::printf("%-22s %9zu  %8.2f %8.2f %8.2f %8.2f  %10.2f\n", pattern.name, bytes, moved / best[0],
              moved / best[1], moved / best[2], moved / best[3], best[2] / best[1]);
  MPI_Type_free(&pattern.type);
}

Pattern vectorOf(const char* name, int blocks, int block, int stride) {
  Pattern pattern{name, MPI_DATATYPE_NULL, static_cast<std::size_t>(block), static_cast<std::size_t>(stride),
                  static_cast<std::size_t>(blocks)};
  MPI_Type_create_hvector(blocks, block, stride, MPI_BYTE, &pattern.type);
  MPI_Type_commit(&pattern.type);
  return pattern;
}

Pattern listOf(const char* name, int blocks, int block, int stride) {
  Pattern pattern = vectorOf(name, blocks, block, stride);
  MPI_Type_free(&pattern.type);
  std::vector<MPI_Aint> places;
  for (int i = 0; i < blocks; ++i) // every other one a little further, so that it is no vector
    places.push_back(MPI_Aint{i} * stride + i % 2);
  MPI_Type_create_hindexed_block(blocks, block, places.data(), MPI_BYTE, &pattern.type);
  MPI_Type_commit(&pattern.type);
  return pattern;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::printf("# GB/s of data moved, best of %d rounds; the last column is MPI_Pack's time over the loop's\n",
              rounds);
  std::printf("%-22s %9s  %8s %8s %8s %8s  %10s\n", "# pattern", "bytes", "memcpy", "loop", "pack", "unpack",
              "pack/loop");
  for (const int total : {4 << 10, 64 << 10, 1 << 20}) {
    run(vectorOf("1 of 2 bytes", total, 1, 2));
    run(vectorOf("2 of 4 bytes", total / 2, 2, 4));
    run(vectorOf("4 of 8 bytes", total / 4, 4, 8));
    run(vectorOf("8 of 16 bytes", total / 8, 8, 16));
    run(vectorOf("16 of 32 bytes", total / 16, 16, 32));
    run(vectorOf("40 of 64 bytes", total / 40, 40, 64));
    run(vectorOf("64 of 128 bytes", total / 64, 64, 128));
    run(vectorOf("512 of 1024 bytes", total / 512, 512, 1024));
    run(vectorOf("8 of 1024 bytes", total / 8 / 16, 8, 1024));
    run(listOf("8 of 16 bytes, a list", total / 8, 8, 16));
  }
  MPI_Finalize();
  return 0;
}
