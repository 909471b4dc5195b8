/* Where the elements of a message lie in its buffer: side by side, or as -D says with gaps between them. */
#pragma once

#include "bench.h"

#include <mpi.h>

/* What memory is filled with that no message must write to. */
enum { untouched = 0xee };

typedef struct Layout {
  const BenchOptions* options;
  MPI_Datatype type;
  int count;       /* of the type, in a message */
  size_t element;  /* bytes */
  size_t elements; /* that the message spans, with those in gaps */
  size_t span;     /* their bytes */
  size_t sent;     /* bytes that travel */
} Layout;

/* A message that spans so many bytes. A vector has as many whole blocks as fit into them, of an indexed type
 * those blocks that begin in them, the last one cut. With `tile` the next message in a buffer begins where
 * the span ends. */
Layout layoutMake(const BenchOptions* options, size_t bytes, int tile);
void layoutFree(Layout* layout);

/* Block number i: its first element and its length; 0 when there are no more. */
int layoutBlock(const Layout* layout, size_t i, size_t* first, size_t* length);

/* Of a buffer that was untouched before the message came: bytes that are not those of benchFill, or that lie
 * in a gap and were written to. */
size_t layoutDiffers(const Layout* layout, const void* buffer, unsigned seed);
/* The bytes in gaps alone: how many were written to; and makes them untouched. */
size_t layoutGapsTouched(const Layout* layout, const void* buffer);
void layoutClearGaps(const Layout* layout, void* buffer);
