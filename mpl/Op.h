#pragma once

#include "mpi.h"

#include "mpl/Datatype.h"
#include "mpl/HandleTable.h"
#include "mpl/RefCounted.h"

#include <atomic>
#include <cstdint>
#include <variant>

namespace mpl {

/// A reduction operation (section 6.9): one of the standard's, or a function of the program's. References are
/// held by the program's handle and by pending operations (Ref<Op>). Any thread may use it.
class Op : public RefCounted<Op> {
public:
  enum class Kind : std::uint8_t {
    sum,
    prod,
    min,
    max,
    land,
    lor,
    lxor,
    band,
    bor,
    bxor,
    minloc,
    maxloc,
    replace,
    noOp,
    user
  };

  using Function = MPI_User_function*;
  using LargeFunction = MPI_User_function_c*;

  /// The program's own operation. Errors: MPI_ERR_ARG for a null function.
  static Ref<Op> create(Function function, bool commutative);
  static Ref<Op> create(LargeFunction function, bool commutative);

  Kind kind() const noexcept { return kind_; }
  bool isCommutative() const noexcept { return commutative_; }
  bool isPredefined() const noexcept { return kind_ != Kind::user; }

  /// Whether reductions may use the operation with this datatype: the table of section 6.9.2. Never for
  /// MPI_REPLACE and MPI_NO_OP, always for the program's own.
  bool isDefinedFor(const Datatype& type) const noexcept;
  /// The same for accumulate operations on windows (section 12.3.4): predefined operations and datatypes
  /// only, but MPI_REPLACE and MPI_NO_OP too.
  bool isDefinedForAccumulate(const Datatype& type) const noexcept;
  /// Errors: MPI_ERR_OP, naming both, where isDefinedFor() is false.
  void requireFor(const Datatype& type) const;

  /// inout[i] = in[i] op inout[i] for `count` elements (at least 0). The buffers are the user's kind of
  /// address (the first element's data begins at its true lower bound), do not overlap, and need no alignment
  /// beyond that of the datatype. The operation must be defined for the datatype. A function of the program's
  /// is called with at most INT_MAX elements at a time, unless it takes an MPI_Count.
  void apply(const void* in, void* inout, MPI_Count count, const Datatype& type) const;

  const char* name() const noexcept;
  /// The handle that the program has, or MPI_OP_NULL once it freed it.
  MPI_Op handle() const noexcept { return handle_.load(std::memory_order_relaxed); }

private:
  friend class RefCounted<Op>;
  friend MPI_Op giveHandle(const Ref<Op>& op);
  friend void freeOp(MPI_Op handle);
  friend struct PredefinedOps;

  Op(std::variant<Function, LargeFunction> function, bool commutative)
      : kind_(Kind::user), commutative_(commutative), function_(function) {}
  Op(ImmortalTag tag, Kind kind) : RefCounted(tag), kind_(kind), commutative_(true) {}
  ~Op() = default;

  void applyUser(const void* in, void* inout, MPI_Count count, const Datatype& type) const;

  Kind kind_;
  bool commutative_;
  std::variant<Function, LargeFunction> function_{};
  std::atomic<MPI_Op> handle_{MPI_OP_NULL};
};

/// "MPI_SUM" and so on; "the program's own".
const char* opName(Op::Kind kind) noexcept;

/// All operations that have a handle. The predefined ones are there from the start of the process.
[[gnu::visibility("hidden")]] extern constinit Immortal<HandleTable<Op, MPI_Op>> ops;

[[noreturn]] void failNoOp(MPI_Op handle);

/// The operation of a handle that the program gave. Errors: MPI_ERR_OP (null, freed, or never an operation).
inline Op& opOf(MPI_Op handle) {
  Op* op = ops->find(handle);
  if (op == nullptr) [[unlikely]]
    failNoOp(handle);
  return *op;
}

/// Gives a new operation to the program: the handle owns a reference.
MPI_Op giveHandle(const Ref<Op>& op);

/// MPI_Op_free: it lives on while it is in use. Errors: MPI_ERR_OP, also for predefined operations.
void freeOp(MPI_Op handle);

} // namespace mpl
