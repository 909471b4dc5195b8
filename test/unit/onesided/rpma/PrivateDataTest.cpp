#include "onesided/rpma/PrivateData.h"

#include "mpl/Error.h"
#include "onesided/rpma/Contact.h"
#include "onesided/rpma/RequestGate.h"

#include <gtest/gtest.h>

#include <random>

namespace mpl {
namespace {

using Bytes = std::vector<std::byte>;

Secret secretOf(int seed) {
  Secret secret;
  for (std::size_t i = 0; i < secret.bytes.size(); ++i)
    secret.bytes[i] = static_cast<std::byte>(seed + static_cast<int>(i));
  return secret;
}

ConnectRequest someRequest() {
  return {.job = 0x1122334455667788, .origin = 3, .target = 5, .window = 77, .nonce = 9};
}

ConnectReply someReply(std::size_t descriptorBytes = 21) {
  ConnectReply reply;
  reply.nonce = 9;
  reply.window.window = 77;
  reply.window.base = 0x7f0000001000;
  reply.window.bytes = 4096;
  reply.window.dispUnit = 8;
  Bytes descriptor(descriptorBytes, std::byte{0x42});
  reply.window.memory = MemoryDescriptor::of(descriptor);
  descriptor.assign(descriptorBytes, std::byte{0x43});
  reply.directory = MemoryDescriptor::of(descriptor);
  return reply;
}

Bytes padded(std::span<const std::byte> data, std::size_t to) {
  Bytes all(data.begin(), data.end());
  all.resize(to);
  return all;
}

TEST(ConnectRequest, ComesBackAsItWasWhateverThePadding) {
  const Secret secret = secretOf(1);
  const auto data = someRequest().encode(secret);
  for (const std::size_t length : {data.size(), ConnectRequest::wireLimit, std::size_t{251}}) {
    ConnectRequest found;
    EXPECT_EQ(parseRequest(padded(data, length), secret, found), Refusal::none);
    EXPECT_EQ(found, someRequest());
  }
}

TEST(ConnectRequest, TheBytesOnTheWireAreFixed) {
  const auto data = someRequest().encode(secretOf(1));
  const unsigned char head[] = {0xA1, 48,   0,    0, 0x88, 0x77, 0x66, 0x55, 0x44,
                                0x33, 0x22, 0x11, 3, 0,    0,    0,    5,    0};
  for (std::size_t i = 0; i < sizeof head; ++i)
    EXPECT_EQ(data[i], static_cast<std::byte>(head[i])) << i;
}

TEST(ConnectRequest, EveryChangedBitIsSeen) {
  const Secret secret = secretOf(1);
  const auto data = someRequest().encode(secret);
  const Bytes good = padded(data, ConnectRequest::wireLimit);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes wrong = good;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    ConnectRequest found;
    EXPECT_NE(parseRequest(wrong, secret, found), Refusal::none) << "bit " << bit;
  }
}

TEST(ConnectRequest, WhatIsCutOffIsSeen) {
  const Secret secret = secretOf(1);
  const auto data = someRequest().encode(secret);
  for (std::size_t length = 0; length < data.size(); ++length) {
    ConnectRequest found;
    EXPECT_NE(parseRequest(std::span(data).first(length), secret, found), Refusal::none) << length;
    if (length != 0 && data[length] != std::byte{0}) {
      EXPECT_NE(parseRequest(padded(std::span(data).first(length), 56), secret, found), Refusal::none)
          << length;
    }
  }
}

TEST(ConnectRequest, ReasonsAreToldApart) {
  const Secret secret = secretOf(1);
  const auto data = someRequest().encode(secret);
  ConnectRequest found;
  EXPECT_EQ(parseRequest({}, secret, found), Refusal::length);
  EXPECT_EQ(parseRequest(Bytes(56), secret, found), Refusal::version);
  EXPECT_EQ(parseRequest(std::span(data).first(47), secret, found), Refusal::length);
  EXPECT_EQ(parseRequest(data, secretOf(2), found), Refusal::mac);
  Bytes longer = padded(data, 56);
  longer.back() = std::byte{1};
  EXPECT_EQ(parseRequest(longer, secret, found), Refusal::padding);
  for (std::size_t kind = 0; kind < refusalKinds; ++kind)
    EXPECT_STRNE(refusalText(static_cast<Refusal>(kind)), "");
}

TEST(RequestGate, LetsEachMemberInOnce) {
  const Secret secret = secretOf(1);
  RequestGate gate(secret, someRequest().job, 5, 8);
  const auto always = [](std::uint32_t) { return true; };
  ConnectRequest found;
  EXPECT_EQ(gate.judge(someRequest().encode(secret), found, always), Refusal::none);
  EXPECT_EQ(gate.judge(someRequest().encode(secret), found, always), Refusal::replayed);
  ConnectRequest next = someRequest();
  next.nonce = 8;
  EXPECT_EQ(gate.judge(next.encode(secret), found, always), Refusal::replayed);
  next.nonce = 10;
  EXPECT_EQ(gate.judge(next.encode(secret), found, always), Refusal::none);
  next.origin = 4; // counts by itself
  next.nonce = 1;
  EXPECT_EQ(gate.judge(next.encode(secret), found, always), Refusal::none);
  next.origin = 6;
  next.nonce = 0;
  EXPECT_EQ(gate.judge(next.encode(secret), found, always), Refusal::replayed);
}

TEST(RequestGate, TurnsAwayWhoDoesNotBelong) {
  const Secret secret = secretOf(1);
  RequestGate gate(secret, someRequest().job, 5, 8);
  const auto never = [](std::uint32_t) { return false; };
  ConnectRequest found;
  ConnectRequest wrong = someRequest();
  wrong.job = 1;
  EXPECT_EQ(gate.judge(wrong.encode(secret), found, never), Refusal::job);
  wrong = someRequest();
  wrong.target = 4;
  EXPECT_EQ(gate.judge(wrong.encode(secret), found, never), Refusal::target);
  wrong = someRequest();
  wrong.origin = 8;
  EXPECT_EQ(gate.judge(wrong.encode(secret), found, never), Refusal::origin);
  EXPECT_EQ(gate.judge(someRequest().encode(secret), found, never), Refusal::window);
  // Seen by a stranger meanwhile, it opens nothing when the window is there.
  const auto always = [](std::uint32_t) { return true; };
  EXPECT_EQ(gate.judge(someRequest().encode(secret), found, always), Refusal::replayed);
}

TEST(ConnectReply, ComesBackAsItWasWhateverThePadding) {
  const Secret secret = secretOf(1);
  for (const std::size_t descriptorBytes : {std::size_t{1}, std::size_t{21}, MemoryDescriptor::most}) {
    const ConnectReply reply = someReply(descriptorBytes);
    const Bytes data = reply.encode(secret);
    EXPECT_LE(data.size(), ConnectReply::wireLimit);
    for (const std::size_t length : {data.size(), ConnectReply::wireLimit}) {
      const auto found = parseReply(padded(data, length), secret, someRequest());
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(*found, reply);
    }
  }
}

TEST(ConnectReply, AWindowWithoutRegisteredMemoryIsOne) {
  ConnectReply reply = someReply();
  reply.window.memory = {};
  const auto found = parseReply(reply.encode(secretOf(1)), secretOf(1), someRequest());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->window.memory.length, 0);
}

