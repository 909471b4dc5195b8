#include "pt2pt/node/Mailbox.h"

#include "test/unit/pt2pt/node/SharedLines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace mpl {
namespace {

class MailboxTest : public testing::Test {
protected:
  MailboxTest() { Mailbox::initialise(memory()); }

  std::byte* memory() { return lines_.memory(); }

  static bool post(Mailbox& view, std::uint32_t writer, std::uint64_t envelope) {
    MailSlot* slot = view.claim(writer);
    if (slot == nullptr)
      return false;
    slot->describe(envelope, 0, writer, Carrier::Slot);
    Mailbox::publish(*slot);
    return true;
  }

private:
  SharedLines lines_{Mailbox::bytes()};
};

TEST_F(MailboxTest, StartsEmpty) {
  Mailbox owner(memory());
  EXPECT_EQ(owner.front(), nullptr);
  EXPECT_EQ(owner.stuckWriter(), -1);
}

TEST_F(MailboxTest, KeepsTheOrderOfAWriterOverManyTurns) {
  Mailbox owner(memory());
  Mailbox writer(memory());
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  while (received < 5 * Mailbox::slotCount) {
    for (int i = 0; i < 37 && post(writer, 5, sent); ++i)
      ++sent;
    for (int i = 0; i < 31; ++i)
      if (const MailSlot* slot = owner.front()) {
        ASSERT_EQ(slot->envelope, received++);
        ASSERT_EQ(slot->writer(), 5U);
        ASSERT_EQ(slot->carrier(), Carrier::Slot);
        owner.pop();
      }
  }
}

TEST_F(MailboxTest, IsFullAndHasRoomAgain) {
  Mailbox owner(memory());
  Mailbox writer(memory());
  for (std::uint64_t i = 0; i < Mailbox::slotCount; ++i)
    ASSERT_TRUE(post(writer, 1, i));
  EXPECT_FALSE(post(writer, 1, 0));
  Mailbox other(memory());
  EXPECT_FALSE(post(other, 2, 0));
  for (std::uint64_t i = 0; i < Mailbox::slotCount; ++i) {
    ASSERT_NE(owner.front(), nullptr);
    EXPECT_EQ(owner.front()->envelope, i);
    owner.pop();
  }
  EXPECT_EQ(owner.front(), nullptr);
  EXPECT_TRUE(post(writer, 1, 77));
  EXPECT_TRUE(post(other, 2, 78));
  EXPECT_EQ(owner.front()->envelope, 77U);
}

// A view that has not posted for long starts from an old hint, or from none.
TEST_F(MailboxTest, LateViewsGoOnWhereTheOthersAre) {
  Mailbox owner(memory());
  Mailbox busy(memory());
  Mailbox late(memory());
  for (std::uint64_t i = 0; i < 3 * Mailbox::slotCount; ++i) {
    ASSERT_TRUE(post(busy, 1, i));
    ASSERT_EQ(owner.front()->envelope, i);
    owner.pop();
  }
  ASSERT_TRUE(post(late, 2, 1234));
  ASSERT_NE(owner.front(), nullptr);
  EXPECT_EQ(owner.front()->writer(), 2U);
}

TEST_F(MailboxTest, TheSlotOfADeadWriterCanBePassedOver) {
  Mailbox owner(memory());
  Mailbox dying(memory());
  Mailbox living(memory());
  ASSERT_NE(dying.claim(9), nullptr); // and never published
  ASSERT_TRUE(post(living, 3, 42));
  EXPECT_EQ(owner.front(), nullptr);
  EXPECT_EQ(owner.stuckWriter(), 9);
  owner.skip();
  ASSERT_NE(owner.front(), nullptr);
  EXPECT_EQ(owner.front()->envelope, 42U);
  owner.pop();
  EXPECT_EQ(owner.stuckWriter(), -1);
  // The place that was passed over is used again.
  for (std::uint64_t i = 0; i < 2 * Mailbox::slotCount; ++i) {
    ASSERT_TRUE(post(living, 3, i));
    ASSERT_EQ(owner.front()->envelope, i);
    owner.pop();
  }
}

TEST_F(MailboxTest, NothingIsLostBetweenThreads) {
  constexpr std::uint32_t writers = 4;
  constexpr std::uint64_t each = 20000;
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < writers; ++w)
    threads.emplace_back([this, w] {
      Mailbox view(memory());
      for (std::uint64_t i = 0; i < each;)
        if (post(view, w, i))
          ++i;
        else
          std::this_thread::yield();
    });
  Mailbox owner(memory());
  std::vector<std::uint64_t> next(writers, 0);
  for (std::uint64_t taken = 0; taken < writers * each;) {
    const MailSlot* slot = owner.front();
    if (slot == nullptr) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(slot->envelope, next[slot->writer()]++);
    owner.pop();
    ++taken;
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(owner.front(), nullptr);
}

} // namespace
} // namespace mpl
