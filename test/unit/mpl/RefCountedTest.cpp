#include "mpl/RefCounted.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace mpl {
namespace {

class Counted : public RefCounted<Counted> {
public:
  explicit Counted(int& deaths) : deaths_(deaths) {}
  Counted(int& deaths, bool) : RefCounted(ImmortalTag{}), deaths_(deaths) {}

private:
  friend class RefCounted<Counted>;
  ~Counted() { ++deaths_; }
  int& deaths_;
};

static_assert(!std::is_copy_constructible_v<Counted>);
static_assert(!std::is_convertible_v<Counted*, Ref<Counted>>);

TEST(RefCounted, DiesWithItsLastReference) {
  int deaths = 0;
  {
    Ref<Counted> first(new Counted(deaths));
    EXPECT_EQ(first->references(), 1);
    {
      Ref<Counted> second = first;
      EXPECT_EQ(first->references(), 2);
      EXPECT_EQ(first, second);
    }
    EXPECT_EQ(first->references(), 1);
    EXPECT_EQ(deaths, 0);
  }
  EXPECT_EQ(deaths, 1);
}

TEST(RefCounted, MovingChangesNoCount) {
  int deaths = 0;
  Ref<Counted> first(new Counted(deaths));
  Ref<Counted> second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
  EXPECT_EQ(second->references(), 1);
  first = std::move(second);
  EXPECT_EQ(first->references(), 1);
  first = nullptr;
  EXPECT_EQ(deaths, 1);
}

TEST(RefCounted, AssigningDropsTheOldObject) {
  int deathsA = 0;
  int deathsB = 0;
  Ref<Counted> ref(new Counted(deathsA));
  ref = Ref<Counted>(new Counted(deathsB));
  EXPECT_EQ(deathsA, 1);
  EXPECT_EQ(deathsB, 0);
  Ref<Counted>& alias = ref;
  ref = alias;
  EXPECT_EQ(deathsB, 0);
  EXPECT_EQ(ref->references(), 1);
}

TEST(RefCounted, DetachedReferencesAreAdopted) {
  int deaths = 0;
  Ref<Counted> ref(new Counted(deaths));
  Counted* plain = ref.detach();
  EXPECT_FALSE(ref);
  EXPECT_EQ(plain->references(), 1);
  ref = Ref<Counted>::adopt(plain);
  EXPECT_EQ(ref->references(), 1);
  ref = nullptr;
  EXPECT_EQ(deaths, 1);
}

TEST(RefCounted, ImmortalObjectsAreNeitherCountedNorDeleted) {
  static int deaths = 0;
  static auto* object = new Counted(deaths, true);
  EXPECT_TRUE(object->isImmortal());
  {
    Ref<Counted> a(object);
    Ref<Counted> b = a;
    EXPECT_EQ(object->references(), 0);
  }
  object->release();
  EXPECT_EQ(deaths, 0);
}

TEST(RefCounted, EmptyReferencesAreHarmless) {
  Ref<Counted> none;
  Ref<Counted> copy = none;
  Ref<Counted> fromNull(static_cast<Counted*>(nullptr));
  EXPECT_FALSE(none || copy || fromNull);
  EXPECT_EQ(none.detach(), nullptr);
}

TEST(RefCounted, ThreadsShareOneCount) {
  int deaths = 0;
  Ref<Counted> ref(new Counted(deaths));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([copy = ref] {
        for (int i = 0; i < 20000; ++i)
          Ref<Counted> another = copy;
      });
  }
  EXPECT_EQ(ref->references(), 1);
  ref = nullptr;
  EXPECT_EQ(deaths, 1);
}

} // namespace
} // namespace mpl
