#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "lists.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { greatestCount = 4096, mostIterations = 1 << 30, without, with, perhaps };

/* One option: its letter, its long name, whether an argument follows it, which, and what it is for. Those
 * of all programs are marked. */
typedef struct Option {
  char letter;
  const char* name;
  int takes;
  int all;
  const char* argument;
  const char* text;
} Option;

static const Option known[] = {
    {'m', "message-size", with, 1, "[SMALLEST:][LARGEST]",
     "sizes in bytes, with K, M or G for powers of 1024"},
    {'i', "iterations", with, 1, "NUMBER", "iterations measured at each size"},
    {'x', "warmup", with, 1, "NUMBER", "iterations before them that are not measured"},
    {'c', "validation", perhaps, 1, "[log:FOLDER]",
     "check the data before the measurement; write what is wrong to a file there"},
    {'u', "validation-warmup", with, 1, "NUMBER",
     "rounds after which, or in each of which, they are checked (5)"},
    {'f', "full", without, 1, "", "least and greatest value, iterations and median too"},
    {'z', "tail-lat", perhaps, 1, "[P,P,...]", "time every iteration; percentiles too (99,90,50)"},
    {'G', "graph", with, 1, "tty,png,pdf", "plot every iteration of each size; needs gnuplot"},
    {'M', "mem-limit", with, 1, "BYTES", "leave out sizes for which a rank needs more memory"},
    {'h', "help", without, 1, "", "this text"},
    {'v', "version", without, 1, "", "what this is"},
    {'W', "window-size", with, 0, "NUMBER", "messages in flight"},
    {'b', "buffer-num", with, 0, "single|multiple", "the messages in flight share memory, or do not"},
    {'p', "num-pairs", with, 0, "NUMBER", "pairs of ranks (as many as there are)"},
    {'t', "num-test-calls", with, 0, "[SENDER:]RECEIVER",
     "threads or processes of the two sides (one number: the receiver's); or calls of MPI_Test while "
     "computing"},
    {'w', "win-options", with, 0, "KIND", "window: allocate, create or dynamic"},
    {'s', "sync-option", with, 0, "KIND",
     "synchronisation: flush, flush_local, lock, lock_all, fence or pscw"},
    {'T', "type", with, 0, "TYPE,...",
     "elements: mpi_char, mpi_int, mpi_float, mpi_double, or all (of the first three)"},
    {'d', "accelerator", with, 0, "TYPE", "one type of elements: char, int, float or double"},
    {'D', "ddt", with, 0, "cont | vect:STRIDE:LENGTH | indx:FILE",
     "derived datatype, in elements; the file has lines of displacement, length"},
    {'N', "nhbr", with, 0, "cart:DIMENSIONS:RADIUS | graph:FILE",
     "neighbours; the file has lines of source, destination (a ring)"},
    {'k', "root-rank", with, 0, "fixed:RANK | rotate", "the root (fixed:0)"},
    {'l', "in-place", without, 0, "", "use MPI_IN_PLACE"},
    {'I', "session", without, 0, "", "start with MPI_Session_init"},
    {'R', "print-rate", with, 0, "0|1", "the message rate too (1)"},
    {'V', "vary-window", perhaps, 0, "[1]", "a table for each window of 1, 2, 4 ... 128 messages"},
    /* Known to scripts, but there is nothing here that they could set. */
    {'a', "array-size", with, 1, NULL, "computing on a GPU is not supported"},
    {'r', "cuda-target", with, 1, NULL, "computing on a GPU is not supported"},
    {'P', "papi", with, 1, NULL, "counters of PAPI are not supported"},
};
enum { knownOptions = sizeof known / sizeof known[0] };

static const char noGpu[] = "buffers on a GPU are not supported";
static const char* const typeNames[] = {"char", "int", "float", "double", NULL};
static const char* const kindNames[] = {"allocate", "create", "dynamic", NULL};
static const char* const syncNames[] = {"flush", "flush_local", "lock", "lock_all", "fence", "pscw", NULL};
static const char* const bufferNames[] = {"single", "multiple", NULL};
static const char* const gpuNames[] = {"cuda", "managed", "openacc", "rocm", "sycl", NULL};

static int allowed(const BenchOptions* options, const Option* option) {
  return option->all || (options->letters != NULL && strchr(options->letters, option->letter) != NULL);
}

static int usage(int rank, const BenchOptions* options, int status) {
  FILE* file = status == 0 ? stdout : stderr;
  if (rank == 0) {
    fprintf(file, "usage: %s [OPTION]...\n", options->name);
    for (const Option* option = known; option < known + knownOptions; ++option)
      if (allowed(options, option) && option->argument != NULL)
        fprintf(file, "  -%c%s, --%s%s%s\n        %s\n", option->letter,
                option->takes == perhaps ? option->argument : "", option->name,
                option->takes == with      ? " "
                : option->takes == perhaps ? "[=...]"
                                           : "",
                option->takes == with ? option->argument : "", option->text);
    fflush(file);
  }
  return status;
}

