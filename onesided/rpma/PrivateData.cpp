#include "onesided/rpma/PrivateData.h"

#include "mpl/Error.h"
#include "onesided/rpma/WireBytes.h"

namespace mpl {

namespace {

constexpr std::uint8_t requestVersion = 0xA1;
constexpr std::uint8_t replyVersion = 0xB1;
constexpr std::size_t headBytes = 4; // version, length, two zeros

constexpr std::size_t replyMost =
    headBytes + 8 + 4 + 8 + 8 + 8 + 2 * (1 + MemoryDescriptor::most) + sizeof(Mac);
static_assert(replyMost <= ConnectReply::wireLimit);

MemoryDescriptor readDescriptor(WireReader& reader, bool& sound) {
  const auto length = reader.number<std::uint8_t>();
  if (length > MemoryDescriptor::most) {
    sound = false;
    return {};
  }
  return MemoryDescriptor::of(reader.bytes(length));
}

void writeDescriptor(WireWriter& writer, const MemoryDescriptor& descriptor) {
  writer.number(descriptor.length).bytes(descriptor.data());
}

} // namespace

MemoryDescriptor MemoryDescriptor::of(std::span<const std::byte> data) {
  if (data.size() > most)
    fail(MPI_ERR_INTERN, "a memory descriptor has ", data.size(), " bytes, more than ", most);
  MemoryDescriptor descriptor;
  descriptor.length = static_cast<std::uint8_t>(data.size());
  std::copy(data.begin(), data.end(), descriptor.bytes.begin());
  return descriptor;
}

bool WindowRecord::isPlausible() const noexcept {
  std::uint64_t end = 0;
  return dispUnit > 0 && !__builtin_add_overflow(base, bytes, &end) &&
         memory.length <= MemoryDescriptor::most;
}

const char* refusalText(Refusal refusal) noexcept {
  switch (refusal) {
  case Refusal::none:
    return "nothing is wrong";
  case Refusal::length:
    return "its private data has the wrong length";
  case Refusal::version:
    return "its private data is of no known version";
  case Refusal::padding:
    return "its private data is followed by something";
  case Refusal::mac:
    return "its private data is not signed with this job's secret";
  case Refusal::job:
    return "it comes from another job";
  case Refusal::target:
    return "it is meant for another process";
  case Refusal::origin:
    return "it comes from no process of this job";
  case Refusal::replayed:
    return "it was used before";
  case Refusal::window:
    return "it names a window that is not there";
  }
  return "";
}

std::array<std::byte, ConnectRequest::wireBytes> ConnectRequest::encode(const Secret& secret) const {
  std::array<std::byte, wireBytes> data{};
  WireWriter writer(data);
  writer.number(requestVersion).number(static_cast<std::uint8_t>(wireBytes)).number(std::uint16_t{0});
  writer.number(job).number(origin).number(target).number(window).number(nonce);
  const Mac mac = macOf(secret, MacUse::request, writer.written());
  writer.bytes(mac);
  return data;
}

Refusal parseRequest(std::span<const std::byte> data, const Secret& secret, ConnectRequest& request) {
  constexpr std::size_t signedBytes = ConnectRequest::wireBytes - sizeof(Mac);
  if (data.size() < headBytes)
    return Refusal::length;
  WireReader reader(data);
  if (reader.number<std::uint8_t>() != requestVersion)
    return Refusal::version;
  if (reader.number<std::uint8_t>() != ConnectRequest::wireBytes || data.size() < ConnectRequest::wireBytes)
    return Refusal::length;
  if (!isAllZero(data.subspan(ConnectRequest::wireBytes)))
    return Refusal::padding;
  if (!macFits(secret, MacUse::request, data.first(signedBytes), data.subspan(signedBytes, sizeof(Mac))))
    return Refusal::mac;
  if (reader.number<std::uint16_t>() != 0)
    return Refusal::version;
  request.job = reader.number<std::uint64_t>();
  request.origin = reader.number<std::uint32_t>();
  request.target = reader.number<std::uint32_t>();
  request.window = reader.number<std::uint32_t>();
  request.nonce = reader.number<std::uint64_t>();
  return Refusal::none;
}

std::vector<std::byte> ConnectReply::encode(const Secret& secret) const {
  std::vector<std::byte> data(replyMost);
  WireWriter writer(data);
  const std::size_t length = replyMost - 2 * MemoryDescriptor::most + window.memory.length + directory.length;
  writer.number(replyVersion).number(static_cast<std::uint8_t>(length)).number(std::uint16_t{0});
  writer.number(nonce).number(window.window).number(window.base).number(window.bytes).number(window.dispUnit);
  writeDescriptor(writer, window.memory);
  writeDescriptor(writer, directory);
  const Mac mac = macOf(secret, MacUse::reply, writer.written());
  writer.bytes(mac);
  data.resize(writer.used());
  return data;
}

std::optional<ConnectReply> parseReply(std::span<const std::byte> data, const Secret& secret,
                                       const ConnectRequest& request) {
  if (data.size() < headBytes || static_cast<std::uint8_t>(data[0]) != replyVersion)
    return std::nullopt;
  const auto length = static_cast<std::size_t>(data[1]);
  if (length < headBytes + sizeof(Mac) || length > data.size() || !isAllZero(data.subspan(length)))
    return std::nullopt;
  const std::span<const std::byte> content = data.first(length - sizeof(Mac));
  if (!macFits(secret, MacUse::reply, content, data.subspan(content.size(), sizeof(Mac))))
    return std::nullopt;
  // An honest sender's, as far as the secret is one; what it says is checked all the same.
  WireReader reader(content);
  bool sound = true;
  reader.bytes(headBytes);
  ConnectReply reply;
  reply.nonce = reader.number<std::uint64_t>();
  reply.window.window = reader.number<std::uint32_t>();
  reply.window.base = reader.number<std::uint64_t>();
  reply.window.bytes = reader.number<std::uint64_t>();
  reply.window.dispUnit = reader.number<std::int64_t>();
  reply.window.memory = readDescriptor(reader, sound);
  reply.directory = readDescriptor(reader, sound);
  if (!sound || !reader.ok() || reader.used() != content.size() || !reply.window.isPlausible() ||
      reply.nonce != request.nonce || reply.window.window != request.window || reply.directory.length == 0)
    return std::nullopt;
  return reply;
}

} // namespace mpl
