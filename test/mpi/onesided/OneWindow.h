// Windows of every flavour for the tests, behind one class.
#pragma once

#include "test/mpi/Check.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace onesided {

enum class Flavor { create, allocate, shared, dynamic };

inline const char* nameOf(Flavor flavor) {
  switch (flavor) {
  case Flavor::create:
    return "create";
  case Flavor::allocate:
    return "allocate";
  case Flavor::shared:
    return "shared";
  default:
    return "dynamic";
  }
}

constexpr Flavor allFlavors[] = {Flavor::create, Flavor::allocate, Flavor::shared, Flavor::dynamic};

// A window in which each rank has `count` elements of T; displacements are asked for with at().
template <class T> class OneWindow {
public:
  OneWindow(Flavor flavor, int count, MPI_Comm comm = MPI_COMM_WORLD)
      : flavor_(flavor), count_(count), comm_(comm), bases_(static_cast<size_t>(check::sizeOf(comm))) {
    const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(T)) * count;
    const int unit = static_cast<int>(sizeof(T));
    switch (flavor) {
    case Flavor::create:
      own_.reset(new T[static_cast<size_t>(count)]);
      data_ = own_.get();
      MPI_Win_create(data_, bytes, unit, MPI_INFO_NULL, comm, &win_);
      break;
    case Flavor::allocate:
      MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, &data_, &win_);
      break;
    case Flavor::shared:
      MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, comm, &data_, &win_);
      break;
    case Flavor::dynamic: {
      own_.reset(new T[static_cast<size_t>(count)]);
      data_ = own_.get();
      MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win_);
      MPI_Win_attach(win_, data_, bytes);
      MPI_Aint base = 0;
      MPI_Get_address(data_, &base);
      MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, comm);
      break;
    }
    }
    for (int i = 0; i < count; ++i)
      data_[i] = T();
    MPI_Barrier(comm);
  }
  ~OneWindow() {
    if (flavor_ == Flavor::dynamic) {
      MPI_Barrier(comm_); // others may be at work on the memory
      MPI_Win_detach(win_, data_);
    }
    MPI_Win_free(&win_);
  }
  OneWindow(const OneWindow&) = delete;
  OneWindow& operator=(const OneWindow&) = delete;

  operator MPI_Win() const { return win_; }
  T* data() { return data_; }
  T& operator[](int i) { return data_[i]; }
  int count() const { return count_; }

  // target_disp of element i at a rank
  MPI_Aint at(int rank, int i) const {
    return flavor_ == Flavor::dynamic
               ? bases_[static_cast<size_t>(rank)] + static_cast<MPI_Aint>(sizeof(T)) * i
               : i;
  }

private:
  Flavor flavor_;
  int count_;
  MPI_Comm comm_;
  MPI_Win win_ = MPI_WIN_NULL;
  T* data_ = nullptr;
  std::unique_ptr<T[]> own_;
  std::vector<MPI_Aint> bases_;
};

// Runs a case for each flavour.
template <class Body> void forEachFlavor(Body&& body) {
  const std::string before = check::state().current;
  for (const Flavor flavor : allFlavors) {
    check::state().current = before + ", " + nameOf(flavor);
    body(flavor);
  }
  check::state().current = before;
}

// Numbers from a seed, alike on all machines.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1DU;
  }
  int below(int limit) { return static_cast<int>(next() >> 33) % limit; }

private:
  std::uint64_t state_;
};

} // namespace onesided
