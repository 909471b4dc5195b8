#include "onesided/rpma/Directory.h"

#include "mpl/Error.h"
#include "onesided/rpma/WireBytes.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace mpl {

namespace {

constexpr std::uint32_t inUse = 0xD1EC0001;
constexpr std::size_t signedBytes = 4 + 4 + 8 + 8 + 8 + 1 + MemoryDescriptor::most;
static_assert(signedBytes + sizeof(Mac) <= WindowDirectory::entryBytes);

struct EntryHead {
  std::uint32_t mark;
  std::uint32_t window;
};

EntryHead headOf(std::span<const std::byte> entry) {
  WireReader reader(entry);
  EntryHead head{};
  head.mark = reader.number<std::uint32_t>();
  head.window = reader.number<std::uint32_t>();
  return head;
}

} // namespace

void WindowDirectory::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

WindowDirectory::WindowDirectory(const Secret& secret) : secret_(secret) {
  // Pages of its own: nothing else is shown to others with it.
  constexpr std::size_t page = 4096;
  constexpr std::size_t rounded = (totalBytes + page - 1) / page * page;
  void* memory = nullptr;
  if (posix_memalign(&memory, page, rounded) != 0)
    fail(MPI_ERR_NO_MEM, "no memory for the directory of windows");
  std::memset(memory, 0, rounded);
  memory_.reset(static_cast<std::byte*>(memory));
}

std::byte* WindowDirectory::findEntry(std::uint32_t window, bool used) noexcept {
  std::byte* entry = memory_.get() + probeOffset(window);
  for (std::size_t i = 0; i < reach; ++i, entry += entryBytes) {
    const EntryHead head = headOf({entry, entryBytes});
    if (used ? head.mark == inUse && head.window == window : head.mark != inUse)
      return entry;
  }
  return nullptr;
}

bool WindowDirectory::add(const WindowRecord& record) {
  std::byte* entry = findEntry(record.window, true);
  if (entry == nullptr)
    entry = findEntry(record.window, false);
  if (entry == nullptr)
    return false;
  std::array<std::byte, entryBytes> data{};
  WireWriter writer(data);
  writer.number(inUse).number(record.window).number(record.base).number(record.bytes).number(record.dispUnit);
  writer.number(record.memory.length).bytes(record.memory.bytes);
  const Mac mac = macOf(secret_, MacUse::directoryEntry, writer.written());
  writer.bytes(mac);
  std::memcpy(entry, data.data(), data.size());
  std::atomic_thread_fence(std::memory_order_seq_cst); // the device reads it
  return true;
}

void WindowDirectory::remove(std::uint32_t window) noexcept {
  if (std::byte* entry = findEntry(window, true))
    std::memset(entry, 0, entryBytes);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

DirectoryAnswer searchDirectory(std::span<const std::byte> probe, std::uint32_t window,
                                const Secret& secret) {
  DirectoryAnswer answer;
  for (; probe.size() >= WindowDirectory::entryBytes; probe = probe.subspan(WindowDirectory::entryBytes)) {
    const EntryHead head = headOf(probe);
    if (head.mark != inUse || head.window != window)
      continue;
    answer.kind = DirectoryAnswer::Kind::unreadable;
    if (!macFits(secret, MacUse::directoryEntry, probe.first(signedBytes),
                 probe.subspan(signedBytes, sizeof(Mac))))
      continue;
    WireReader reader(probe.first(signedBytes));
    reader.bytes(sizeof(EntryHead));
    WindowRecord record;
    record.window = window;
    record.base = reader.number<std::uint64_t>();
    record.bytes = reader.number<std::uint64_t>();
    record.dispUnit = reader.number<std::int64_t>();
    const auto length = reader.number<std::uint8_t>();
    if (length > MemoryDescriptor::most)
      continue;
    record.memory = MemoryDescriptor::of(reader.bytes(MemoryDescriptor::most).first(length));
    if (!record.isPlausible())
      continue;
    return {DirectoryAnswer::Kind::found, record};
  }
  return answer;
}

} // namespace mpl
