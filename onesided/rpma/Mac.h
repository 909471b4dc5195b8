#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mpl {

/// What a process gives to the members of its job alone, through PMIx: whoever knows it may connect.
struct Secret {
  std::array<std::byte, 32> bytes{};

  static Secret random();
};

/// Keyed hash (BLAKE2b of libsodium, 128 bits) of what goes over the wire or lies in the window directory.
using Mac = std::array<std::byte, 16>;

/// What a hash is for: one made for another purpose fits nothing.
enum class MacUse : std::uint8_t { request = 1, reply, directoryEntry };

Mac macOf(const Secret& secret, MacUse use, std::span<const std::byte> data);
/// In the same time whatever differs. found: of any length; another than Mac's does not fit.
bool macFits(const Secret& secret, MacUse use, std::span<const std::byte> data,
             std::span<const std::byte> found);

/// A job's name as a number.
std::uint64_t jobNumber(std::string_view jobId);

} // namespace mpl
