#include "onesided/rpma/Contact.h"

#include "onesided/rpma/WireBytes.h"

namespace mpl {

namespace {

constexpr std::uint8_t version = 1;
constexpr std::size_t longestAddress = 63;

} // namespace

std::vector<std::byte> Contact::encode() const {
  std::vector<std::byte> data(sizeof version + 1 + sizeof port + secret.bytes.size() + address.size());
  WireWriter writer(data);
  writer.number(version).number(static_cast<std::uint8_t>(address.size())).number(port).bytes(secret.bytes);
  writer.bytes(std::as_bytes(std::span(address)));
  return data;
}

std::optional<Contact> Contact::parse(std::span<const std::byte> data) {
  WireReader reader(data);
  Contact contact;
  if (reader.number<std::uint8_t>() != version)
    return std::nullopt;
  const auto length = reader.number<std::uint8_t>();
  contact.port = reader.number<std::uint16_t>();
  const std::span<const std::byte> secret = reader.bytes(contact.secret.bytes.size());
  const std::span<const std::byte> address = reader.bytes(length);
  if (!reader.ok() || reader.used() != data.size() || length > longestAddress)
    return std::nullopt;
  std::copy(secret.begin(), secret.end(), contact.secret.bytes.begin());
  for (std::byte c : address) {
    if (c == std::byte{0})
      return std::nullopt;
    contact.address.push_back(static_cast<char>(c));
  }
  return contact;
}

} // namespace mpl