/* Reads a number with K, M or G behind it; gives what follows it, or NULL when there is no number. */
static const char* readNumber(const char* text, unsigned long long* value) {
  char* end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (end == text || *text == '-' || errno == ERANGE)
    return NULL;
  const char* const units = "KMG";
  const char* unit = *end ? strchr(units, *end & ~0x20) : NULL;
  if (unit == NULL)
    return end;
  const int shift = (int)(10 * (unit - units + 1));
  if (*value > ULLONG_MAX >> shift)
    return NULL;
  *value <<= shift;
  return end + 1;
}

static int readWhole(const char* text, unsigned long long least, unsigned long long most, long* value) {
  unsigned long long number;
  const char* rest = readNumber(text, &number);
  *value = (long)number;
  return rest != NULL && *rest == '\0' && number >= least && number <= most;
}

static int readCount(const char* text, long least, int* value) {
  long number = 0;
  const int right = readWhole(text, (unsigned long long)least, greatestCount, &number);
  *value = (int)number;
  return right;
}

/* Reads A or A:B, and A: where that leaves the second number as it is; one that stands alone is the second.
 */
static int readPair(const char* text, unsigned long long values[2], int open) {
  unsigned long long number;
  const char* rest = readNumber(text, &number);
  if (rest == NULL || *rest != ':') {
    values[1] = number;
    return rest != NULL && *rest == '\0';
  }
  values[0] = number;
  if (open && rest[1] == '\0')
    return 1;
  rest = readNumber(rest + 1, &values[1]);
  return rest != NULL && *rest == '\0';
}

static int readName(const char* text, const char* const* names, int* value) {
  for (*value = 0; names[*value] != NULL; ++*value)
    if (strcasecmp(text, names[*value]) == 0)
      return 1;
  return 0;
}

/* Reads up to `most` words with commas between them; `add` takes each and gives 0 when it is wrong. */
static int readWords(const char* text, BenchOptions* options, int (*add)(const char*, BenchOptions*)) {
  char word[32];
  for (size_t length;; text += length + 1) {
    length = strcspn(text, ",");
    if (length == 0 || length >= sizeof word)
      return 0;
    memcpy(word, text, length);
    word[length] = '\0';
    if (!add(word, options))
      return 0;
    if (text[length] == '\0')
      return 1;
  }
}

static int addPercentile(const char* word, BenchOptions* options) {
  long value;
  if (options->percentiles == mostPercentiles || !readWhole(word, 1, 99, &value))
    return 0;
  options->percentile[options->percentiles++] = (int)value;
  return 1;
}

static int addType(const char* word, BenchOptions* options) {
  int type;
  if (strcmp(word, "all") == 0)
    return addType("char", options) && addType("int", options) && addType("float", options);
  if (strncmp(word, "mpi_", 4) == 0)
    word += 4;
  if (options->types == benchTypes || !readName(word, typeNames, &type))
    return 0;
  options->typeList[options->types++] = (BenchType)type;
  return 1;
}

static int checkTerminal(const char* word, BenchOptions* options) {
  (void)options;
  return strcmp(word, "tty") == 0 || strcmp(word, "png") == 0 || strcmp(word, "pdf") == 0;
}

static int readRoot(const char* text, BenchOptions* options) {
  long root = 0;
  options->rotate = strcmp(text, "rotate") == 0;
  if (options->rotate)
    return 1;
  const int right = strncmp(text, "fixed:", 6) == 0 && readWhole(text + 6, 0, 1 << 30, &root);
  options->root = (int)root;
  return right;
}

