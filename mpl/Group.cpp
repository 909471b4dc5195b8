#include "mpl/Group.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mpl {

constinit Immortal<HandleTable<Group, MPI_Group>> groups;

namespace {

std::atomic<ProcessId> self{0};

/// MPI_GROUP_EMPTY is valid from the moment the library is loaded.
[[maybe_unused]] const bool emptyBound = [] {
  groups->setPredefined(MPI_GROUP_EMPTY, Group::empty().get());
  return true;
}();

} // namespace

ProcessId thisProcess() noexcept {
  return self.load(std::memory_order_relaxed);
}
void setThisProcess(ProcessId id) noexcept {
  self.store(id, std::memory_order_relaxed);
}

Group::Group(std::vector<ProcessId> members, bool sorted)
    : size_(static_cast<int>(members.size())), sorted_(sorted), members_(std::move(members)) {}

Ref<Group> Group::empty() {
  static auto* group = new Group(ImmortalTag{});
  return Ref<Group>(group);
}

Ref<Group> Group::strided(ProcessId first, ProcessId stride, int size) {
  if (size == 0)
    return empty();
  return Ref<Group>(new Group(first, size == 1 ? 1 : stride, size));
}

Ref<Group> Group::of(std::vector<ProcessId> members) {
  if (members.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail(MPI_ERR_GROUP, "a group of ", members.size(), " processes is more than an int can count");
  const int size = static_cast<int>(members.size());
  if (size < 2)
    return size == 0 ? empty() : strided(members.front(), 1, 1);
  const ProcessId stride = members[1] - members[0];
  bool even = true;
  bool sorted = true;
  for (std::size_t i = 1; i < members.size() && (even || sorted); ++i) {
    even = even && members[i] - members[i - 1] == stride;
    sorted = sorted && members[i] > members[i - 1];
  }
  if (even)
    return strided(members[0], stride, size);
  members.shrink_to_fit();
  return Ref<Group>(new Group(std::move(members), sorted));
}

void Group::buildIndex() const {
  std::call_once(indexOnce_, [this] {
    index_.resize(members_.size());
    std::iota(index_.begin(), index_.end(), 0);
    std::ranges::sort(index_, {}, [this](int rank) { return process(rank); });
  });
}

int Group::rankOf(ProcessId wanted) const {
  if (isStrided()) {
    const ProcessId distance = wanted - first_;
    if (distance % stride_ != 0)
      return MPI_UNDEFINED;
    const ProcessId rank = distance / stride_;
    return rank >= 0 && rank < size_ ? static_cast<int>(rank) : MPI_UNDEFINED;
  }
  if (sorted_) {
    const auto found = std::ranges::lower_bound(members_, wanted);
    return found != members_.end() && *found == wanted ? static_cast<int>(found - members_.begin())
                                                       : MPI_UNDEFINED;
  }
  buildIndex();
  const auto found = std::ranges::lower_bound(index_, wanted, {}, [this](int rank) { return process(rank); });
  return found != index_.end() && process(*found) == wanted ? *found : MPI_UNDEFINED;
}

std::vector<ProcessId> Group::members() const {
  std::vector<ProcessId> out(static_cast<std::size_t>(size_));
  for (int rank = 0; rank < size_; ++rank)
    out[static_cast<std::size_t>(rank)] = process(rank);
  return out;
}

int Group::compare(const Group& other) const {
  if (size_ != other.size_)
    return MPI_UNEQUAL;
  if (this == &other)
    return MPI_IDENT;
  if (isStrided() && other.isStrided() && first() == other.first() && stride_ == other.stride_)
    return MPI_IDENT;
  bool same = true;
  for (int rank = 0; rank < size_; ++rank) {
    const ProcessId member = process(rank);
    if (member == other.process(rank))
      continue;
    same = false;
    if (other.rankOf(member) == MPI_UNDEFINED)
      return MPI_UNEQUAL;
  }
  return same ? MPI_IDENT : MPI_SIMILAR;
}

void Group::checkRank(int rank) const {
  if (rank < 0 || rank >= size_)
    fail(MPI_ERR_RANK, "rank ", rank, " is not in the group of ", size_, " processes");
}

void Group::translate(std::span<const int> ranks, const Group& other, int* out) const {
  for (const int rank : ranks)
    if (rank != MPI_PROC_NULL)
      checkRank(rank);
  for (const int rank : ranks)
    *out++ = rank == MPI_PROC_NULL ? MPI_PROC_NULL : other.rankOf(process(rank));
}

/// The members for which keep(rank) holds; this group itself where that is all of them.
template <class Keep> Ref<Group> Group::filter(Keep&& keep) const {
  std::vector<ProcessId> kept;
  for (int rank = 0; rank < size_; ++rank)
    if (keep(rank))
      kept.push_back(process(rank));
  if (static_cast<int>(kept.size()) == size_)
    return Ref<Group>(const_cast<Group*>(this));
  return of(std::move(kept));
}

Ref<Group> Group::unite(const Group& other) const {
  std::vector<ProcessId> all = members();
  for (int rank = 0; rank < other.size_; ++rank)
    if (const ProcessId member = other.process(rank); rankOf(member) == MPI_UNDEFINED)
      all.push_back(member);
  if (all.size() == static_cast<std::size_t>(size_))
    return Ref<Group>(const_cast<Group*>(this));
  return of(std::move(all));
}

Ref<Group> Group::intersect(const Group& other) const {
  return filter([&](int rank) { return other.rankOf(process(rank)) != MPI_UNDEFINED; });
}

Ref<Group> Group::subtract(const Group& other) const {
  return filter([&](int rank) { return other.rankOf(process(rank)) == MPI_UNDEFINED; });
}

namespace {

/// Marks the ranks of a group that were named; a second time is an error.
class Marks {
public:
  explicit Marks(int size) : size_(size), marked_(static_cast<std::size_t>(size)) {}

  void add(std::int64_t rank) {
    if (rank < 0 || rank >= size_)
      fail(MPI_ERR_RANK, "rank ", rank, " is not in the group of ", size_, " processes");
    if (marked_[static_cast<std::size_t>(rank)])
      fail(MPI_ERR_RANK, "rank ", rank, " was given twice");
    marked_[static_cast<std::size_t>(rank)] = true;
  }

  bool has(int rank) const { return marked_[static_cast<std::size_t>(rank)]; }

private:
  int size_;
  std::vector<bool> marked_;
};

/// Calls visit for each rank of a range (first, last, stride), in order.
template <class Visit> void walk(const int (&range)[3], Visit&& visit) {
  const std::int64_t first = range[0];
  const std::int64_t last = range[1];
  const std::int64_t stride = range[2];
  if (stride == 0)
    fail(MPI_ERR_ARG, "the range (", first, ", ", last, ", 0) has a stride of 0");
  if ((last - first) * stride < 0)
    fail(MPI_ERR_ARG, "the range (", first, ", ", last, ", ", stride, ") leads away from its last rank");
  for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
    visit(rank);
}

} // namespace

Ref<Group> Group::include(std::span<const int> ranks) const {
  Marks marks(size_);
  std::vector<ProcessId> chosen;
  chosen.reserve(ranks.size());
  for (const int rank : ranks) {
    marks.add(rank);
    chosen.push_back(process(rank));
  }
  return of(std::move(chosen));
}

Ref<Group> Group::exclude(std::span<const int> ranks) const {
  Marks marks(size_);
  for (const int rank : ranks)
    marks.add(rank);
  return filter([&](int rank) { return !marks.has(rank); });
}

Ref<Group> Group::includeRanges(std::span<const int[3]> ranges) const {
  Marks marks(size_);
  std::vector<ProcessId> chosen;
  for (const auto& range : ranges)
    walk(range, [&](std::int64_t rank) {
      marks.add(rank);
      chosen.push_back(process(static_cast<int>(rank)));
    });
  return of(std::move(chosen));
}

Ref<Group> Group::excludeRanges(std::span<const int[3]> ranges) const {
  Marks marks(size_);
  for (const auto& range : ranges)
    walk(range, [&](std::int64_t rank) { marks.add(rank); });
  return filter([&](int rank) { return !marks.has(rank); });
}

const Group& groupOf(MPI_Group handle) {
  const Group* group = groups->find(handle);
  if (group == nullptr) {
    if (handle == MPI_GROUP_NULL)
      fail(MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
    fail(MPI_ERR_GROUP, "group is no group: ", static_cast<const void*>(handle));
  }
  return *group;
}

MPI_Group newHandle(Ref<Group> group) {
  if (group->size() == 0)
    return MPI_GROUP_EMPTY;
  const MPI_Group handle = groups->insert(group.get());
  group.detach();
  return handle;
}

void freeGroup(MPI_Group handle) {
  const Group& group = groupOf(handle);
  if (handle == MPI_GROUP_EMPTY)
    return;
  groups->erase(handle);
  group.release();
}

} // namespace mpl
