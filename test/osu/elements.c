#include "elements.h"

#include <stdint.h>

MPI_Datatype elementType(const BenchOptions* options) {
  switch (options->type) {
  case benchInt:
    return MPI_INT;
  case benchFloat:
    return MPI_FLOAT;
  case benchDouble:
    return MPI_DOUBLE;
  default:
    return MPI_INT8_T;
  }
}

size_t elementSize(const BenchOptions* options) {
  switch (options->type) {
  case benchInt:
    return sizeof(int);
  case benchFloat:
    return sizeof(float);
  case benchDouble:
    return sizeof(double);
  default:
    return 1;
  }
}

size_t elementsFirst(const BenchOptions* options) {
  const size_t element = elementSize(options);
  if (options->smallest == 0)
    return 0;
  return (options->smallest + element - 1) / element * element;
}

size_t elementsNext(const BenchOptions* options, size_t bytes) {
  return bytes == 0 ? elementSize(options) : bytes * 2;
}

static long elementAt(size_t i, unsigned seed) {
  return (long)((i * 7 + i / 253 + seed * 5) % 13);
}

static void store(const BenchOptions* options, void* buffer, size_t i, long value) {
  switch (options->type) {
  case benchInt:
    ((int*)buffer)[i] = (int)value;
    break;
  case benchFloat:
    ((float*)buffer)[i] = (float)value;
    break;
  case benchDouble:
    ((double*)buffer)[i] = (double)value;
    break;
  default:
    ((uint8_t*)buffer)[i] = (uint8_t)value;
  }
}

static long load(const BenchOptions* options, const void* buffer, size_t i) {
  switch (options->type) {
  case benchInt:
    return ((const int*)buffer)[i];
  case benchFloat:
    return (long)((const float*)buffer)[i];
  case benchDouble:
    return (long)((const double*)buffer)[i];
  default:
    return ((const uint8_t*)buffer)[i];
  }
}

void elementsFill(const BenchOptions* options, void* buffer, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i)
    store(options, buffer, i, elementAt(i, seed));
}

size_t elementsDiffer(const BenchOptions* options, const void* buffer, size_t first, size_t count,
                      unsigned seed, int ranks) {
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    long sum = 0;
    for (int rank = 0; rank < ranks; ++rank)
      sum += elementAt(first + i, seed + (unsigned)rank);
    if (options->type == benchChar)
      sum &= 0xff;
    wrong += load(options, buffer, i) != sum;
  }
  return wrong;
}
