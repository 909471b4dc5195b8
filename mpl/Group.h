#pragma once

#include "mpi.h"

#include "mpl/HandleTable.h"
#include "mpl/RefCounted.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace mpl {

/// What a session keeps for the communicators that are made of its groups (pt2pt/SessionScope.h).
class SessionScope;

/// Names a process. Within a job it is the rank in MPI_COMM_WORLD; processes of other jobs have numbers
/// beyond it.
using ProcessId = std::int64_t;

/// This process's own id; set once when the library is initialised, 0 before.
ProcessId thisProcess() noexcept;
void setThisProcess(ProcessId id) noexcept;

/// An ordered set of processes, MPI-5.0 section 7.3. Immutable, so any number of threads may use one. Groups
/// of the form first, first+stride, first+2*stride ... take constant space; others take 8 bytes for each
/// member, and up to 4 more once a rank was looked up in one that is not sorted.
class Group : public RefCounted<Group> {
public:
  /// size processes first, first+stride ...; stride is not 0.
  static Ref<Group> strided(ProcessId first, ProcessId stride, int size);

  /// These processes, which must all be different, in this order.
  static Ref<Group> of(std::vector<ProcessId> members);

  static Ref<Group> empty();

  int size() const noexcept { return size_; }

  /// The process with this rank, 0 <= rank < size().
  ProcessId process(int rank) const noexcept {
    return members_.empty() ? first_ + rank * stride_ : members_[static_cast<std::size_t>(rank)];
  }

  /// The rank of a process, or MPI_UNDEFINED. Constant time for strided groups, logarithmic for others.
  int rankOf(ProcessId process) const;

  /// The rank of this process, or MPI_UNDEFINED.
  int rank() const { return rankOf(thisProcess()); }

  /// first, first+1, ... : no list is stored.
  bool isStrided() const noexcept { return members_.empty(); }
  ProcessId first() const noexcept { return size_ == 0 ? 0 : process(0); }
  ProcessId stride() const noexcept { return stride_; }

  /// The session that the group comes from, where it does; before others see the group.
  void setOrigin(std::shared_ptr<SessionScope> origin) noexcept {
    if (!isImmortal())
      origin_ = std::move(origin);
  }
  const std::shared_ptr<SessionScope>& origin() const noexcept { return origin_; }

  /// All members in order.
  std::vector<ProcessId> members() const;

  /// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
  int compare(const Group& other) const;

  /// For each rank here, the rank of the same process in other, or MPI_UNDEFINED; MPI_PROC_NULL stays.
  /// Errors: MPI_ERR_RANK.
  void translate(std::span<const int> ranks, const Group& other, int* out) const;

  Ref<Group> unite(const Group& other) const;
  Ref<Group> intersect(const Group& other) const;
  Ref<Group> subtract(const Group& other) const;

  /// The members with these ranks, in this order. Errors: MPI_ERR_RANK for one that is out of range or given
  /// twice.
  Ref<Group> include(std::span<const int> ranks) const;
  /// The others, in the order they have here. Errors as include().
  Ref<Group> exclude(std::span<const int> ranks) const;

  /// The same for triplets (first, last, stride). Errors: MPI_ERR_RANK, MPI_ERR_ARG for a stride of 0.
  Ref<Group> includeRanges(std::span<const int[3]> ranges) const;
  Ref<Group> excludeRanges(std::span<const int[3]> ranges) const;

private:
  friend class RefCounted<Group>;

  Group(ProcessId first, ProcessId stride, int size) : first_(first), stride_(stride), size_(size) {}
  Group(std::vector<ProcessId> members, bool sorted);
  explicit constexpr Group(ImmortalTag tag) : RefCounted(tag) {}
  ~Group() = default;

  template <class Keep> Ref<Group> filter(Keep&& keep) const;
  void checkRank(int rank) const;
  void buildIndex() const;

  ProcessId first_ = 0;
  ProcessId stride_ = 1;
  int size_ = 0;
  bool sorted_ = true;
  std::shared_ptr<SessionScope> origin_;
  std::vector<ProcessId> members_;
  mutable std::once_flag indexOnce_;
  mutable std::vector<int> index_; ///< ranks in the order of their process ids, where members_ is not sorted
};

/// A handle in this table owns one reference to its group.
extern constinit Immortal<HandleTable<Group, MPI_Group>> groups;

/// The object of a handle that the program gave. Errors: MPI_ERR_GROUP.
const Group& groupOf(MPI_Group handle);

/// A new handle for the group; MPI_GROUP_EMPTY where it has no members.
MPI_Group newHandle(Ref<Group> group);

/// Takes the handle out of use and drops its reference. Errors: MPI_ERR_GROUP.
void freeGroup(MPI_Group handle);

} // namespace mpl
