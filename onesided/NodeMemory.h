#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace mpl {

/// Memory that several processes of a node map. It has no name in any file system: nothing is left of it
/// when its processes end, in whatever way, and nobody else can guess it. Pages come into being when they are
/// first touched.
class NodeMemory {
public:
  NodeMemory() = default;
  ~NodeMemory() { unmap(); }
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  /// New memory of zeros. Errors: MPI_ERR_NO_MEM, naming the limit.
  static NodeMemory create(std::size_t bytes);
  /// That of another process, by its process id and descriptor(); an empty object where this process may not.
  static NodeMemory attach(pid_t creator, int descriptor, std::size_t bytes);

  /// Given up once all have attached.
  int descriptor() const noexcept { return descriptor_; }
  void closeDescriptor() noexcept;

  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  void unmap() noexcept;

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;
};

} // namespace mpl
