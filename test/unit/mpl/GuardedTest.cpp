#include "mpl/Guarded.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace mpl {
namespace {

TEST(Guarded, givesWhatWasSet) {
  Guarded<std::string> name;
  EXPECT_EQ(name.get(), "");
  name.set("a");
  EXPECT_EQ(name.get(), "a");
  EXPECT_EQ(Guarded<std::string>(std::string("b")).get(), "b");
}

TEST(Guarded, aReaderSeesOneValueOrTheOther) {
  const std::string one(1000, '1');
  const std::string two(500, '2');
  Guarded<std::string> name(one);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i)
      name.set(i % 2 == 0 ? two : one);
  });
  for (int i = 0; i < 20000; ++i) {
    const std::string seen = name.get();
    ASSERT_TRUE(seen == one || seen == two);
  }
  stop = true;
  writer.join();
}

TEST(Guarded, theFormerValueEndsOutsideOfTheLock) {
  struct Asks {
    explicit Asks(Guarded<std::shared_ptr<Asks>>* owner) : owner(owner) {}
    ~Asks() { EXPECT_EQ(owner->get(), nullptr); }
    Guarded<std::shared_ptr<Asks>>* owner;
  };
  Guarded<std::shared_ptr<Asks>> value;
  value.set(std::make_shared<Asks>(&value));
  value.set(nullptr);
}

} // namespace
} // namespace mpl