TEST(ConnectReply, EveryChangedBitAndEveryCutIsSeen) {
  const Secret secret = secretOf(1);
  const Bytes good = padded(someReply().encode(secret), ConnectReply::wireLimit);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes wrong = good;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    // The two bytes behind the length are signed with the rest.
    EXPECT_FALSE(parseReply(wrong, secret, someRequest()).has_value()) << "bit " << bit;
  }
  const std::size_t length = someReply().encode(secret).size();
  for (std::size_t cut = 0; cut < length; ++cut)
    EXPECT_FALSE(parseReply(std::span(good).first(cut), secret, someRequest()).has_value()) << cut;
}

TEST(ConnectReply, FitsItsOwnRequestOnly) {
  const Secret secret = secretOf(1);
  const Bytes data = someReply().encode(secret);
  ConnectRequest other = someRequest();
  other.nonce = 10;
  EXPECT_FALSE(parseReply(data, secret, other).has_value());
  other = someRequest();
  other.window = 78;
  EXPECT_FALSE(parseReply(data, secret, other).has_value());
  EXPECT_FALSE(parseReply(data, secretOf(2), someRequest()).has_value());
}

TEST(ConnectReply, WhatNoTargetCanMeanIsTurnedDownThoughSigned) {
  const Secret secret = secretOf(1);
  ConnectReply reply = someReply();
  reply.window.dispUnit = 0;
  EXPECT_FALSE(parseReply(reply.encode(secret), secret, someRequest()).has_value());
  reply = someReply();
  reply.window.bytes = UINT64_MAX;
  EXPECT_FALSE(parseReply(reply.encode(secret), secret, someRequest()).has_value());
  reply = someReply();
  reply.directory = {};
  EXPECT_FALSE(parseReply(reply.encode(secret), secret, someRequest()).has_value());
}

