#pragma once

#include "onesided/rpma/Contact.h"
#include "onesided/rpma/RpmaDevice.h"
#include "onesided/rpma/RpmaEvents.h"

#include <cstdint>
#include <memory>

namespace mpl {

/// What the origin's and the target's side of a process share.
struct RpmaContext {
  std::unique_ptr<RpmaDevice> device;
  RpmaEvents events;
  std::uint64_t job = 0;
  std::uint32_t self = 0;
  std::uint32_t jobSize = 0;
  Contact contact;         ///< of this process
  std::uint64_t nonce = 0; ///< the last that was used
};

/// The configuration of connections, given back to librpma at the end.
struct RpmaConnConfig {
  RpmaConnConfig(std::uint32_t queueSize, int milliseconds) {
    if (rpma_conn_cfg_new(&config) != 0) {
      config = nullptr; // librpma's defaults
      return;
    }
    rpma_conn_cfg_set_sq_size(config, queueSize);
    rpma_conn_cfg_set_cq_size(config, queueSize);
    rpma_conn_cfg_set_timeout(config, milliseconds);
  }
  ~RpmaConnConfig() {
    if (config != nullptr)
      rpma_conn_cfg_delete(&config);
  }
  RpmaConnConfig(const RpmaConnConfig&) = delete;
  RpmaConnConfig& operator=(const RpmaConnConfig&) = delete;

  rpma_conn_cfg* config = nullptr;
};

} // namespace mpl
