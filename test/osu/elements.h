/* The elements that -d asks for: their MPI type, and small whole numbers in them whose sums are exact. */
#pragma once

#include "bench.h"

#include <mpi.h>

/* char is a type that MPI adds up as well: MPI_INT8_T. */
MPI_Datatype elementType(const BenchOptions* options);
size_t elementSize(const BenchOptions* options);

/* The first size that is not less than the one asked for and holds whole elements; and the next one. */
size_t elementsFirst(const BenchOptions* options);
size_t elementsNext(const BenchOptions* options, size_t bytes);

/* Element i from rank `seed`: a whole number from 0 to 12. */
void elementsFill(const BenchOptions* options, void* buffer, size_t count, unsigned seed);

/* How many of the elements first, first + 1, ... differ from the sum of what `ranks` ranks, from `seed` on,
 * have there. */
size_t elementsDiffer(const BenchOptions* options, const void* buffer, size_t first, size_t count,
                      unsigned seed, int ranks);
