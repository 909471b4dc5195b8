#include "layout.h"
#include "elements.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of a vector that lie wholly within the elements. */
static size_t vectorBlocks(const Layout* layout) {
  const size_t length = (size_t)layout->options->blockLength, stride = (size_t)layout->options->stride;
  return layout->elements < length ? 0 : (layout->elements - length) / stride + 1;
}

int layoutBlock(const Layout* layout, size_t i, size_t* first, size_t* length) {
  const BenchOptions* options = layout->options;
  if (options->derived == benchVector) {
    *first = i * (size_t)options->stride;
    *length = (size_t)options->blockLength;
    return i < vectorBlocks(layout);
  }
  if (options->derived == benchIndexed) {
    if (i >= (size_t)options->listed)
      return 0;
    *first = (size_t)options->list[i].first;
    *length = (size_t)options->list[i].second;
    if (*first >= layout->elements)
      *first = *length = 0;
    else if (*first + *length > layout->elements)
      *length = layout->elements - *first;
    return 1;
  }
  *first = 0;
  *length = layout->elements;
  return i == 0;
}

static MPI_Datatype indexedType(const Layout* layout, MPI_Datatype element) {
  const size_t blocks = (size_t)layout->options->listed;
  int* places = benchMemory(blocks * sizeof(int));
  int* lengths = benchMemory(blocks * sizeof(int));
  MPI_Datatype type;
  size_t first, length;
  for (size_t i = 0; layoutBlock(layout, i, &first, &length); ++i) {
    places[i] = (int)first;
    lengths[i] = (int)length;
  }
  MPI_Type_indexed((int)blocks, lengths, places, element, &type);
  free(lengths);
  free(places);
  return type;
}

Layout layoutMake(const BenchOptions* options, size_t bytes, int tile) {
  const MPI_Datatype element = elementType(options);
  Layout layout = {.options = options, .type = element, .element = elementSize(options)};
  size_t first, length;
  layout.elements = bytes / layout.element;
  layout.span = layout.elements * layout.element;
  layout.count = options->derived == benchPlain ? (int)layout.elements : 1;
  for (size_t i = 0; layoutBlock(&layout, i, &first, &length); ++i)
    layout.sent += length * layout.element;
  if (options->derived == benchPlain)
    return layout;
  MPI_Datatype type;
  if (options->derived == benchContiguous)
    MPI_Type_contiguous((int)layout.elements, element, &type);
  else if (options->derived == benchVector)
    MPI_Type_vector((int)vectorBlocks(&layout), (int)options->blockLength, (int)options->stride, element,
                    &type);
  else
    type = indexedType(&layout, element);
  layout.type = type;
  if (tile) {
    MPI_Type_create_resized(type, 0, (MPI_Aint)layout.span, &layout.type);
    MPI_Type_free(&type);
  }
  MPI_Type_commit(&layout.type);
  return layout;
}

void layoutFree(Layout* layout) {
  if (layout->options->derived != benchPlain)
    MPI_Type_free(&layout->type);
}

/* A byte for each of the span: 1 where a block is. */
static char* blockMap(const Layout* layout) {
  size_t first, length;
  char* map = benchMemory(layout->span);
  memset(map, 0, layout->span);
  for (size_t i = 0; layoutBlock(layout, i, &first, &length); ++i)
    memset(map + first * layout->element, 1, length * layout->element);
  return map;
}

size_t layoutGapsTouched(const Layout* layout, const void* buffer) {
  const unsigned char* data = buffer;
  size_t wrong = 0;
  if (layout->sent == layout->span)
    return 0;
  char* map = blockMap(layout);
  for (size_t i = 0; i < layout->span; ++i)
    wrong += !map[i] && data[i] != untouched;
  free(map);
  return wrong;
}

void layoutClearGaps(const Layout* layout, void* buffer) {
  unsigned char* data = buffer;
  if (layout->sent == layout->span)
    return;
  char* map = blockMap(layout);
  for (size_t i = 0; i < layout->span; ++i)
    if (!map[i])
      data[i] = untouched;
  free(map);
}

size_t layoutDiffers(const Layout* layout, const void* buffer, unsigned seed) {
  const char* data = buffer;
  size_t wrong = layoutGapsTouched(layout, buffer), first, length;
  for (size_t i = 0; layoutBlock(layout, i, &first, &length); ++i)
    wrong +=
        benchDiffers(data + first * layout->element, first * layout->element, length * layout->element, seed);
  return wrong;
}
