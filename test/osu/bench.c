#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { largeBytes = 8192 };

static void usage(const char* program, int rank) {
  if (rank == 0)
    fprintf(stderr,
            "usage: %s [-m [SMALLEST:]LARGEST] [-i ITERATIONS] [-x WARMUP] [-W WINDOW] [-c] [-f]\n"
            "  -m  sizes in bytes, with K, M or G for powers of 1024\n"
            "  -i  iterations measured at each size\n"
            "  -x  iterations before them that are not measured\n"
            "  -W  messages in flight, where several are\n"
            "  -c  check the data that arrive\n"
            "  -f  least, median and greatest value too\n",
            program);
  exit(2);
}

/* Reads a number with K, M or G behind it; gives what follows it, or NULL when there is no number. */
static const char* readNumber(const char* text, unsigned long long* value) {
  char* end;
  *value = strtoull(text, &end, 10);
  if (end == text || *text == '-')
    return NULL;
  switch (*end) {
  case 'G':
  case 'g':
    *value <<= 30;
    return end + 1;
  case 'M':
  case 'm':
    *value <<= 20;
    return end + 1;
  case 'K':
  case 'k':
    *value <<= 10;
    return end + 1;
  default:
    return end;
  }
}

static int readWhole(const char* text, unsigned long long* value) {
  const char* rest = readNumber(text, value);
  return rest != NULL && *rest == '\0';
}

void benchOptions(int argc, char** argv, int rank, BenchOptions* options) {
  int letter;
  unsigned long long value;
  options->iterations = 0;
  options->warmup = -1;
  options->check = options->full = 0;
  while ((letter = getopt(argc, argv, "m:i:x:W:cf")) != -1) {
    switch (letter) {
    case 'm': {
      const char* rest = readNumber(optarg, &value);
      if (rest == NULL)
        usage(argv[0], rank);
      if (*rest == ':') {
        options->smallest = (size_t)value;
        if (!readWhole(rest + 1, &value))
          usage(argv[0], rank);
      } else if (*rest != '\0') {
        usage(argv[0], rank);
      }
      options->largest = (size_t)value;
      break;
    }
    case 'i':
      if (!readWhole(optarg, &value) || value == 0)
        usage(argv[0], rank);
      options->iterations = (long)value;
      break;
    case 'x':
      if (!readWhole(optarg, &value))
        usage(argv[0], rank);
      options->warmup = (long)value;
      break;
    case 'W':
      if (!readWhole(optarg, &value) || value == 0 || value > 4096)
        usage(argv[0], rank);
      options->window = (int)value;
      break;
    case 'c':
      options->check = 1;
      break;
    case 'f':
      options->full = 1;
      break;
    default:
      usage(argv[0], rank);
    }
  }
  if (optind < argc || options->smallest > options->largest)
    usage(argv[0], rank);
}

long benchIterations(const BenchOptions* options, size_t bytes) {
  long iterations = options->iterations;
  if (iterations == 0)
    iterations = bytes > largeBytes ? options->defaultIterations / 10 : options->defaultIterations;
  return iterations < benchBlocks ? benchBlocks : iterations / benchBlocks * benchBlocks;
}

long benchWarmup(const BenchOptions* options, size_t bytes) {
  if (options->warmup >= 0)
    return options->warmup;
  return bytes > largeBytes ? options->defaultWarmup / 10 : options->defaultWarmup;
}

size_t benchNext(size_t bytes) {
  return bytes == 0 ? 1 : bytes * 2;
}

void benchHeader(const BenchOptions* options, const char* title, const char* label) {
  printf("# %s\n%-10s%18s", title, "# Size", label);
  if (options->full)
    printf("%16s%16s%16s%12s", "Least", "Median", "Greatest", "Iterations");
  printf("\n");
  fflush(stdout);
}

static int byValue(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

void benchRow(const BenchOptions* options, size_t bytes, const double* blocks, long iterations) {
  double sorted[benchBlocks], sum = 0;
  for (int i = 0; i < benchBlocks; ++i) {
    sorted[i] = blocks[i];
    sum += blocks[i];
  }
  qsort(sorted, benchBlocks, sizeof sorted[0], byValue);
  printf("%-10zu%18.3f", bytes, sum / benchBlocks);
  if (options->full)
    printf("%16.3f%16.3f%16.3f%12ld", sorted[0],
           (sorted[(benchBlocks - 1) / 2] + sorted[benchBlocks / 2]) / 2, sorted[benchBlocks - 1],
           iterations);
  printf("\n");
  fflush(stdout);
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
