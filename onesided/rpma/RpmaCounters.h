#pragma once

#include "mpl/PerformanceVariable.h"
#include "onesided/rpma/PrivateData.h"

#include <array>
#include <cstdint>
#include <string>

namespace mpl {

/// What went over RDMA in this process. RmaLock held.
struct RpmaCounters {
  std::uint64_t connections = 0; ///< made by this process
  std::uint64_t refused = 0;     ///< connections of this process that others did not accept
  std::uint64_t accepted = 0;    ///< of others
  std::array<std::uint64_t, refusalKinds> rejected{}; ///< requests of others, by Refusal
  std::uint64_t writes = 0;
  std::uint64_t writtenBytes = 0;
  std::uint64_t atomicWrites = 0; ///< of 8 bytes each, not counted in writes
  std::uint64_t reads = 0;
  std::uint64_t readBytes = 0;
  std::uint64_t flushes = 0;
  std::uint64_t lookups = 0;          ///< reads of a directory, also counted in reads
  std::uint64_t requestBytesSent = 0; ///< private data
  std::uint64_t requestBytesReceived = 0;
  std::uint64_t replyBytesSent = 0;
  std::uint64_t replyBytesReceived = 0;
  std::uint64_t registrations = 0;
  std::uint64_t registrationHits = 0; ///< memory of origins found registered
  std::uint64_t throttled = 0;        ///< how often an operation waited for room in a send queue

  std::uint64_t rejectedInAll() const noexcept;
  /// "3 connections made, ..."; empty where nothing has happened.
  std::string describe() const;
};

extern RpmaCounters rpmaCounters;

/// The same for tools.
VariableCategory rpmaVariables();

} // namespace mpl
