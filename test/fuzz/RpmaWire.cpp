// libFuzzer: private data of requests and replies, contacts and directory entries, as anybody may send them.
// The input is also signed here with the right secret, so that what lies behind the check of the hash is
// reached.
#include "onesided/rpma/Contact.h"
#include "onesided/rpma/Directory.h"
#include "onesided/rpma/RequestGate.h"

#include <algorithm>
#include <cstdlib>

namespace {

using Bytes = std::span<const std::byte>;

void require(bool condition) {
  if (!condition)
    std::abort();
}

std::vector<std::byte> resigned(Bytes data, std::size_t signedBytes, const mpl::Secret& secret,
                                mpl::MacUse use) {
  std::vector<std::byte> copy(data.begin(), data.end());
  if (copy.size() < signedBytes + sizeof(mpl::Mac))
    return copy;
  const mpl::Mac mac = mpl::macOf(secret, use, Bytes(copy).first(signedBytes));
  std::copy(mac.begin(), mac.end(), copy.begin() + static_cast<std::ptrdiff_t>(signedBytes));
  return copy;
}

void tryRequest(Bytes data, const mpl::Secret& secret) {
  mpl::ConnectRequest request;
  mpl::RequestGate gate(secret, 1, 2, 100);
  const auto hasWindow = [](std::uint32_t id) { return id % 2 == 0; };
  if (gate.judge(data, request, hasWindow) == mpl::Refusal::none) {
    require(request.job == 1 && request.target == 2 && request.origin < 100 && request.nonce != 0);
    const auto again = request.encode(secret);
    require(std::equal(again.begin(), again.end(), data.begin()));
    require(gate.judge(data, request, hasWindow) == mpl::Refusal::replayed);
  }
}

void tryReply(Bytes data, const mpl::Secret& secret) {
  mpl::ConnectRequest asked;
  if (data.size() >= 16) {
    asked.nonce = static_cast<std::uint64_t>(data[4]); // often enough the one that is in the data
    asked.window = static_cast<std::uint32_t>(data[12]);
  }
  if (const auto reply = mpl::parseReply(data, secret, asked)) {
    require(reply->window.isPlausible() && reply->nonce == asked.nonce);
    require(reply->encode(secret).size() <= mpl::ConnectReply::wireLimit);
  }
}

void tryDirectory(Bytes data, const mpl::Secret& secret) {
  const std::uint32_t window = data.size() > 4 ? static_cast<std::uint32_t>(data[4]) : 0;
  const mpl::DirectoryAnswer answer = mpl::searchDirectory(data, window, secret);
  if (answer.kind == mpl::DirectoryAnswer::Kind::found)
    require(answer.record.window == window && answer.record.isPlausible());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const Bytes data(reinterpret_cast<const std::byte*>(input), size);
  mpl::Secret secret;
  secret.bytes.fill(std::byte{0x33});
  constexpr std::size_t requestSigned = mpl::ConnectRequest::wireBytes - sizeof(mpl::Mac);
  constexpr std::size_t entrySigned = 65;
  const std::size_t said = size > 1 ? input[1] : 0;
  const std::size_t replySigned = said >= sizeof(mpl::Mac) ? said - sizeof(mpl::Mac) : 0;
  tryRequest(data, secret);
  tryRequest(resigned(data, requestSigned, secret, mpl::MacUse::request), secret);
  tryReply(data, secret);
  tryReply(resigned(data, replySigned, secret, mpl::MacUse::reply), secret);
  tryDirectory(data, secret);
  tryDirectory(resigned(data, entrySigned, secret, mpl::MacUse::directoryEntry), secret);
  if (const auto contact = mpl::Contact::parse(data)) {
    const std::vector<std::byte> again = contact->encode();
    require(std::equal(again.begin(), again.end(), data.begin(), data.end()));
  }
  return 0;
}
