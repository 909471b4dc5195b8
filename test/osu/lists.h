/* What -D and -N say, which may name files: lines of two whole numbers, with a comma or blanks between them;
 * what begins with # says nothing. */
#pragma once

#include "bench.h"

enum { reasonLength = 200 };

/* -D cont, vect[:STRIDE:LENGTH] or indx:FILE: displacement and length of each block, in elements, which must
 * not overlap. -N cart:DIMENSIONS:RADIUS or graph:FILE: source and destination of each edge. They give 0 when
 * the text is wrong, and in `why` the reason where there is more to say. */
int readDerived(const char* text, BenchOptions* options, char* why);
int readNeighbours(const char* text, BenchOptions* options, char* why);
