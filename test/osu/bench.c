#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { largeBytes = 8192, usualBlocks = 10 };

static const char* const typeNames[] = {"char", "int", "float", "double", NULL};
static const char* const kindNames[] = {"allocate", "create", "dynamic", NULL};
static const char* const syncNames[] = {"flush", "flush_local", "lock", "lock_all", "fence", "pscw", NULL};

/* One option: its letter, its long name, what follows it, and what it is for. */
typedef struct Option {
  char letter;
  const char* name;
  const char* argument;
  const char* text;
} Option;

static const Option known[] = {
    {'m', "message-size", "[SMALLEST:]LARGEST", "sizes in bytes, with K, M or G for powers of 1024"},
    {'i', "iterations", "NUMBER", "iterations measured at each size"},
    {'x', "warmup", "NUMBER", "iterations before them that are not measured"},
    {'c', "validation", NULL, "check the data that arrive"},
    {'f', "full", NULL, "least and greatest value, iterations and median too"},
    {'z', "tail-lat", NULL, "time every iteration; percentiles 50, 90 and 99 too"},
    {'h', "help", NULL, "this text"},
    {'W', "window-size", "NUMBER", "messages in flight"},
    {'p', "pairs", "NUMBER", "pairs of ranks (as many as there are)"},
    {'t', "num_test_calls", "FIRST[:SECOND]",
     "threads of the sender and the receiver; processes; or calls of MPI_Test during the computing"},
    {'w', "win-option", "KIND", "window: allocate, create or dynamic"},
    {'s', "sync-option", "KIND", "synchronisation: flush, flush_local, lock, lock_all, fence or pscw"},
    {'d', "type", "TYPE", "elements: char, int, float or double"},
    {'R', "print-rate", "0|1", "the message rate too (1)"},
    {'V', "vary-window", NULL, "every window size from 1 to 128"},
};
enum { knownOptions = sizeof known / sizeof known[0] };

static int allowed(const BenchOptions* options, char letter) {
  return strchr("mixcfzh", letter) != NULL || (options->letters != NULL && strchr(options->letters, letter));
}

static int usage(const char* program, int rank, const BenchOptions* options, int status) {
  FILE* file = status == 0 ? stdout : stderr;
  if (rank == 0) {
    fprintf(file, "usage: %s [OPTION]...\n", program);
    for (int i = 0; i < knownOptions; ++i)
      if (allowed(options, known[i].letter))
        fprintf(file, "  -%c, --%s%s%s\n        %s\n", known[i].letter, known[i].name,
                known[i].argument ? " " : "", known[i].argument ? known[i].argument : "", known[i].text);
    fflush(file);
  }
  return status;
}

/* Reads a number with K, M or G behind it; gives what follows it, or NULL when there is no number. */
static const char* readNumber(const char* text, unsigned long long* value) {
  char* end;
  *value = strtoull(text, &end, 10);
  if (end == text || *text == '-')
    return NULL;
  const char* const units = "KMG";
  const char* unit = *end ? strchr(units, *end & ~0x20) : NULL;
  if (unit == NULL)
    return end;
  *value <<= 10 * (unit - units + 1);
  return end + 1;
}

static int readWhole(const char* text, unsigned long long least, unsigned long long most, long* value) {
  unsigned long long number;
  const char* rest = readNumber(text, &number);
  *value = (long)number;
  return rest != NULL && *rest == '\0' && number >= least && number <= most;
}

/* Reads A or A:B; `first` says where a number that stands alone belongs. */
static int readPair(const char* text, unsigned long long values[2], int alone) {
  const char* rest = readNumber(text, &values[alone]);
  if (rest == NULL)
    return 0;
  if (*rest == ':') {
    values[0] = values[alone];
    rest = readNumber(rest + 1, &values[1]);
  }
  return rest != NULL && *rest == '\0';
}

static int readName(const char* text, const char* const* names, int* value) {
  for (*value = 0; names[*value] != NULL; ++*value)
    if (strcmp(text, names[*value]) == 0)
      return 1;
  return 0;
}

