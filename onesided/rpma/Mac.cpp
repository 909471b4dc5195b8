#include "onesided/rpma/Mac.h"

#include "mpl/Error.h"

#include <cstring>
#include <sodium.h>

namespace mpl {

namespace {

const unsigned char* raw(std::span<const std::byte> data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

void startSodium() {
  static const bool started = sodium_init() >= 0;
  if (!started)
    fail(MPI_ERR_OTHER, "libsodium does not start");
}

} // namespace

Secret Secret::random() {
  startSodium();
  Secret secret;
  randombytes_buf(secret.bytes.data(), secret.bytes.size());
  return secret;
}

Mac macOf(const Secret& secret, MacUse use, std::span<const std::byte> data) {
  startSodium();
  crypto_generichash_state state;
  const auto purpose = static_cast<unsigned char>(use);
  Mac mac;
  crypto_generichash_init(&state, raw(secret.bytes), secret.bytes.size(), mac.size());
  crypto_generichash_update(&state, &purpose, 1);
  crypto_generichash_update(&state, raw(data), data.size());
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(mac.data()), mac.size());
  return mac;
}

bool macFits(const Secret& secret, MacUse use, std::span<const std::byte> data,
             std::span<const std::byte> found) {
  const Mac right = macOf(secret, use, data);
  return found.size() == right.size() && sodium_memcmp(right.data(), found.data(), right.size()) == 0;
}

std::uint64_t jobNumber(std::string_view jobId) {
  startSodium();
  std::array<unsigned char, 16> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(jobId.data()),
                     jobId.size(), nullptr, 0);
  std::uint64_t number = 0;
  std::memcpy(&number, hash.data(), sizeof number);
  return number;
}

} // namespace mpl
