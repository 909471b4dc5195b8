#include "lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds one pair; 0 when there is no memory. */
static int append(BenchPair** list, long* count, BenchPair pair) {
  BenchPair* longer = realloc(*list, (size_t)(*count + 1) * sizeof *longer);
  if (longer == NULL)
    return 0;
  longer[(*count)++] = pair;
  *list = longer;
  return 1;
}

static int readFile(const char* path, BenchPair** list, long* count, long leastSecond, char* why) {
  char line[256];
  FILE* file = fopen(path, "r");
  free(*list); /* the options may be read a second time */
  *list = NULL;
  *count = 0;
  if (file == NULL) {
    snprintf(why, reasonLength, "%s", strerror(errno));
    return 0;
  }
  for (long number = 1; why[0] == '\0' && fgets(line, sizeof line, file) != NULL; ++number) {
    const char* text = line + strspn(line, " \t");
    BenchPair pair = {0, 0};
    char rest;
    if (*text == '#' || *text == '\n' || *text == '\0')
      continue;
    if (sscanf(text, "%ld%*[ ,\t]%ld %c", &pair.first, &pair.second, &rest) != 2 || pair.first < 0 ||
        pair.second < leastSecond || pair.first > 1L << 30 || pair.second > 1L << 30)
      snprintf(why, reasonLength, "line %ld is not two numbers that it may be", number);
    else if (!append(list, count, pair))
      snprintf(why, reasonLength, "no memory for line %ld", number);
  }
  fclose(file);
  if (*count == 0 && why[0] == '\0')
    snprintf(why, reasonLength, "there is no line of two numbers");
  return why[0] == '\0';
}

static int byPlace(const void* a, const void* b) {
  const BenchPair *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

static int readBlocks(const char* path, BenchOptions* options, char* why) {
  if (!readFile(path, &options->list, &options->listed, 1, why))
    return 0;
  /* A datatype that receives must not name a place twice. */
  const size_t bytes = (size_t)options->listed * sizeof(BenchPair);
  BenchPair* ordered = malloc(bytes);
  if (ordered == NULL) {
    snprintf(why, reasonLength, "no memory for %ld blocks", options->listed);
    return 0;
  }
  memcpy(ordered, options->list, bytes);
  qsort(ordered, (size_t)options->listed, sizeof *ordered, byPlace);
  for (long i = 1; why[0] == '\0' && i < options->listed; ++i)
    if (ordered[i].first < ordered[i - 1].first + ordered[i - 1].second)
      snprintf(why, reasonLength, "the block at %ld begins within another one", ordered[i].first);
  free(ordered);
  return why[0] == '\0';
}

static int readEdges(const char* path, BenchOptions* options, char* why) {
  return readFile(path, &options->edges, &options->edgeCount, 0, why);
}

int readDerived(const char* text, BenchOptions* options, char* why) {
  char rest;
  if (strcmp(text, "cont") == 0) {
    options->derived = benchContiguous;
    return 1;
  }
  if (strncmp(text, "indx:", 5) == 0) {
    options->derived = benchIndexed;
    return readBlocks(text + 5, options, why);
  }
  options->derived = benchVector;
  options->stride = 8;
  options->blockLength = 4;
  if (strcmp(text, "vect") == 0)
    return 1;
  if (sscanf(text, "vect:%ld:%ld%c", &options->stride, &options->blockLength, &rest) != 2)
    return 0;
  if (options->blockLength >= 1 && options->blockLength <= options->stride && options->stride <= 1 << 30)
    return 1;
  snprintf(why, reasonLength, "the length is 1 at least and not greater than the stride");
  return 0;
}

int readNeighbours(const char* text, BenchOptions* options, char* why) {
  char rest;
  if (strncmp(text, "graph:", 6) == 0) {
    options->neighbours = benchGraph;
    return readEdges(text + 6, options, why);
  }
  options->neighbours = benchGrid;
  if (sscanf(text, "cart:%d:%d%c", &options->dimensions, &options->radius, &rest) != 2)
    return 0;
  return options->dimensions >= 1 && options->dimensions <= 8 && options->radius >= 1 &&
         options->radius <= 4096;
}
