#include "mpl/Attributes.h"

#include "mpl/Error.h"
#include "mpl/ErrorCodes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace mpl {

namespace {

constexpr int firstKey = 1 << 16; ///< above the standard's predefined keys

std::atomic<int> nextKey{firstKey};

template <class Handle> struct KeyTable {
  std::mutex mutex;
  std::unordered_map<int, Keyval<Handle>*> keys;
};

template <class Handle> KeyTable<Handle>& keyTable() {
  static auto* table = new KeyTable<Handle>;
  return *table;
}

constexpr int firstPredefined = MPI_TAG_UB;
constexpr int lastPredefined = MPI_UNIVERSE_SIZE;

constexpr bool isCommKey(int key) {
  return key >= firstPredefined && key <= lastPredefined;
}
constexpr bool isWinKey(int key) {
  return key >= MPI_WIN_BASE && key <= MPI_WIN_MODEL;
}

template <class Handle> constexpr bool isPredefinedKey(int key) {
  if constexpr (std::is_same_v<Handle, MPI_Comm>)
    return isCommKey(key);
  else if constexpr (std::is_same_v<Handle, MPI_Win>)
    return isWinKey(key);
  else
    return false;
}

struct PredefinedValues {
  std::array<int, lastPredefined - firstPredefined + 1> value;
  std::array<std::atomic<bool>, lastPredefined - firstPredefined + 1> known;
};
constinit PredefinedValues predefinedValues{};

std::optional<void*> predefinedAttribute(int key) noexcept {
  if (key == MPI_LASTUSEDCODE)
    return lastUsedCode();
  const auto index = static_cast<std::size_t>(key - firstPredefined);
  if (!predefinedValues.known[index].load(std::memory_order_acquire))
    return std::nullopt;
  return &predefinedValues.value[index];
}

[[noreturn]] void failKey(int key) {
  if (key == MPI_KEYVAL_INVALID)
    fail(MPI_ERR_KEYVAL, "keyval is MPI_KEYVAL_INVALID");
  fail(MPI_ERR_KEYVAL, "keyval ", key, " is no attribute key for this kind of object");
}

[[noreturn]] void failPredefined(int key) {
  fail(MPI_ERR_KEYVAL, "keyval ", key, " is predefined: it can only be read");
}

/// A callback's failure is the failure of the call that ran it, with the callback's own code where that is
/// one.
void checkCallback(const char* kind, int key, int result) {
  if (result == MPI_SUCCESS)
    return;
  fail(isErrorCode(result) ? result : MPI_ERR_OTHER, "the attribute ", kind, " callback of keyval ", key,
       " returned ", result);
}

} // namespace

void setPredefinedAttribute(int key, int value) noexcept {
  const auto index = static_cast<std::size_t>(key - firstPredefined);
  predefinedValues.value[index] = value;
  predefinedValues.known[index].store(true, std::memory_order_release);
}

template <class Handle> int Keyval<Handle>::create(Copy* copy, Delete* remove, void* extraState) {
  const int key = nextKey.fetch_add(1);
  if (key < firstKey)
    fail(MPI_ERR_OTHER, "all numbers for attribute keys are used up");
  auto* keyval = new Keyval(key, copy, remove, extraState);
  keyval->retain(); // the program's reference, dropped by free()
  KeyTable<Handle>& table = keyTable<Handle>();
  std::lock_guard guard(table.mutex);
  table.keys.emplace(key, keyval);
  return key;
}

template <class Handle> void Keyval<Handle>::free(int key) {
  if (isPredefinedKey<Handle>(key))
    fail(MPI_ERR_KEYVAL, "keyval ", key, " is predefined: it cannot be freed");
  const Ref<Keyval> keyval = find(key);
  if (!keyval)
    failKey(key);
  if (!keyval->freed_.exchange(true))
    keyval->release();
}

template <class Handle> Ref<Keyval<Handle>> Keyval<Handle>::find(int key) {
  KeyTable<Handle>& table = keyTable<Handle>();
  std::lock_guard guard(table.mutex);
  const auto found = table.keys.find(key);
  return found != table.keys.end() ? Ref<Keyval>(found->second) : nullptr;
}

template <class Handle> Keyval<Handle>::~Keyval() {
  KeyTable<Handle>& table = keyTable<Handle>();
  std::lock_guard guard(table.mutex);
  table.keys.erase(key_);
}

template <class Handle> std::optional<void*> Keyval<Handle>::copied(Handle from, void* value) const {
  // The standard's two constants are small integers in the ABI, not functions that could be called.
  switch (reinterpret_cast<std::uintptr_t>(copy_)) {
  case 0:
    return std::nullopt;
  case 1:
    return value;
  }
  void* out = nullptr;
  int flag = 0;
  checkCallback("copy", key_, copy_(from, key_, extraState_, value, &out, &flag));
  return flag != 0 ? std::optional(out) : std::nullopt;
}

