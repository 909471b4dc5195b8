/* Options and printing of the benchmarks, the same for all of them. Plain C, no MPI in it, so that a program
 * written straight on UCX reports in the same way. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How often a size is measured: the iterations are cut into this many blocks, each of which gives one value.
 */
enum { benchBlocks = 10 };

typedef struct BenchOptions {
  size_t smallest; /* -m SMALLEST:LARGEST or -m LARGEST, bytes */
  size_t largest;
  long iterations;        /* -i, of sizes up to 8 KiB; 0 means not given */
  long warmup;            /* -x, not measured; -1 means not given */
  int window;             /* -W, messages in flight where several are */
  int check;              /* -c: compare what arrives with what was sent */
  int full;               /* -f: least, median, greatest value and the number of iterations as well */
  long defaultIterations; /* what the program measures with unless told otherwise */
  long defaultWarmup;
} BenchOptions;

/* Reads the options; complains and ends the process with status 2 when it cannot. `rank` 0 does the talking.
 */
void benchOptions(int argc, char** argv, int rank, BenchOptions* options);

/* Iterations and warm-up rounds for messages of this size: a tenth of them beyond 8 KiB, unless told by -i
 * and -x. The iterations are a multiple of benchBlocks. */
long benchIterations(const BenchOptions* options, size_t bytes);
long benchWarmup(const BenchOptions* options, size_t bytes);

/* The size after this one: 0, 1, 2, 4 ... */
size_t benchNext(size_t bytes);

/* Prints "# title" and the names of the columns. `label` names the value and its unit. */
void benchHeader(const BenchOptions* options, const char* title, const char* label);

/* Prints a row: the mean of the blocks' values and, with -f, the other columns. */
void benchRow(const BenchOptions* options, size_t bytes, const double* blocks, long iterations);

/* Fills with, and compares with, bytes that depend on a seed. benchDiffers gives the number of wrong bytes.
 */
void benchFill(void* buffer, size_t bytes, unsigned seed);
size_t benchDiffers(const void* buffer, size_t bytes, unsigned seed);

/* Memory that starts at a page, every page written once; ends the process when there is none. */
void* benchMemory(size_t bytes);

/* Seconds since some time in the past. */
double benchSeconds(void);

#ifdef __cplusplus
}
#endif
