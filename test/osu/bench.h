/* Options, timing and printing of the benchmarks, the same for all of them. Plain C, no MPI in it, so that a
 * program written straight on UCX reports in the same way. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BenchType { benchChar, benchInt, benchFloat, benchDouble, benchTypes } BenchType;
typedef enum BenchWindow { benchAllocate, benchCreate, benchDynamic } BenchWindow;
typedef enum BenchSync {
  benchFlush,
  benchFlushLocal,
  benchLock,
  benchLockAll,
  benchFence,
  benchPscw
} BenchSync;
typedef enum BenchDerived { benchPlain, benchContiguous, benchVector, benchIndexed } BenchDerived;
typedef enum BenchNeighbours { benchRing, benchGrid, benchGraph } BenchNeighbours;

/* A block of an indexed datatype: first element and length; or an edge of a graph: from rank, to rank. */
typedef struct BenchPair {
  long first;
  long second;
} BenchPair;

enum { mostPercentiles = 16 };

typedef struct BenchOptions {
  /* What the program sets before the options are read. */
  const char* letters;    /* options that it has beside those of all: any of W p t w s d T D R V b k l N I */
  long defaultIterations; /* what it measures with unless told otherwise */
  long defaultWarmup;
  /* What the options set, and the program for those that are not given. */
  size_t smallest; /* -m SMALLEST:LARGEST or -m LARGEST, bytes */
  size_t largest;
  long iterations; /* -i, at every size; 0 means not given */
  long warmup;     /* -x, not measured; -1 means not given */
  int check;       /* -c: compare what arrives with what was sent */
  const char* log; /* -clog:FOLDER: where to write what was wrong; NULL means nowhere */
  long checks;     /* -u: how many rounds are made before the data are looked at */
  int full;        /* -f: least, greatest, iterations, median as well */
  int percentiles; /* -z: every iteration is timed; so many percentiles as well */
  int percentile[mostPercentiles];
  size_t memory;     /* -M, bytes that a rank may take for data; 0 means not given */
  const char* graph; /* -G: terminals of gnuplot for a plot of every iteration; NULL means none */
  const char* name;  /* of the program, without its folder */
  int window;        /* -W, messages in flight where several are */
  int buffers;       /* -b: 1 when each of them has memory of its own */
  int pairs;         /* -p, pairs of ranks; 0 means as many as there are */
  int counts[2];     /* -t FIRST[:SECOND]: threads, processes, or calls of MPI_Test */
  BenchWindow kind;  /* -w allocate, create, dynamic */
  BenchSync sync;    /* -s flush, flush_local, lock, lock_all, fence, pscw */
  BenchType type;    /* of the elements, at the moment: see benchUseType */
  int types;         /* -T, -d: how many are asked for, and which */
  BenchType typeList[benchTypes];
  BenchDerived derived; /* -D cont, vect:STRIDE:LENGTH, indx:FILE; in elements */
  long stride;
  long blockLength;
  BenchNeighbours neighbours; /* -N cart:DIMENSIONS:RADIUS, graph:FILE */
  int dimensions;
  int radius;
  BenchPair* list; /* the file of -D indx */
  long listed;
  BenchPair* edges; /* the file of -N graph */
  long edgeCount;
  int root;       /* -k fixed:RANK */
  int rotate;     /* -k rotate: another root for each call */
  int inPlace;    /* -l: MPI_IN_PLACE */
  int session;    /* -I: MPI_Session_init instead of MPI_Init */
  int rate;       /* -R 0 or 1: the message rate too */
  int varyWindow; /* -V: a table for each window of 1, 2, 4 ... 128 messages */
  /* What the program says of its table. */
  int ownExtremes; /* least and greatest value of -f are not columns of their own, or others of the program's
                    */
  int noSize;      /* there is but one row, without a size */
} BenchOptions;

/* Reads the options. Gives -1, or the status to end with: 2 when they are wrong, 0 after -h and -v. Rank 0
 * does the talking. */
int benchOptions(int argc, char** argv, int rank, BenchOptions* options);

/* Makes element type number `i` of those asked for the one in use; 0 when there are no more. */
int benchUseType(BenchOptions* options, int i);

/* Iterations and warm-up rounds for messages of this size: a tenth of them beyond 8 KiB, unless told by -i
 * and -x. */
long benchIterations(const BenchOptions* options, size_t bytes);
long benchWarmup(const BenchOptions* options, size_t bytes);

/* The measured iterations of one size, cut into blocks that give one value each: ten blocks, or with -z and
 * -G as many as there are iterations. */
typedef struct BenchSeries {
  int blocks;
  long perBlock;
  double* values;
  size_t sent; /* bytes that travel: fewer than the size where a datatype has gaps */
} BenchSeries;
BenchSeries benchSeries(const BenchOptions* options, size_t bytes);
void benchSeriesFree(BenchSeries* series);

/* The size after this one: 0, 1, 2, 4 ... */
size_t benchNext(size_t bytes);

/* Prints "# title" and the names of the columns. `label` names the value and its unit. */
void benchHeader(const BenchOptions* options, const char* title, const char* label);

/* Prints a row: the mean of the blocks, with -f, -c, -z and -D the other columns. `more` are further columns
 * that the header has in its label. */
void benchRow(const BenchOptions* options, size_t bytes, const BenchSeries* series);
void benchRowMore(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                  const double* further);
/* With least and greatest values that are not those of the series. */
void benchRowExtremes(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                      const double* further, double least, double greatest);

/* The value in the middle of n; the mean of both that are when n is even. */
double benchMedian(const double* values, long n);

/* Says, to standard error and to the log of -c, that data are wrong. */
void benchWrong(const BenchOptions* options, int rank, size_t bytes, size_t wrong, size_t of);

/* Fills with, and compares with, bytes that depend on a seed and on their place. benchDiffers gives the
 * number of wrong bytes; `first` is the place of the first one. */
void benchFill(void* buffer, size_t bytes, unsigned seed);
size_t benchDiffers(const void* buffer, size_t first, size_t bytes, unsigned seed);

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
