/* Options, timing and printing of the benchmarks, the same for all of them. Plain C, no MPI in it, so that a
 * program written straight on UCX reports in the same way. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BenchType { benchChar, benchInt, benchFloat, benchDouble } BenchType;
typedef enum BenchWindow { benchAllocate, benchCreate, benchDynamic } BenchWindow;
typedef enum BenchSync {
  benchFlush,
  benchFlushLocal,
  benchLock,
  benchLockAll,
  benchFence,
  benchPscw
} BenchSync;

typedef struct BenchOptions {
  /* What the program sets before the options are read. */
  const char* letters;    /* options that it knows beside -m -i -x -c -f -z -h: any of W p t w s d R V */
  long defaultIterations; /* what it measures with unless told otherwise */
  long defaultWarmup;
  /* What the options set, and the program for those that are not given. */
  size_t smallest; /* -m SMALLEST:LARGEST or -m LARGEST, bytes */
  size_t largest;
  long iterations;  /* -i, at every size; 0 means not given */
  long warmup;      /* -x, not measured; -1 means not given */
  int check;        /* -c: compare what arrives with what was sent */
  int full;         /* -f: least, greatest, iterations, median as well */
  int tails;        /* -z: every iteration is timed; percentiles as well */
  int window;       /* -W, messages in flight where several are */
  int pairs;        /* -p, pairs of ranks; 0 means as many as there are */
  int counts[2];    /* -t FIRST[:SECOND]: threads, or calls of MPI_Test */
  BenchWindow kind; /* -w allocate, create, dynamic */
  BenchSync sync;   /* -s flush, flush_local, lock, lock_all, fence, pscw */
  BenchType type;   /* -d char, int, float, double */
  int rate;         /* -R 0 or 1: the message rate too */
  int varyWindow;   /* -V: every window size from 1 to 128 */
} BenchOptions;

/* Reads the options. Gives -1, or the status to end with: 2 when they are wrong, 0 after -h. Rank 0 does the
 * talking. */
int benchOptions(int argc, char** argv, int rank, BenchOptions* options);

/* Iterations and warm-up rounds for messages of this size: a tenth of them beyond 8 KiB, unless told by -i
 * and -x. */
long benchIterations(const BenchOptions* options, size_t bytes);
long benchWarmup(const BenchOptions* options, size_t bytes);

/* The measured iterations of one size, cut into blocks that give one value each: ten blocks, or with -z as
 * many as there are iterations. */
typedef struct BenchSeries {
  int blocks;
  long perBlock;
  double* values;
} BenchSeries;
BenchSeries benchSeries(const BenchOptions* options, size_t bytes);
void benchSeriesFree(BenchSeries* series);

/* The size after this one: 0, 1, 2, 4 ... */
size_t benchNext(size_t bytes);

/* Prints "# title" and the names of the columns. `label` names the value and its unit. */
void benchHeader(const BenchOptions* options, const char* title, const char* label);

/* Prints a row: the mean of the blocks, with -f and -z the other columns. `more` are further columns that
 * the header has in its label. */
void benchRow(const BenchOptions* options, size_t bytes, const BenchSeries* series);
void benchRowMore(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                  const double* further);
/* With least and greatest values that are not those of the series. */
void benchRowExtremes(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                      const double* further, double least, double greatest);

/* The value in the middle of n; the mean of both that are when n is even. */
double benchMedian(const double* values, long n);

/* Fills with, and compares with, bytes that depend on a seed. benchDiffers gives the number of wrong bytes.
 */
void benchFill(void* buffer, size_t bytes, unsigned seed);
size_t benchDiffers(const void* buffer, size_t bytes, unsigned seed);

/* Memory that starts at a page, every page written once; ends the process when there is none. */
void* benchMemory(size_t bytes);

/* Seconds since some time in the past. */
double benchSeconds(void);

/* The benchmark's name: that of the program without its folder and "osu_"; when the program is called by
 * `family`, the first argument, which is taken away. Gives "" when there is none. */
const char* benchName(const char* family, int* argc, char*** argv);

#ifdef __cplusplus
}
#endif