template <class Handle> void Keyval<Handle>::deleted(Handle object, void* value) const {
  if (remove_ != nullptr)
    checkCallback("delete", key_, remove_(object, key_, value, extraState_));
}

template <class Handle> auto AttributeSet<Handle>::locate(int key) -> Entry* {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found != entries_.end() ? &*found : nullptr;
}

template <class Handle> auto AttributeSet<Handle>::locate(int key) const -> const Entry* {
  return const_cast<AttributeSet*>(this)->locate(key);
}

template <class Handle> std::optional<void*> AttributeSet<Handle>::get(int key) const {
  {
    std::lock_guard guard(mutex_);
    if (const Entry* entry = locate(key))
      return entry->value;
  }
  if constexpr (std::is_same_v<Handle, MPI_Comm>)
    if (isCommKey(key))
      return predefinedAttribute(key);
  if (!isPredefinedKey<Handle>(key) && !Keyval<Handle>::find(key))
    failKey(key);
  return std::nullopt;
}

template <class Handle> void AttributeSet<Handle>::drop(int key) {
  std::erase_if(entries_, [key](const Entry& entry) { return entry.key == key; });
}

template <class Handle>
void AttributeSet<Handle>::take(Handle self, int key, std::unique_lock<std::mutex>& lock) {
  Entry* entry = locate(key);
  if (entry->going)
    fail(MPI_ERR_KEYVAL, "the attribute with keyval ", key, " is being deleted already");
  if (!entry->keyval)
    return drop(key);
  entry->going = true;
  const Ref<Keyval<Handle>> keyval = entry->keyval; // outlives the callback, which may free the key
  void* const value = entry->value;
  lock.unlock();
  try {
    keyval->deleted(self, value);
  } catch (...) {
    lock.lock();
    if (Entry* kept = locate(key))
      kept->going = false;
    throw;
  }
  lock.lock();
  drop(key);
}

template <class Handle> void AttributeSet<Handle>::set(Handle self, int key, void* value) {
  if (isPredefinedKey<Handle>(key))
    failPredefined(key);
  Ref<Keyval<Handle>> keyval = Keyval<Handle>::find(key);
  if (!keyval)
    failKey(key);
  if (keyval->isFreed())
    fail(MPI_ERR_KEYVAL, "keyval ", key, " was freed");
  std::unique_lock lock(mutex_);
  while (locate(key) != nullptr)
    take(self, key, lock);
  entries_.push_back({key, value, std::move(keyval)});
}

template <class Handle> void AttributeSet<Handle>::remove(Handle self, int key) {
  if (isPredefinedKey<Handle>(key))
    failPredefined(key);
  std::unique_lock lock(mutex_);
  if (locate(key) == nullptr) {
    if (!Keyval<Handle>::find(key))
      failKey(key);
    fail(MPI_ERR_KEYVAL, "no attribute with keyval ", key, " is set");
  }
  take(self, key, lock);
}

template <class Handle> void AttributeSet<Handle>::copyTo(Handle self, AttributeSet& copy) const {
  std::vector<Entry> present;
  {
    std::lock_guard guard(mutex_);
    present = entries_;
  }
  for (const Entry& entry : present)
    if (entry.keyval)
      if (const auto value = entry.keyval->copied(self, entry.value)) {
        std::lock_guard guard(copy.mutex_);
        copy.entries_.push_back({entry.key, *value, entry.keyval});
      }
}

template <class Handle> void AttributeSet<Handle>::removeAll(Handle self) {
  std::unique_lock lock(mutex_);
  while (!entries_.empty())
    take(self, entries_.back().key, lock);
}

template <class Handle> void AttributeSet<Handle>::discardAll(Handle self) {
  std::unique_lock lock(mutex_);
  while (!entries_.empty()) {
    const int key = entries_.back().key;
    try {
      take(self, key, lock);
    } catch (const Error&) {
      drop(key);
    }
  }
}

template <class Handle> void AttributeSet<Handle>::setPredefined(int key, void* value) {
  std::lock_guard guard(mutex_);
  if (Entry* entry = locate(key))
    entry->value = value;
  else
    entries_.insert(entries_.begin(), {key, value, nullptr});
}

template <class Handle> bool AttributeSet<Handle>::isEmpty() const {
  std::lock_guard guard(mutex_);
  return entries_.empty();
}

template class Keyval<MPI_Comm>;
template class Keyval<MPI_Datatype>;
template class Keyval<MPI_Win>;
template class AttributeSet<MPI_Comm>;
template class AttributeSet<MPI_Datatype>;
template class AttributeSet<MPI_Win>;

} // namespace mpl
