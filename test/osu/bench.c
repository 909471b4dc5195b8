#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { largeBytes = 8192, usualBlocks = 10 };
static const char* const datatypes[] = {"MPI_CHAR", "MPI_INT", "MPI_FLOAT", "MPI_DOUBLE"};

long benchWarmup(const BenchOptions* options, size_t bytes) {
  if (options->warmup >= 0)
    return options->warmup;
  return bytes > largeBytes ? options->defaultWarmup / 10 : options->defaultWarmup;
}

long benchIterations(const BenchOptions* options, size_t bytes) {
  if (options->iterations > 0)
    return options->iterations;
  const long iterations = bytes > largeBytes ? options->defaultIterations / 10 : options->defaultIterations;
  return iterations > 0 ? iterations : 1;
}

BenchSeries benchSeries(const BenchOptions* options, size_t bytes) {
  const long iterations = benchIterations(options, bytes);
  const int each = options->percentiles > 0 || options->graph != NULL;
  BenchSeries series;
  series.sent = bytes;
  series.blocks = each || iterations < usualBlocks ? (int)iterations : usualBlocks;
  series.perBlock =
      (iterations + series.blocks - 1) / series.blocks; /* as many as asked for, or a few more */
  series.values = calloc((size_t)series.blocks, sizeof *series.values);
  if (series.values == NULL) {
    fprintf(stderr, "no memory for %d values\n", series.blocks);
    exit(1);
  }
  return series;
}

void benchSeriesFree(BenchSeries* series) {
  free(series->values);
  series->values = NULL;
}

size_t benchNext(size_t bytes) {
  return bytes == 0 ? 1 : bytes * 2;
}

void benchHeader(const BenchOptions* options, const char* title, const char* label) {
  printf("# %s\n", title);
  if (options->letters != NULL && strchr(options->letters, 'T') != NULL)
    printf("# Datatype: %s.\n", datatypes[options->type]);
  printf(options->noSize ? "# %16s" : "# Size    %18s", label);
  if (options->full && !options->ownExtremes)
    printf("%18s%18s", "Min", "Max");
  if (options->full)
    printf("%12s", "Iterations");
  if (options->check)
    printf("%12s", "Validation");
  for (int i = 0; i < options->percentiles; ++i)
    printf("%15s%02d", "P", options->percentile[i]);
  if (options->derived != benchPlain)
    printf("%18s", "Transmit Size");
  printf(options->full ? "%18s\n" : "\n", "Median");
  fflush(stdout);
}

static int byValue(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double* sorted(const double* values, long n) {
  double* copy = benchMemory((size_t)n * sizeof *copy);
  memcpy(copy, values, (size_t)n * sizeof *copy);
  qsort(copy, (size_t)n, sizeof *copy, byValue);
  return copy;
}

double benchMedian(const double* values, long n) {
  double* copy = sorted(values, n);
  const double median = (copy[(n - 1) / 2] + copy[n / 2]) / 2;
  free(copy);
  return median;
}

/* -G: what every iteration gave, on the terminal or in a file that is named after program and size. */
static void plot(const BenchOptions* options, size_t bytes, const BenchSeries* series) {
  static const char* const terminals[] = {"tty", "png", "pdf"};
  static const char* const settings[] = {"dumb noenhanced", "pngcairo noenhanced", "pdfcairo noenhanced"};
  for (int t = 0; t < 3; ++t) {
    if (strstr(options->graph, terminals[t]) == NULL)
      continue;
    signal(SIGPIPE, SIG_IGN); /* there may be no gnuplot that reads */
    FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL) {
      fprintf(stderr, "%s: -G: gnuplot cannot be started\n", options->name);
      return;
    }
    fprintf(gnuplot, "set terminal %s\n", settings[t]);
    if (t > 0)
      fprintf(gnuplot, "set output '%s_%zu.%s'\n", options->name, bytes, terminals[t]);
    fprintf(gnuplot, "set title '%s, %zu bytes'\nset xlabel 'iteration'\nplot '-' with points notitle\n",
            options->name, bytes);
    for (int i = 0; i < series->blocks; ++i)
      fprintf(gnuplot, "%d %.3f\n", i + 1, series->values[i]);
    fprintf(gnuplot, "e\n");
    if (pclose(gnuplot) != 0)
      fprintf(stderr, "%s: -G: gnuplot failed for %zu bytes\n", options->name, bytes);
  }
}

