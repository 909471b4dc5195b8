#include "onesided/NodeMemory.h"

#include "mpl/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace mpl {

namespace {

void* mapped(std::size_t bytes, int descriptor) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return at == MAP_FAILED ? nullptr : at;
}

// Memory of no name is promised without limit; what the machine can never have is refused for ordinary
// memory.
bool machineHas(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return false;
  ::munmap(at, bytes);
  return true;
}

[[noreturn]] void failMemory(std::size_t bytes, const char* what) {
  const int error = errno;
  fail(MPI_ERR_NO_MEM, "no shared memory of ", bytes, " bytes: ", what, ": ", std::strerror(error));
}

} // namespace

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

NodeMemory NodeMemory::create(std::size_t bytes) {
  if (!machineHas(bytes))
    failMemory(bytes, "more than this machine has");
  NodeMemory memory;
  memory.descriptor_ = ::memfd_create("mpl-window", MFD_CLOEXEC);
  if (memory.descriptor_ < 0)
    failMemory(bytes, "memfd_create");
  if (::ftruncate(memory.descriptor_, static_cast<off_t>(bytes)) != 0)
    failMemory(bytes, "ftruncate");
  memory.data_ = static_cast<std::byte*>(mapped(bytes, memory.descriptor_));
  if (memory.data_ == nullptr)
    failMemory(bytes, "mmap");
  memory.bytes_ = bytes;
  return memory;
}

NodeMemory NodeMemory::attach(pid_t creator, int descriptor, std::size_t bytes) {
  NodeMemory memory;
  const std::string path = text("/proc/", creator, "/fd/", descriptor);
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0)
    return memory;
  memory.data_ = static_cast<std::byte*>(mapped(bytes, opened));
  ::close(opened);
  if (memory.data_ != nullptr)
    memory.bytes_ = bytes;
  return memory;
}

void NodeMemory::closeDescriptor() noexcept {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  descriptor_ = -1;
}

void NodeMemory::unmap() noexcept {
  if (data_ != nullptr)
    ::munmap(data_, bytes_);
  closeDescriptor();
  data_ = nullptr;
}

} // namespace mpl
