#pragma once

#include "mpi.h"

#include <cstdint>

namespace mpl {

/// The envelope of a message as UCX matches it: context id, sender's rank in that context, MPI tag, in 64
/// bits without a spare one, so that a receive with a given source and tag has an all-ones mask (the only
/// kind that UCX finds by hashing). Every communicator owns two context ids, an even one for point-to-point
/// and the odd one after it for collectives, so that MPI_ANY_TAG can never match library traffic.
namespace envelope {

constexpr unsigned tagBits = 23;
constexpr unsigned sourceBits = 20;
constexpr unsigned contextBits = 64 - sourceBits - tagBits;

constexpr int maxTag = (1 << tagBits) - 1;
constexpr int maxRanks = 1 << sourceBits;
constexpr std::uint32_t maxContexts = 1U << (contextBits - 1);
/// The half of them that communicators have a second time, for traffic of their own kind (coll/Contexts.h).
constexpr std::uint32_t derivedContexts = maxContexts / 2;

/// Context ids are below half of what fits: the messages of the other half carry nothing but the data of
/// messages whose envelopes travel through memory (pt2pt/node). process: the sender; number: of such messages
/// from one process to another, modulo 2^43.
constexpr std::uint64_t dataMark = std::uint64_t{1} << 63;
constexpr std::uint64_t dataTag(std::int64_t process, std::uint64_t number) {
  constexpr unsigned numberBits = 63 - sourceBits;
  return dataMark | static_cast<std::uint64_t>(process) << numberBits |
         (number & ((std::uint64_t{1} << numberBits) - 1));
}

/// The sender of such a message.
constexpr std::int64_t dataSender(std::uint64_t dataTag) {
  constexpr unsigned numberBits = 63 - sourceBits;
  return static_cast<std::int64_t>((dataTag & ~dataMark) >> numberBits);
}

constexpr std::uint64_t fullMask = ~std::uint64_t{0};
constexpr std::uint64_t anyTagMask = fullMask << tagBits;
constexpr std::uint64_t anySourceMask = ~(((std::uint64_t{1} << sourceBits) - 1) << tagBits);

constexpr std::uint64_t contextPart(std::uint32_t context) {
  return static_cast<std::uint64_t>(context) << (sourceBits + tagBits);
}

constexpr std::uint64_t make(std::uint64_t contextPart, int source, int tag) {
  return contextPart | static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << tagBits |
         static_cast<std::uint32_t>(tag);
}

constexpr std::uint32_t context(std::uint64_t envelope) {
  return static_cast<std::uint32_t>(envelope >> (sourceBits + tagBits));
}
constexpr int source(std::uint64_t envelope) {
  return static_cast<int>(envelope >> tagBits & (maxRanks - 1));
}
constexpr int tag(std::uint64_t envelope) {
  return static_cast<int>(envelope & maxTag);
}

/// What a receive or a probe looks for: an envelope and the bits of it that count.
struct Pattern {
  std::uint64_t bits;
  std::uint64_t mask;

  constexpr bool fits(std::uint64_t envelope) const noexcept { return ((envelope ^ bits) & mask) == 0; }
};

/// source may be MPI_ANY_SOURCE and tag MPI_ANY_TAG.
constexpr Pattern pattern(std::uint64_t contextPart, int source, int tag) {
  Pattern wanted{contextPart, fullMask};
  if (tag == MPI_ANY_TAG)
    wanted.mask &= anyTagMask;
  else
    wanted.bits |= static_cast<std::uint32_t>(tag);
  if (source == MPI_ANY_SOURCE)
    wanted.mask &= anySourceMask;
  else
    wanted.bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << tagBits;
  return wanted;
}

} // namespace envelope
} // namespace mpl
