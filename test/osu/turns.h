// Two ways to do the same thing in one process, in turns of short blocks, so that whatever else slows the
// machine down meets both.
#pragma once

#include "bench.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <string>
#include <vector>

namespace turns {

constexpr int count = 200; // of each way

struct Blocks {
  std::vector<double> values;
  double least() const { return *std::min_element(values.begin(), values.end()); }
  double median() const { return benchMedian(values.data(), static_cast<long>(values.size())); }
};

template <class Step> double microseconds(long iterations, Step&& step) {
  const double begun = benchSeconds();
  for (long i = 0; i < iterations; ++i)
    step();
  return (benchSeconds() - begun) * 1e6 / static_cast<double>(iterations);
}

inline void header(const char* straight) {
  std::printf("# bytes    MPI least   median %10s least   median    ratio least  neighbours\n", straight);
}

/// The last of the sizes that are measured.
inline std::size_t lastSize(const BenchOptions& options) {
  std::size_t bytes = options.smallest;
  while (benchNext(bytes) <= options.largest)
    bytes = benchNext(bytes);
  return bytes;
}

/// So much memory holds what is put, and a page at least.
inline std::size_t memoryBytes(const BenchOptions& options) {
  return std::max<std::size_t>(options.largest, 4096);
}
/// Whether what the origin has put last is there: letters p.
inline bool hasArrived(const BenchOptions& options, const void* memory) {
  const std::string wanted(lastSize(options), 'p');
  return std::memcmp(memory, wanted.data(), wanted.size()) == 0;
}

/// Memory of each rank that the other may put to. Collective.
class Window {
public:
  explicit Window(const BenchOptions& options) {
    MPI_Win_allocate(static_cast<MPI_Aint>(memoryBytes(options)), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     static_cast<void*>(&base_), &win_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win_);
  }
  ~Window() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win get() const { return win_; }
  const char* base() const { return base_; }

private:
  char* base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

/// How often compare() calls each way.
inline long calls(const BenchOptions& options, std::size_t bytes) {
  return benchWarmup(&options, bytes) + count * std::max(1L, benchIterations(&options, bytes) / count);
}

/// Measures both ways for this size and prints its line: microseconds of the least and the median block of
/// each, the ratio of the least ones, and the median of the ratios of neighbours, which is the one that
/// others' noise changes least.
template <class Mpi, class Straight>
void compare(const BenchOptions& options, std::size_t bytes, Mpi&& mpi, Straight&& straight) {
  const long iterations = std::max(1L, benchIterations(&options, bytes) / count);
  microseconds(benchWarmup(&options, bytes), mpi);
  microseconds(benchWarmup(&options, bytes), straight);
  Blocks ours;
  Blocks theirs;
  Blocks ratios;
  for (int turn = 0; turn < count; ++turn) {
    ours.values.push_back(microseconds(iterations, mpi));
    theirs.values.push_back(microseconds(iterations, straight));
    ratios.values.push_back(ours.values.back() / theirs.values.back());
  }
  std::printf("%7zu %12.3f %8.3f %16.3f %8.3f %14.3f %8.3f\n", bytes, ours.least(), ours.median(),
              theirs.least(), theirs.median(), ours.least() / theirs.least(), ratios.median());
  std::fflush(stdout);
}

} // namespace turns