TEST(ConnectReply, ARequestIsNoReply) {
  const Secret secret = secretOf(1);
  ConnectRequest found;
  EXPECT_NE(parseRequest(someReply().encode(secret), secret, found), Refusal::none);
  EXPECT_FALSE(parseReply(someRequest().encode(secret), secret, someRequest()).has_value());
}

TEST(PrivateData, NoiseIsNeverTakenForAnything) {
  std::mt19937 random(1);
  const Secret secret = secretOf(1);
  for (int round = 0; round < 20000; ++round) {
    Bytes noise(random() % 252);
    for (std::byte& b : noise)
      b = static_cast<std::byte>(random());
    if (noise.size() > 2) {
      noise[0] = static_cast<std::byte>(round % 2 == 0 ? 0xA1 : 0xB1);
      noise[1] = static_cast<std::byte>(round % 4 < 2 ? 48 : random() % 200);
    }
    ConnectRequest found;
    EXPECT_NE(parseRequest(noise, secret, found), Refusal::none);
    EXPECT_FALSE(parseReply(noise, secret, someRequest()).has_value());
  }
}

TEST(MemoryDescriptor, TakesNoMoreThanItHolds) {
  EXPECT_THROW(MemoryDescriptor::of(Bytes(MemoryDescriptor::most + 1)), Error);
}

TEST(Contact, ComesBackAsItWas) {
  Contact contact;
  contact.address = "fd00::1";
  contact.port = 54321;
  contact.secret = secretOf(3);
  const Bytes data = contact.encode();
  const auto found = Contact::parse(data);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->address, contact.address);
  EXPECT_EQ(found->port, contact.port);
  EXPECT_EQ(found->secret.bytes, contact.secret.bytes);
  for (std::size_t cut = 0; cut < data.size(); ++cut)
    EXPECT_FALSE(Contact::parse(std::span(data).first(cut)).has_value()) << cut;
  EXPECT_FALSE(Contact::parse(padded(data, data.size() + 1)).has_value());
}

TEST(Contact, OneWithoutDeviceSaysSo) {
  const auto found = Contact::parse(Contact{}.encode());
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->hasDevice());
}

TEST(Mac, DependsOnSecretUseAndData) {
  const Bytes data(10, std::byte{1});
  const Mac mac = macOf(secretOf(1), MacUse::request, data);
  EXPECT_EQ(mac, macOf(secretOf(1), MacUse::request, data));
  EXPECT_NE(mac, macOf(secretOf(2), MacUse::request, data));
  EXPECT_NE(mac, macOf(secretOf(1), MacUse::reply, data));
  EXPECT_NE(mac, macOf(secretOf(1), MacUse::request, Bytes(11, std::byte{1})));
  EXPECT_TRUE(macFits(secretOf(1), MacUse::request, data, mac));
  EXPECT_FALSE(macFits(secretOf(1), MacUse::request, data, std::span(mac).first(15)));
  EXPECT_NE(Secret::random().bytes, Secret::random().bytes);
  EXPECT_NE(jobNumber("a"), jobNumber("b"));
}

} // namespace
} // namespace mpl
