// What the kernel says about memory, in KiB.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace check {

// What of this process is in memory; 0 where the kernel does not say.
inline long residentKiB() {
  long pages = 0;
  long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// The number of the first line with this beginning in a file of the kernel's; `otherwise` where there is
// none.
inline long numberAfter(const char* beginning, const char* path, long otherwise) {
  long number = otherwise;
  if (std::FILE* file = std::fopen(path, "r")) {
    const std::size_t length = std::strlen(beginning);
    char line[200];
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, beginning, length) == 0 && std::sscanf(line + length, "%ld", &number) == 1)
        break;
    std::fclose(file);
  }
  return number;
}

// What processes can still get, on this machine and in this container; 0 where the kernel does not say.
inline long availableKiB() {
  const long machine = numberAfter("MemAvailable:", "/proc/meminfo", 0);
  const char* const group = "/sys/fs/cgroup/memory.stat";
  const long limit = numberAfter("", "/sys/fs/cgroup/memory.max", -1);
  if (limit < 0)
    return machine;
  return std::min(machine, (limit - numberAfter("anon ", group, 0) - numberAfter("shmem ", group, 0)) / 1024);
}

} // namespace check