void benchRowExtremes(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                      const double* further, double least, double greatest) {
  const int n = series->blocks;
  double* values = sorted(series->values, n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i];
  if (options->noSize)
    printf("%18.3f", sum / n);
  else
    printf("%-10zu%18.3f", bytes, sum / n);
  for (int i = 0; i < more; ++i)
    printf("%18.3f", further[i]);
  if (options->full && !options->ownExtremes)
    printf("%18.3f%18.3f", least, greatest);
  if (options->full)
    printf("%12ld", n * series->perBlock);
  if (options->check) /* whoever finds wrong data ends the job before */
    printf("%12s", "Pass");
  for (int i = 0; i < options->percentiles; ++i) /* the nearest rank: the least that so many are not above */
    printf("%17.3f", values[((long)n * options->percentile[i] + 99) / 100 - 1]);
  if (options->derived != benchPlain)
    printf("%18zu", series->sent);
  if (options->full)
    printf("%18.3f", (values[(n - 1) / 2] + values[n / 2]) / 2);
  printf("\n");
  fflush(stdout);
  if (options->graph != NULL)
    plot(options, bytes, series);
  free(values);
}

void benchRowMore(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                  const double* further) {
  double least = series->values[0], greatest = series->values[0];
  for (int i = 1; i < series->blocks; ++i) {
    least = series->values[i] < least ? series->values[i] : least;
    greatest = series->values[i] > greatest ? series->values[i] : greatest;
  }
  benchRowExtremes(options, bytes, series, more, further, least, greatest);
}

void benchRow(const BenchOptions* options, size_t bytes, const BenchSeries* series) {
  benchRowMore(options, bytes, series, 0, NULL);
}

static unsigned char byteAt(size_t i, unsigned seed) {
  return (unsigned char)(i * 7 + i / 253 + seed * 31 + 1);
}

void benchFill(void* buffer, size_t bytes, unsigned seed) {
  unsigned char* data = (unsigned char*)buffer;
  for (size_t i = 0; i < bytes; ++i)
    data[i] = byteAt(i, seed);
}

size_t benchDiffers(const void* buffer, size_t first, size_t bytes, unsigned seed) {
  const unsigned char* data = (const unsigned char*)buffer;
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; ++i)
    wrong += data[i] != byteAt(first + i, seed);
  return wrong;
}

void benchWrong(const BenchOptions* options, int rank, size_t bytes, size_t wrong, size_t of) {
  static const char text[] = "%s: rank %d, size %zu: %zu of %zu elements are wrong\n";
  char path[4096];
  fprintf(stderr, text, options->name, rank, bytes, wrong, of);
  if (options->log == NULL)
    return;
  snprintf(path, sizeof path, "%s/%s.%d.log", options->log, options->name, rank);
  FILE* log = fopen(path, "a");
  if (log == NULL) {
    fprintf(stderr, "%s: -c: cannot write to %s\n", options->name, path);
    return;
  }
  fprintf(log, text, options->name, rank, bytes, wrong, of);
  fclose(log);
}

void* benchMemory(size_t bytes) {
  void* memory = NULL;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (posix_memalign(&memory, page, bytes ? bytes : 1) != 0) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  memset(memory, 1, bytes ? bytes : 1);
  return memory;
}

double benchSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char* benchName(const char* family, int* argc, char*** argv) {
  const char* slash = strrchr((*argv)[0], '/');
  const char* name = slash ? slash + 1 : (*argv)[0];
  if (strcmp(name, family) != 0)
    return strncmp(name, "osu_", 4) == 0 ? name + 4 : name;
  if (*argc < 2)
    return "";
  name = (*argv)[1];
  (*argv)[1] = (*argv)[0];
  --*argc;
  ++*argv;
  return strncmp(name, "osu_", 4) == 0 ? name + 4 : name;
}
