#pragma once

#include "onesided/rpma/Mac.h"

#include <optional>
#include <string>
#include <vector>

namespace mpl {

/// What a process pins on the job's board (PMIx): where it listens, and its secret. An empty address: it has
/// no RDMA device.
struct Contact {
  std::string address; ///< IP address of the device, as text
  std::uint16_t port = 0;
  Secret secret;

  static constexpr const char* key = "mpl.rpma";

  bool hasDevice() const noexcept { return !address.empty(); }
  std::vector<std::byte> encode() const;
  /// Nothing where the bytes are no contact.
  static std::optional<Contact> parse(std::span<const std::byte> data);
};

} // namespace mpl
