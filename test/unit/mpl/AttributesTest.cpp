#include "mpl/Attributes.h"

#include "mpl/Error.h"
#include "mpl/ErrorCodes.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

namespace mpl {
namespace {

template <class Run> int classOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

/// What the callbacks saw, and what they shall do.
struct Script {
  std::vector<std::pair<int, void*>> deleted;
  std::vector<std::pair<int, void*>> copied;
  std::vector<const void*> objects;
  int deleteResult = MPI_SUCCESS;
  int copyResult = MPI_SUCCESS;
  int copyFlag = 1;
  std::function<void(int key)> onDelete;
};

template <class Handle>
int copyCallback(Handle object, int key, void* extra, void* value, void* out, int* flag) {
  auto& script = *static_cast<Script*>(extra);
  script.copied.emplace_back(key, value);
  script.objects.push_back(object);
  *static_cast<void**>(out) = static_cast<char*>(value) + 1;
  *flag = script.copyFlag;
  return script.copyResult;
}

template <class Handle> int deleteCallback(Handle object, int key, void* value, void* extra) {
  auto& script = *static_cast<Script*>(extra);
  script.deleted.emplace_back(key, value);
  script.objects.push_back(object);
  if (script.onDelete)
    script.onDelete(key);
  return script.deleteResult;
}

template <class Handle> class AttributesTest : public testing::Test {
protected:
  using Key = Keyval<Handle>;
  using Set = AttributeSet<Handle>;

  int newKey() {
    const int key = Key::create(&copyCallback<Handle>, &deleteCallback<Handle>, &script);
    keys.push_back(key);
    return key;
  }

  void TearDown() override {
    script = {};
    set.discardAll(self);
    copy.discardAll(other);
    for (const int key : keys)
      if (const auto keyval = Key::find(key); keyval && !keyval->isFreed())
        Key::free(key);
    for (const int key : keys)
      EXPECT_FALSE(Key::find(key)) << "a key outlives its attributes";
  }

  void* value(int n) { return &values[n]; }

  Script script;
  const Handle self = reinterpret_cast<Handle>(std::uintptr_t(0x5001));
  const Handle other = reinterpret_cast<Handle>(std::uintptr_t(0x5002));
  Set set;
  Set copy;
  std::vector<int> keys;
  char values[64]{};
};

using Kinds = testing::Types<MPI_Comm, MPI_Datatype, MPI_Win>;
TYPED_TEST_SUITE(AttributesTest, Kinds);

TYPED_TEST(AttributesTest, ValuesCanBeSetAndRead) {
  const int a = this->newKey();
  const int b = this->newKey();
  EXPECT_NE(a, b);
  EXPECT_EQ(this->set.get(a), std::nullopt);
  this->set.set(this->self, a, this->value(1));
  this->set.set(this->self, b, nullptr);
  EXPECT_EQ(this->set.get(a), this->value(1));
  EXPECT_EQ(this->set.get(b), static_cast<void*>(nullptr)) << "a null value is a value";
  EXPECT_FALSE(this->set.isEmpty());
}

TYPED_TEST(AttributesTest, ReplacingDeletesTheOldValueFirst) {
  const int key = this->newKey();
  this->set.set(this->self, key, this->value(1));
  this->script.onDelete = [&](int) { EXPECT_EQ(this->set.get(key), this->value(1)); };
  this->set.set(this->self, key, this->value(2));
  ASSERT_EQ(this->script.deleted.size(), 1u);
  EXPECT_EQ(this->script.deleted[0].second, this->value(1));
  EXPECT_EQ(this->script.objects[0], this->self);
  EXPECT_EQ(this->set.get(key), this->value(2));
}

TYPED_TEST(AttributesTest, RemovingCallsTheCallback) {
  const int key = this->newKey();
  this->set.set(this->self, key, this->value(1));
  this->set.remove(this->self, key);
  EXPECT_EQ(this->script.deleted.size(), 1u);
  EXPECT_EQ(this->set.get(key), std::nullopt);
  EXPECT_TRUE(this->set.isEmpty());
  EXPECT_EQ(classOf([&] { this->set.remove(this->self, key); }), MPI_ERR_KEYVAL);
}

TYPED_TEST(AttributesTest, AFailedDeleteKeepsTheValue) {
  const int key = this->newKey();
  this->set.set(this->self, key, this->value(1));
  this->script.deleteResult = MPI_ERR_INTERN;
  EXPECT_EQ(classOf([&] { this->set.remove(this->self, key); }), MPI_ERR_INTERN);
  EXPECT_EQ(classOf([&] { this->set.set(this->self, key, this->value(2)); }), MPI_ERR_INTERN);
  EXPECT_EQ(this->set.get(key), this->value(1));
  this->script.deleteResult = 1 << 30;
  EXPECT_EQ(classOf([&] { this->set.remove(this->self, key); }), MPI_ERR_OTHER) << "not an error code";
  const int added = addErrorCode(MPI_ERR_FILE);
  this->script.deleteResult = added;
  EXPECT_EQ(classOf([&] { this->set.remove(this->self, key); }), added);
  this->script.deleteResult = MPI_SUCCESS;
  this->set.set(this->self, key, this->value(2));
  EXPECT_EQ(this->set.get(key), this->value(2));
}

TYPED_TEST(AttributesTest, RemoveAllGoesBackwards) {
  const int a = this->newKey();
  const int b = this->newKey();
  const int c = this->newKey();
  for (const int key : {a, b, c})
    this->set.set(this->self, key, this->value(key == b));
  this->set.set(this->self, a, this->value(5));
  this->script.deleted.clear();
  this->set.removeAll(this->self);
  ASSERT_EQ(this->script.deleted.size(), 3u);
  EXPECT_EQ(this->script.deleted[0].first, a) << "set last";
  EXPECT_EQ(this->script.deleted[1].first, c);
  EXPECT_EQ(this->script.deleted[2].first, b);
  EXPECT_TRUE(this->set.isEmpty());
}

TYPED_TEST(AttributesTest, RemoveAllStopsAtAFailure) {
  const int a = this->newKey();
  const int b = this->newKey();
  const int c = this->newKey();
  for (const int key : {a, b, c})
    this->set.set(this->self, key, nullptr);
  this->script.onDelete = [&](int key) {
    this->script.deleteResult = key == b ? MPI_ERR_OTHER : MPI_SUCCESS;
  };
  EXPECT_EQ(classOf([&] { this->set.removeAll(this->self); }), MPI_ERR_OTHER);
  EXPECT_TRUE(this->set.get(a));
  EXPECT_TRUE(this->set.get(b));
  EXPECT_FALSE(this->set.get(c));
  this->script.onDelete = nullptr;
  this->script.deleteResult = MPI_SUCCESS;
  this->set.removeAll(this->self);
  EXPECT_TRUE(this->set.isEmpty());
}

TYPED_TEST(AttributesTest, DiscardAllGoesOnAfterFailures) {
  for (int i = 0; i < 3; ++i)
    this->set.set(this->self, this->newKey(), nullptr);
  this->script.deleteResult = MPI_ERR_OTHER;
  this->set.discardAll(this->self);
  EXPECT_EQ(this->script.deleted.size(), 3u);
  EXPECT_TRUE(this->set.isEmpty());
}

TYPED_TEST(AttributesTest, CopyCallbacksDecideInTheOrderOfSetting) {
  const int a = this->newKey();
  const int b = this->newKey();
  this->set.set(this->self, b, this->value(10));
  this->set.set(this->self, a, this->value(20));
  this->set.copyTo(this->self, this->copy);
  ASSERT_EQ(this->script.copied.size(), 2u);
  EXPECT_EQ(this->script.copied[0].first, b);
  EXPECT_EQ(this->script.objects[0], this->self) << "the old object's handle";
  EXPECT_EQ(this->copy.get(b), this->value(11));
  EXPECT_EQ(this->copy.get(a), this->value(21));
  EXPECT_EQ(this->set.get(a), this->value(20));
  EXPECT_TRUE(this->script.deleted.empty());
}

TYPED_TEST(AttributesTest, AFlagOfZeroCopiesNothing) {
  this->set.set(this->self, this->newKey(), this->value(1));
  this->script.copyFlag = 0;
  this->set.copyTo(this->self, this->copy);
  EXPECT_EQ(this->script.copied.size(), 1u);
  EXPECT_TRUE(this->copy.isEmpty());
}

TYPED_TEST(AttributesTest, AFailedCopyEndsTheCopying) {
  const int a = this->newKey();
  const int b = this->newKey();
  this->set.set(this->self, a, nullptr);
  this->set.set(this->self, b, nullptr);
  this->script.copyResult = MPI_ERR_NO_MEM;
  EXPECT_EQ(classOf([&] { this->set.copyTo(this->self, this->copy); }), MPI_ERR_NO_MEM);
  EXPECT_EQ(this->script.copied.size(), 1u);
  EXPECT_TRUE(this->copy.isEmpty());
}

TYPED_TEST(AttributesTest, TheStandardsConstantsAreNotCalled) {
  using Key = Keyval<TypeParam>;
  const auto dupFunction = reinterpret_cast<typename Key::Copy*>(MPI_COMM_DUP_FN);
  const int plain = Key::create(nullptr, nullptr, nullptr);
  const int dup = Key::create(dupFunction, nullptr, nullptr);
  this->set.set(this->self, plain, this->value(1));
  this->set.set(this->self, dup, this->value(2));
  this->set.copyTo(this->self, this->copy);
  EXPECT_EQ(this->copy.get(plain), std::nullopt);
  EXPECT_EQ(this->copy.get(dup), this->value(2));
  this->set.removeAll(this->self);
  EXPECT_TRUE(this->set.isEmpty());
  Key::free(plain);
  Key::free(dup);
}

TYPED_TEST(AttributesTest, FreedKeysLiveWhileAttributesHaveThem) {
  using Key = Keyval<TypeParam>;
  const int key = this->newKey();
  this->set.set(this->self, key, this->value(1));
  Key::free(key);
  EXPECT_EQ(this->set.get(key), this->value(1));
  EXPECT_EQ(classOf([&] { this->copy.set(this->other, key, nullptr); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { Key::free(key); }), MPI_SUCCESS) << "again, from a copy of the number";
  this->set.copyTo(this->self, this->copy);
  EXPECT_EQ(this->script.copied.size(), 1u);
  this->set.removeAll(this->self);
  EXPECT_TRUE(this->copy.get(key));
  this->copy.remove(this->other, key);
  EXPECT_EQ(this->script.deleted.size(), 2u);
  EXPECT_EQ(classOf([&] { this->copy.get(key); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { Key::free(key); }), MPI_ERR_KEYVAL);
}

TYPED_TEST(AttributesTest, CallbacksMayFreeTheKey) {
  const int key = this->newKey();
  this->set.set(this->self, key, nullptr);
  this->script.onDelete = [&](int k) { Keyval<TypeParam>::free(k); };
  this->set.removeAll(this->self);
  EXPECT_FALSE(Keyval<TypeParam>::find(key));
}

TYPED_TEST(AttributesTest, CallbacksMayUseTheObject) {
  const int a = this->newKey();
  const int b = this->newKey();
  const int c = this->newKey();
  for (const int key : {a, b})
    this->set.set(this->self, key, this->value(1));
  this->script.onDelete = [&](int key) {
    if (key != b)
      return;
    EXPECT_EQ(this->set.get(a), this->value(1));
    this->set.set(this->self, c, this->value(3));
    this->set.remove(this->self, a);
  };
  this->set.removeAll(this->self);
  EXPECT_TRUE(this->set.isEmpty());
  ASSERT_EQ(this->script.deleted.size(), 3u);
  EXPECT_EQ(this->script.deleted[0].first, b);
  EXPECT_EQ(this->script.deleted[1].first, a);
  EXPECT_EQ(this->script.deleted[2].first, c);
}

TYPED_TEST(AttributesTest, AnAttributeIsNotDeletedTwiceAtOnce) {
  const int key = this->newKey();
  this->set.set(this->self, key, nullptr);
  int nested = MPI_SUCCESS;
  int replaced = MPI_SUCCESS;
  this->script.onDelete = [&](int k) {
    nested = classOf([&] { this->set.remove(this->self, k); });
    replaced = classOf([&] { this->set.set(this->self, k, nullptr); });
  };
  this->set.remove(this->self, key);
  EXPECT_EQ(nested, MPI_ERR_KEYVAL);
  EXPECT_EQ(replaced, MPI_ERR_KEYVAL);
  EXPECT_EQ(this->script.deleted.size(), 1u);
  EXPECT_TRUE(this->set.isEmpty());
}

TYPED_TEST(AttributesTest, ForeignKeysAreErrors) {
  const int commKey = Keyval<MPI_Comm>::create(nullptr, nullptr, nullptr);
  const int typeKey = Keyval<MPI_Datatype>::create(nullptr, nullptr, nullptr);
  const int winKey = Keyval<MPI_Win>::create(nullptr, nullptr, nullptr);
  int accepted = 0;
  for (const int key : {commKey, typeKey, winKey, MPI_KEYVAL_INVALID, -1, 1, 1 << 30}) {
    const int result = classOf([&] { this->set.get(key); });
    EXPECT_EQ(classOf([&] { this->set.set(this->self, key, nullptr); }), result);
    EXPECT_TRUE(result == MPI_SUCCESS || result == MPI_ERR_KEYVAL);
    accepted += result == MPI_SUCCESS;
    EXPECT_EQ(classOf([&] { this->set.remove(this->self, key); }), result);
  }
  EXPECT_EQ(accepted, 1);
  Keyval<MPI_Comm>::free(commKey);
  Keyval<MPI_Datatype>::free(typeKey);
  Keyval<MPI_Win>::free(winKey);
}

TYPED_TEST(AttributesTest, ThreadsMayUseOneObject) {
  constexpr int perThread = 300;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        using Key = Keyval<TypeParam>;
        for (int i = 0; i < perThread; ++i) {
          const int key = Key::create(nullptr, nullptr, nullptr);
          this->set.set(this->self, key, &this->values[0]);
          EXPECT_EQ(this->set.get(key), &this->values[0]);
          AttributeSet<TypeParam> scratch;
          this->set.copyTo(this->self, scratch);
          this->set.remove(this->self, key);
          Key::free(key);
        }
      });
  }
  EXPECT_TRUE(this->set.isEmpty());
}

TEST(PredefinedAttributes, BelongToEveryCommunicatorAndAreReadOnly) {
  CommAttributes set;
  const auto self = reinterpret_cast<MPI_Comm>(std::uintptr_t(0x5001));
  setPredefinedAttribute(MPI_TAG_UB, 1234567);
  const auto value = set.get(MPI_TAG_UB);
  ASSERT_TRUE(value);
  EXPECT_EQ(*static_cast<int*>(*value), 1234567);
  EXPECT_EQ(classOf([&] { set.set(self, MPI_TAG_UB, nullptr); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { set.remove(self, MPI_TAG_UB); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([] { Keyval<MPI_Comm>::free(MPI_TAG_UB); }), MPI_ERR_KEYVAL);
  CommAttributes copy;
  set.copyTo(self, copy);
  EXPECT_TRUE(copy.isEmpty());
}

TEST(PredefinedAttributes, LastUsedCodeFollowsTheAddedOnes) {
  CommAttributes set;
  const int added = addErrorClass();
  EXPECT_EQ(*static_cast<int*>(*set.get(MPI_LASTUSEDCODE)), added);
  const int code = addErrorCode(added);
  EXPECT_EQ(*static_cast<int*>(*set.get(MPI_LASTUSEDCODE)), code);
}

TEST(PredefinedAttributes, UnknownOnesAreNotSet) {
  CommAttributes set;
  EXPECT_EQ(set.get(MPI_APPNUM), std::nullopt);
  setPredefinedAttribute(MPI_APPNUM, 0);
  EXPECT_EQ(*static_cast<int*>(*set.get(MPI_APPNUM)), 0);
}

TEST(PredefinedAttributes, OfWindowsBelongToTheWindow) {
  WinAttributes one;
  WinAttributes two;
  const auto self = reinterpret_cast<MPI_Win>(std::uintptr_t(0x5001));
  int base = 0;
  EXPECT_EQ(one.get(MPI_WIN_BASE), std::nullopt);
  one.setPredefined(MPI_WIN_BASE, &base);
  EXPECT_EQ(one.get(MPI_WIN_BASE), static_cast<void*>(&base));
  EXPECT_EQ(two.get(MPI_WIN_BASE), std::nullopt);
  EXPECT_EQ(classOf([&] { one.set(self, MPI_WIN_BASE, nullptr); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { one.remove(self, MPI_WIN_SIZE); }), MPI_ERR_KEYVAL);
  one.copyTo(self, two);
  EXPECT_TRUE(two.isEmpty());
  one.setPredefined(MPI_WIN_BASE, nullptr);
  EXPECT_EQ(one.get(MPI_WIN_BASE), static_cast<void*>(nullptr));
  one.removeAll(self);
  EXPECT_TRUE(one.isEmpty());
}

TEST(PredefinedAttributes, OfOneKindAreNoKeysOfOthers) {
  CommAttributes comm;
  WinAttributes win;
  TypeAttributes type;
  EXPECT_EQ(classOf([&] { comm.get(MPI_WIN_BASE); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { win.get(MPI_TAG_UB); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(classOf([&] { type.get(MPI_TAG_UB); }), MPI_ERR_KEYVAL);
}

} // namespace
} // namespace mpl
