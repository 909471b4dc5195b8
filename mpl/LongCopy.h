#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mpl {

namespace detail {

/// Whether the processor copies quickly by an instruction of its own, short runs included. False until static
/// objects are made.
extern const bool hasFastMove;

inline void moveByInstruction([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                              [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#endif
}

} // namespace detail

/// memcpy for data that may be long.
/// - From 1 KiB on the processor's own instruction is used, as the C library does from some KiB on: into
/// lines that another
///   processor had last, 1 KiB is written in half the time, for they are not fetched one after the other
///   before.
/// - Copies of more than the second cache the C library makes with vectors instead, or past the caches. In
/// pieces that
///   fit the cache they stay with the instruction, which took a sixth less time from 1 MiB to 64 MiB (Zen 4).
inline void copyLong(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t leastMoved = std::size_t{1} << 10;
  constexpr std::size_t mostMoved = std::size_t{4} << 10;
  constexpr std::size_t mostAtOnce = std::size_t{512} << 10;
  constexpr std::size_t piece = std::size_t{128} << 10;
  if (bytes < leastMoved) [[likely]] {
    std::memcpy(to, from, bytes);
    return;
  }
  if (bytes <= mostAtOnce) {
    if (bytes <= mostMoved && detail::hasFastMove)
      detail::moveByInstruction(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t done = 0; done < bytes; done += piece)
    std::memcpy(static_cast<std::byte*>(to) + done, static_cast<const std::byte*>(from) + done,
                std::min(piece, bytes - done));
}

/// Asks for the lines into which something short will be written, all at once and before the processor gets
/// there: others read them last, and writes fetch what they go to one after the other. The earlier the
/// better: it goes on beside what else has to be fetched. Nothing is asked for beyond 2 KiB, where copying
/// does the same.
inline void fetchToWrite([[maybe_unused]] const std::byte* at, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t most = std::size_t{2} << 10;
  constexpr std::uintptr_t line = 64;
  if (bytes > most)
    return;
  const std::byte* const end = at + bytes;
  for (at -= reinterpret_cast<std::uintptr_t>(at) % line; at < end; at += line)
    asm volatile("prefetchw %0" : : "m"(*at));
#endif
}

} // namespace mpl
