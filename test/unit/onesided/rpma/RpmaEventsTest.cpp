#include "onesided/rpma/RpmaEvents.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace mpl {
namespace {

class Counter final : public EventSource {
public:
  Counter() : descriptor(::eventfd(1, EFD_NONBLOCK)) {}
  ~Counter() override { ::close(descriptor); }
  void ready() override {
    eventfd_t value = 0;
    EXPECT_EQ(::eventfd_read(descriptor, &value), 0);
    ++calls;
    if (next != nullptr)
      set->remove(next->descriptor);
  }
  int descriptor;
  int calls = 0;
  RpmaEvents* set = nullptr;
  Counter* next = nullptr; ///< removed when this one is called
};

bool readable(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

TEST(RpmaEvents, CallsWhatIsReadyAndThenRests) {
  RpmaEvents events;
  Counter one;
  Counter two;
  EXPECT_EQ(events.poll(), 0U);
  EXPECT_FALSE(readable(events.descriptor()));
  ASSERT_TRUE(events.add(one.descriptor, one));
  ASSERT_TRUE(events.add(two.descriptor, two));
  EXPECT_TRUE(readable(events.descriptor()));
  EXPECT_EQ(events.poll(), 2U);
  EXPECT_EQ(one.calls + two.calls, 2);
  EXPECT_FALSE(readable(events.descriptor()));
  EXPECT_EQ(events.poll(), 0U);
}

TEST(RpmaEvents, WhatIsRemovedMeanwhileIsNotCalled) {
  RpmaEvents events;
  Counter one;
  Counter two;
  one.set = two.set = &events;
  one.next = &two;
  two.next = &one;
  ASSERT_TRUE(events.add(one.descriptor, one));
  ASSERT_TRUE(events.add(two.descriptor, two));
  EXPECT_EQ(events.poll(), 1U);
  EXPECT_EQ(one.calls + two.calls, 1);
}

TEST(RpmaEvents, ADescriptorThatIsNoneIsRefused) {
  RpmaEvents events;
  Counter one;
  EXPECT_FALSE(events.add(-1, one));
}

} // namespace
} // namespace mpl