/* Takes one option; 0 when its argument is not right, with a reason where there is more to say. */
static int take(char letter, const char* text, BenchOptions* options, char* why) {
  const unsigned long long greatest = 1ULL << 40;
  unsigned long long pair[2] = {options->smallest, options->largest};
  long value = 0;
  int name = 0, right = 1;
  switch (letter) {
  case 'm':
    right = readPair(text, pair, 1) && pair[0] <= pair[1] && pair[1] <= greatest;
    options->smallest = (size_t)pair[0];
    options->largest = (size_t)pair[1];
    break;
  case 'i':
    right = readWhole(text, 1, mostIterations, &options->iterations);
    break;
  case 'x':
    right = readWhole(text, 0, mostIterations, &options->warmup);
    break;
  case 'c':
    options->check = 1;
    if (text != NULL && strncmp(text, "log:", 4) == 0 && text[4] != '\0')
      options->log = text + 4;
    else if (text != NULL && strcmp(text, "log") == 0)
      options->log = ".";
    else
      right = text == NULL;
    if (options->log != NULL && access(options->log, W_OK | X_OK) != 0) {
      right = 0;
      snprintf(why, reasonLength, "files cannot be written in that folder");
    }
    break;
  case 'u':
    right = readWhole(text, 0, greatestCount, &options->checks);
    options->checks += options->checks == 0; /* the data have to come once */
    break;
  case 'f':
    options->full = 1;
    break;
  case 'z':
    options->percentiles = 0;
    right = readWords(text != NULL ? text : "99,90,50", options, addPercentile);
    break;
  case 'G':
    options->graph = text;
    right = readWords(text, options, checkTerminal);
    break;
  case 'M':
    right = readWhole(text, 1, greatest, &value);
    options->memory = (size_t)value;
    break;
  case 'W':
    right = readCount(text, 1, &options->window);
    break;
  case 'b':
    right = readName(text, bufferNames, &options->buffers);
    break;
  case 'p':
    right = readCount(text, 1, &options->pairs);
    break;
  case 't':
    pair[0] = 1;
    right = readPair(text, pair, 0) && pair[0] <= greatestCount && pair[1] <= greatestCount;
    options->counts[0] = (int)pair[0];
    options->counts[1] = (int)pair[1];
    break;
  case 'w':
    right = readName(text, kindNames, &name);
    options->kind = (BenchWindow)name;
    break;
  case 's':
    right = readName(text, syncNames, &name);
    options->sync = (BenchSync)name;
    break;
  case 'T':
    options->types = 0;
    right = readWords(text, options, addType);
    break;
  case 'd':
    options->types = 0;
    right = !readName(text, gpuNames, &name);
    snprintf(why, reasonLength, "%s", right ? "" : noGpu);
    right = right && readName(text, typeNames, &name) && addType(text, options);
    break;
  case 'D':
    right = readDerived(text, options, why);
    break;
  case 'N':
    right = readNeighbours(text, options, why);
    break;
  case 'k':
    right = readRoot(text, options);
    break;
  case 'l':
    options->inPlace = 1;
    break;
  case 'I':
    options->session = 1;
    break;
  case 'R':
    right = readWhole(text, 0, 1, &value);
    options->rate = (int)value;
    break;
  case 'V':
    right = text == NULL || readWhole(text, 0, 1, &value);
    options->varyWindow = text == NULL || value == 1;
    break;
  default:
    right = 0;
    for (int i = 0; i < knownOptions; ++i)
      if (known[i].letter == letter)
        snprintf(why, reasonLength, "%s", known[i].text);
  }
  return right;
}

/* What stands alone: H for a buffer in the memory of the host is what there is. */
static int words(int argc, char** argv, int rank, const BenchOptions* options) {
  for (int i = optind; i < argc; ++i) {
    if (strcmp(argv[i], "H") == 0)
      continue;
    if (rank == 0)
      fprintf(stderr, "%s: %s: %s\n", options->name, argv[i],
              strcmp(argv[i], "D") == 0 || strcmp(argv[i], "M") == 0 ? noGpu : "what is this?");
    return usage(rank, options, 2);
  }
  return -1;
}

int benchOptions(int argc, char** argv, int rank, BenchOptions* options) {
  char letters[3 * knownOptions + 3] = ":", why[reasonLength];
  struct option names[knownOptions + 1];
  int many = 0, letter;
  const char* slash = strrchr(argv[0], '/');
  memset(names, 0, sizeof names);
  for (int i = 0; i < knownOptions; ++i)
    if (allowed(options, &known[i])) {
      const int takes = known[i].takes;
      const char text[] = {known[i].letter, '\0'};
      names[many++] = (struct option){known[i].name,
                                      takes == with      ? required_argument
                                      : takes == without ? no_argument
                                                         : optional_argument,
                                      NULL, known[i].letter};
      strcat(letters, text);
      strcat(letters, takes == with ? ":" : takes == without ? "" : "::");
    }
  options->name = slash != NULL ? slash + 1 : argv[0];
  options->iterations = 0;
  options->warmup = -1;
  options->checks = 5;
  options->types = 0;
  opterr = 0;
  optind = 1;
  while ((letter = getopt_long(argc, argv, letters, names, NULL)) != -1) {
    if (letter == 'h')
      return usage(rank, options, 0);
    if (letter == 'v') {
      if (rank == 0)
        printf("%s, with the names, options and tables of the OSU micro-benchmarks 7\n", options->name);
      return 0;
    }
    why[0] = '\0';
    const int unknown = letter == '?' || letter == ':';
    if (unknown && rank == 0)
      fprintf(stderr, "%s: %s: %s\n", options->name, argv[optind - 1],
              letter == ':' ? "needs an argument" : "no such option here");
    else if (!unknown && !take((char)letter, optarg, options, why)) {
      if (rank == 0)
        fprintf(stderr, "%s: -%c cannot be %s%s%s\n", options->name, letter, optarg ? optarg : "alone",
                why[0] ? ": " : "", why);
    } else if (!unknown) {
      continue;
    }
    return usage(rank, options, 2);
  }
  if (options->types == 0)
    options->typeList[options->types++] = options->type;
  return words(argc, argv, rank, options);
}

int benchUseType(BenchOptions* options, int i) {
  if (i >= options->types)
    return 0;
  options->type = options->typeList[i];
  return 1;
}
