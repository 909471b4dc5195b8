/* What the machine itself needs: one-way time of a cache line between two processes on two processors,
 * without any library. Two processes take turns in writing a number to a line of their own that the other
 * waits for. Prints least and median of 20 blocks in microseconds. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { blocks = 20, chunk = 500 };
static const double blockSeconds = 0.02;

typedef struct Lines {
  _Alignas(64) atomic_uint ping;
  _Alignas(64) atomic_uint pong;
} Lines;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The n-th of the processors that this process may use. */
static void bindTo(int n) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

/* Spins; on a machine that is busy, or has one processor only, lets the other go on. */
static unsigned await(atomic_uint* line, unsigned old) {
  unsigned value;
  for (long turn = 1; (value = atomic_load_explicit(line, memory_order_acquire)) == old; ++turn)
    if (turn % 100000 == 0)
      sched_yield();
  return value;
}

static int less(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(void) {
  Lines* lines = mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (lines == MAP_FAILED)
    return 1;
  const pid_t child = fork();
  if (child < 0)
    return 1;
  if (child == 0) {
    bindTo(1);
    for (unsigned seen = 0; seen != UINT_MAX;) {
      seen = await(&lines->ping, seen);
      atomic_store_explicit(&lines->pong, seen, memory_order_release);
    }
    _exit(0);
  }
  bindTo(0);
  double times[blocks];
  unsigned i = 0;
  for (int block = 0; block < blocks; ++block) {
    const double start = seconds();
    long rounds = 0;
    do {
      for (int round = 0; round < chunk; ++round) {
        atomic_store_explicit(&lines->ping, i + 1, memory_order_release);
        await(&lines->pong, i);
        ++i;
      }
      rounds += chunk;
    } while (seconds() - start < blockSeconds);
    times[block] = (seconds() - start) * 1e6 / (2.0 * (double)rounds);
  }
  atomic_store_explicit(&lines->ping, UINT_MAX, memory_order_release);
  waitpid(child, NULL, 0);
  qsort(times, blocks, sizeof *times, less);
  printf("%.4f %.4f\n", times[0], times[blocks / 2]);
  return 0;
}
