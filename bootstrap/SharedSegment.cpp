#include "bootstrap/SharedSegment.h"

#include "bootstrap/ProcessIdentity.h"
#include "mpl/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mpl {

namespace {

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

std::uint64_t randomToken() {
  std::random_device source;
  const auto high = static_cast<std::uint64_t>(source());
  return high << 32 | source();
}

[[noreturn]] void failMemory(const char* what, std::size_t bytes) {
  fail(MPI_ERR_NO_MEM, "no shared memory of ", bytes, " bytes: ", what, ": ", std::strerror(errno));
}

// Reserving more than there is would not fail but have the kernel end processes.
void checkSize(std::size_t bytes) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long pageBytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0 &&
      bytes / static_cast<std::size_t>(pageBytes) > static_cast<std::size_t>(pages) / 2) {
    errno = ENOMEM;
    failMemory("more than half of the machine's memory", bytes);
  }
}

} // namespace

void SharedSegment::map(int descriptor) {
  void* const mapped =
      ::mmap(nullptr, headerBytes + key_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED)
    failMemory("mmap", key_.bytes);
  memory_ = static_cast<std::byte*>(mapped);
}

SharedSegment::SharedSegment(std::size_t bytes) {
  checkSize(bytes);
  Descriptor made(::memfd_create("mpl", MFD_CLOEXEC));
  if (made.get() < 0)
    failMemory("memfd_create", bytes);
  const auto length = static_cast<off_t>(headerBytes + bytes);
  if (::ftruncate(made.get(), length) != 0 || ::fallocate(made.get(), 0, 0, length) != 0)
    failMemory("reserving it", bytes);
  key_ = {::getpid(), made.get(), randomToken(), bytes};
  map(made.get());
  std::memcpy(memory_, &key_.token, sizeof key_.token);
  descriptor_ = made.release();
}

SharedSegment::SharedSegment(const Key& key) : key_(key) {
  const std::string path = "/proc/" + std::to_string(key.pid) + "/fd/" + std::to_string(key.descriptor);
  const Descriptor opened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat about {};
  if (opened.get() < 0 || ::fstat(opened.get(), &about) != 0) {
    const int error = errno;
    fail(isAlive(static_cast<pid_t>(key.pid)) ? MPI_ERR_OTHER : MPI_ERR_PROC_ABORTED,
         "the shared memory of process ", key.pid, " cannot be opened: ", std::strerror(error));
  }
  if (static_cast<std::uint64_t>(about.st_size) != headerBytes + key.bytes)
    fail(MPI_ERR_OTHER, path, " is not the shared memory that was meant");
  map(opened.get());
  if (std::memcmp(memory_, &key.token, sizeof key.token) != 0) {
    ::munmap(memory_, headerBytes + key.bytes);
    fail(MPI_ERR_OTHER, path, " is not the shared memory that was meant");
  }
}

void SharedSegment::closeDescriptor() noexcept {
  if (descriptor_ >= 0)
    ::close(std::exchange(descriptor_, -1));
}

SharedSegment::~SharedSegment() {
  closeDescriptor();
  ::munmap(memory_, headerBytes + key_.bytes);
}

} // namespace mpl
