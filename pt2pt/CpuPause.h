#pragma once

namespace mpl {

/// Tells the processor that this is a spin loop.
inline void cpuPause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

} // namespace mpl