/* Takes one option; 0 when its argument is not right. */
static int take(char letter, const char* text, BenchOptions* options) {
  enum { greatestCount = 4096 };
  const long greatest = 1L << 40;
  unsigned long long pair[2] = {options->smallest, options->largest};
  long value = 0;
  int name = 0, right = 1;
  switch (letter) {
  case 'm':
    right = readPair(text, pair, 1) && pair[0] <= pair[1];
    options->smallest = (size_t)pair[0];
    options->largest = (size_t)pair[1];
    break;
  case 'i':
    right = readWhole(text, 1, (unsigned long long)greatest, &options->iterations);
    break;
  case 'x':
    right = readWhole(text, 0, (unsigned long long)greatest, &options->warmup);
    break;
  case 'c':
    options->check = 1;
    break;
  case 'f':
    options->full = 1;
    break;
  case 'z':
    options->tails = 1;
    break;
  case 'W':
    right = readWhole(text, 1, greatestCount, &value);
    options->window = (int)value;
    break;
  case 'p':
    right = readWhole(text, 1, greatestCount, &value);
    options->pairs = (int)value;
    break;
  case 't':
    pair[1] = 0;
    right = readPair(text, pair, 0) && pair[0] <= greatestCount && pair[1] <= greatestCount;
    options->counts[0] = (int)pair[0];
    options->counts[1] = (int)(pair[1] ? pair[1] : pair[0]);
    break;
  case 'w':
    right = readName(text, kindNames, &name);
    options->kind = (BenchWindow)name;
    break;
  case 's':
    right = readName(text, syncNames, &name);
    options->sync = (BenchSync)name;
    break;
  case 'd':
    right = readName(text, typeNames, &name);
    options->type = (BenchType)name;
    break;
  case 'R':
    right = readWhole(text, 0, 1, &value);
    options->rate = (int)value;
    break;
  default:
    options->varyWindow = 1;
  }
  return right;
}

int benchOptions(int argc, char** argv, int rank, BenchOptions* options) {
  char letters[2 * knownOptions + 1];
  struct option names[knownOptions + 1];
  int used = 0, many = 0, letter;
  memset(names, 0, sizeof names);
  for (int i = 0; i < knownOptions; ++i)
    if (allowed(options, known[i].letter)) {
      names[many++] = (struct option){known[i].name, known[i].argument ? required_argument : no_argument,
                                      NULL, known[i].letter};
      letters[used++] = known[i].letter;
      if (known[i].argument)
        letters[used++] = ':';
    }
  letters[used] = '\0';
  options->iterations = 0;
  options->warmup = -1;
  opterr = rank == 0;
  while ((letter = getopt_long(argc, argv, letters, names, NULL)) != -1) {
    if (letter == 'h')
      return usage(argv[0], rank, options, 0);
    if (letter == '?')
      return usage(argv[0], rank, options, 2);
    if (!take((char)letter, optarg, options)) {
      if (rank == 0)
        fprintf(stderr, "%s: -%c cannot be %s\n", argv[0], letter, optarg);
      return usage(argv[0], rank, options, 2);
    }
  }
  if (optind < argc) {
    if (rank == 0)
      fprintf(stderr, "%s: what is %s?\n", argv[0], argv[optind]);
    return usage(argv[0], rank, options, 2);
  }
  return -1;
}

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
  BenchSeries series;
  series.blocks = options->tails || iterations < usualBlocks ? (int)iterations : usualBlocks;
  series.perBlock = iterations / series.blocks > 0 ? iterations / series.blocks : 1;
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
  printf("# %s\n%-10s%18s", title, "# Size", label);
  if (options->full)
    printf("%16s%16s%12s%16s", "Min", "Max", "Iterations", "Median");
  if (options->tails)
    printf("%16s%16s%16s", "P50", "P90", "P99");
  printf("\n");
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

void benchRowExtremes(const BenchOptions* options, size_t bytes, const BenchSeries* series, int more,
                      const double* further, double least, double greatest) {
  const int n = series->blocks;
  double* values = sorted(series->values, n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i];
  printf("%-10zu%18.3f", bytes, sum / n);
  for (int i = 0; i < more; ++i)
    printf("%18.3f", further[i]);
  if (options->full)
    printf("%16.3f%16.3f%12ld%16.3f", least, greatest, n * series->perBlock,
           (values[(n - 1) / 2] + values[n / 2]) / 2);
  if (options->tails) /* the nearest rank: the least value that so many are not greater than */
    printf("%16.3f%16.3f%16.3f", values[(n * 50L + 99) / 100 - 1], values[(n * 90L + 99) / 100 - 1],
           values[(n * 99L + 99) / 100 - 1]);
  printf("\n");
  fflush(stdout);
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

size_t benchDiffers(const void* buffer, size_t bytes, unsigned seed) {
  const unsigned char* data = (const unsigned char*)buffer;
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; ++i)
    wrong += data[i] != byteAt(i, seed);
  return wrong;
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
