#include "mpl/HandleTable.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace mpl {
namespace {

struct Thing {
  int number = 0;
};
using Handle = struct ThingHandle*;
using Table = HandleTable<Thing, Handle>;

Handle fromBits(std::uintptr_t bits) {
  return reinterpret_cast<Handle>(bits);
}

class HandleTableTest : public testing::Test {
protected:
  std::unique_ptr<Table> table = std::make_unique<Table>();
};

TEST_F(HandleTableTest, FindsWhatWasInserted) {
  Thing a, b;
  const Handle ha = table->insert(&a);
  const Handle hb = table->insert(&b);
  EXPECT_NE(ha, hb);
  EXPECT_EQ(table->find(ha), &a);
  EXPECT_EQ(table->find(hb), &b);
  EXPECT_EQ(table->live(), 2U);
}

TEST_F(HandleTableTest, HandlesNeverLookPredefined) {
  std::vector<Thing> things(3000);
  for (Thing& thing : things)
    EXPECT_GE(reinterpret_cast<std::uintptr_t>(table->insert(&thing)), Table::predefinedLimit);
}

TEST_F(HandleTableTest, ErasedHandlesStayUnknownWhenTheSlotIsUsedAgain) {
  Thing a, b;
  const Handle old = table->insert(&a);
  table->erase(old);
  EXPECT_EQ(table->find(old), nullptr);
  const Handle fresh = table->insert(&b);
  EXPECT_NE(fresh, old);
  EXPECT_EQ(table->find(old), nullptr);
  EXPECT_EQ(table->find(fresh), &b);
}

TEST_F(HandleTableTest, InventedHandlesAreNotFollowed) {
  Thing a;
  table->insert(&a);
  for (std::uintptr_t bits :
       {std::uintptr_t{4096}, std::uintptr_t{5000}, std::uintptr_t{0xdeadbeef}, ~std::uintptr_t{0},
        std::uintptr_t{0x7fff12345678}, reinterpret_cast<std::uintptr_t>(&a)})
    EXPECT_EQ(table->find(fromBits(bits)), nullptr) << std::hex << bits;
}

TEST_F(HandleTableTest, PredefinedOnesAreBoundAndUnbound) {
  Thing world;
  EXPECT_EQ(table->find(fromBits(0x101)), nullptr);
  table->setPredefined(fromBits(0x101), &world);
  EXPECT_EQ(table->find(fromBits(0x101)), &world);
  table->erase(fromBits(0x101));
  EXPECT_EQ(table->find(fromBits(0x101)), nullptr);
  EXPECT_EQ(table->live(), 0U);
}

TEST_F(HandleTableTest, RenewedHandleKeepsTheObject) {
  Thing a;
  const Handle first = table->insert(&a);
  const Handle second = table->renew(first);
  EXPECT_NE(first, second);
  EXPECT_EQ(table->find(first), nullptr);
  EXPECT_EQ(table->find(second), &a);
  EXPECT_EQ(table->live(), 1U);
}

TEST_F(HandleTableTest, RenewingAtAKnownPlaceIsTheSame) {
  Thing a;
  const Handle first = table->insert(&a);
  HandleTable<Thing, Handle>::Place& place = table->place(first);
  EXPECT_EQ(place.object, &a);
  const Handle second = HandleTable<Thing, Handle>::renew(first, place);
  EXPECT_EQ(table->find(first), nullptr);
  EXPECT_EQ(table->find(second), &a);
  place.generation = UINT32_MAX;
  const Handle third = HandleTable<Thing, Handle>::renew(second, place);
  EXPECT_EQ(table->find(third), &a) << "the generation starts again at 1";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(third) >> 32, 1U);
}

TEST_F(HandleTableTest, IntegersComeBackAsHandles) {
  std::vector<Thing> things(2000);
  for (Thing& thing : things) {
    const Handle handle = table->insert(&thing);
    EXPECT_EQ(table->fromInt(Table::toInt(handle)), handle);
  }
  EXPECT_EQ(table->fromInt(Table::toInt(fromBits(0x101))), fromBits(0x101));
  EXPECT_EQ(table->find(table->fromInt(123456789)), nullptr);
}

TEST_F(HandleTableTest, VisitsTheLiving) {
  std::vector<Thing> things(1500);
  std::vector<Handle> handles;
  for (Thing& thing : things)
    handles.push_back(table->insert(&thing));
  for (std::size_t i = 0; i < handles.size(); i += 2)
    table->erase(handles[i]);
  std::set<Thing*> seen;
  table->forEach([&](Thing& thing) { seen.insert(&thing); });
  EXPECT_EQ(seen.size(), 750U);
  EXPECT_TRUE(seen.count(&things[1]));
  EXPECT_FALSE(seen.count(&things[0]));
}

TEST_F(HandleTableTest, ThreadsInsertAndEraseTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        Thing mine;
        const Handle handle = table->insert(&mine);
        ASSERT_EQ(table->find(handle), &mine);
        table->erase(handle);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(table->live(), 0U);
}

} // namespace
} // namespace mpl
