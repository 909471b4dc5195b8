#pragma once

#include "mpi.h"

#include "mpl/HandleTable.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpl {

/// An ordered list of (key, value) pairs, MPI-5.0 chapter 10. Keys have 1 to MPI_MAX_INFO_KEY-1 bytes, values
/// 0 to MPI_MAX_INFO_VAL-1. Any thread may call any function at any time.
class Info {
public:
  constexpr Info() = default;
  Info(const Info& other);
  Info(Info&& other);
  Info& operator=(const Info& other);
  ~Info() = default;

  /// Adds the pair, or replaces the value of a key that is there (which keeps its place).
  /// Errors: MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE for an empty key or a key or value that is too long.
  void set(std::string_view key, std::string_view value);

  /// The key's value, or nothing. Errors: MPI_ERR_INFO_KEY.
  std::optional<std::string> get(std::string_view key) const;

  /// Errors: MPI_ERR_INFO_KEY, MPI_ERR_INFO_NOKEY where the key is not there.
  void remove(std::string_view key);

  std::size_t size() const;

  /// The n-th key in the order of setting, from 0. Errors: MPI_ERR_ARG.
  std::string key(int n) const;

  /// All pairs, in order.
  std::vector<std::pair<std::string, std::string>> pairs() const;

  /// The predefined objects (MPI_INFO_ENV) may be neither changed nor freed by the program.
  bool isReadOnly() const noexcept { return readOnly_; }
  void makeReadOnly() noexcept { readOnly_ = true; }

private:
  using Pair = std::pair<std::string, std::string>;

  const Pair* locate(std::string_view key) const;

  mutable std::mutex mutex_;
  std::vector<Pair> pairs_;
  bool readOnly_ = false;
};

extern constinit Immortal<HandleTable<Info, MPI_Info>> infos;

/// The object of a handle that the program gave. Errors: MPI_ERR_INFO.
Info& infoOf(MPI_Info handle);

/// The object, or nullptr for MPI_INFO_NULL, as in all calls that take hints. Errors: MPI_ERR_INFO.
const Info* infoOrNull(MPI_Info handle);

/// A new object for the program, which frees it.
MPI_Info newHandle(Info info);

/// Errors: MPI_ERR_INFO, also for MPI_INFO_ENV.
void freeInfo(MPI_Info handle);

/// What MPI_INFO_ENV tells beside the things that a process finds out by itself.
struct StartFacts {
  int maxProcs = 0; ///< processes the job was started with; 0: unknown
  std::string
      threadLevel; ///< "MPI_THREAD_MULTIPLE" and so on where the launcher was asked for it, else empty
};

/// Remembers the facts for envInfo() and binds MPI_INFO_ENV to what envInfo(argc, argv) gives. argv may be
/// nullptr. Called once when the library is initialised.
void setUpEnvInfo(StartFacts facts, int argc, const char* const* argv);

/// A new object with the keys of MPI-5.0 section 11.2.1 (command, argv, maxprocs, host, arch, wdir,
/// thread_level), each only where its value is known. Without argv the command line is read from the kernel.
Info envInfo(int argc, const char* const* argv);

} // namespace mpl
