#include "onesided/rpma/RegistrationCache.h"

#include "onesided/rpma/RpmaCounters.h"

#include <ucm/api/ucm.h>

namespace mpl {

RegistrationCache& registrationCache = *new RegistrationCache;

namespace {

void onUnmapped(ucm_event_type_t, ucm_event_t* event, void* cache) {
  static_cast<RegistrationCache*>(cache)->unmapped(static_cast<const std::byte*>(event->vm_unmapped.address),
                                                   event->vm_unmapped.size);
}

constexpr int hookPriority = 1000;

} // namespace

void RegistrationCache::start(RpmaDevice& device) {
  device_ = &device;
  hooked_ = ucm_set_event_handler(UCM_EVENT_VM_UNMAPPED, hookPriority, onUnmapped, this) == UCS_OK;
}

void RegistrationCache::unmapped(const std::byte* base, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t length = lengths_[i].load();
    const std::uintptr_t start = begins_[i].load();
    if (length != 0 && start < begin + bytes && begin < start + length)
      entries_[i].stale.store(true);
  }
}

RegistrationCache::Entry* RegistrationCache::acquire(const void* base, std::size_t bytes, bool writable) {
  const auto* begin = static_cast<const std::byte*>(base);
  ++clock_;
  for (Entry& entry : entries_)
    if (entry.holds(begin, bytes) && (entry.writable || !writable) && !entry.stale.load()) {
      ++rpmaCounters.registrationHits;
      ++entry.users;
      entry.lastUse = clock_;
      return &entry;
    }
  Entry* entry = place();
  if (entry == nullptr)
    return nullptr;
  const auto index = static_cast<std::size_t>(entry - entries_.data());
  lengths_[index] = 0;
  entry->memory.reset();
  // Known to the hooks before it is registered: what is unmapped meanwhile is marked.
  entry->stale = false;
  begins_[index] = reinterpret_cast<std::uintptr_t>(begin);
  lengths_[index] = bytes;
  // The program's own promise that it can be written to where it is: get has its buffer without const.
  auto* memory = const_cast<std::byte*>(begin);
  const int usage = writable ? RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_READ_DST : RPMA_MR_USAGE_WRITE_SRC;
  entry->memory = RpmaMemory::enter(*device_, memory, bytes, usage);
  if (!entry->memory) {
    lengths_[index] = 0;
    return nullptr;
  }
  ++rpmaCounters.registrations;
  entry->base = memory;
  entry->bytes = bytes;
  entry->writable = writable;
  entry->users = 1;
  entry->lastUse = clock_;
  return entry;
}

void RegistrationCache::release(Entry& entry) noexcept {
  if (--entry.users != 0 || (hooked_ && !entry.stale.load()))
    return;
  lengths_[static_cast<std::size_t>(&entry - entries_.data())] = 0;
  entry.memory.reset();
}

RegistrationCache::Entry* RegistrationCache::place() noexcept {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (entry.users != 0)
      continue;
    if (!entry.memory || entry.stale.load())
      return &entry;
    if (oldest == nullptr || entry.lastUse < oldest->lastUse)
      oldest = &entry;
  }
  return oldest;
}

} // namespace mpl
