#include "mpl/LongCopy.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mpl::detail {

namespace {

// "Fast short rep mov", leaf 7 of CPUID.
bool processorMovesFast() noexcept {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 4 & 1) != 0;
#else
  return false;
#endif
}

} // namespace

const bool hasFastMove = processorMovesFast();

} // namespace mpl::detail
