/* What the kernel says of this process in /proc. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* KiB of the lines of a file that begin with this name; 0 where there is none. */
static inline double lineKiB(const char* path, const char* name) {
  char line[256];
  double value = 0;
  FILE* file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, strlen(name)) == 0)
      value = strtod(line + strlen(name), NULL);
  if (file != NULL)
    fclose(file);
  return value;
}
