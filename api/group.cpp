// Groups: MPI-5.0, section 7.3. Between MPI_Init and MPI_Finalize, by any thread; local. Errors:
// MPI_ERR_GROUP for a handle that is no group, MPI_ERR_RANK for a rank that is out of range or given twice,
// MPI_ERR_ARG for null pointers and negative numbers of ranks. A result without members is MPI_GROUP_EMPTY.
#include "mpl/Group.h"

#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/Runtime.h"

#include <span>

using namespace mpl;
using namespace mpl::api;

namespace {

/// The n ranks, or ranges, of an argument.
template <class T> std::span<T> listOf(T* list, int n, const char* name) {
  if (n < 0)
    fail(MPI_ERR_ARG, "n is ", n, ", which is negative");
  if (n > 0)
    checkPointer(list, name);
  return {list, static_cast<std::size_t>(n)};
}

/// Runs make(group), which gives a group, and hands that to the program.
template <class Make> int derive(const char* function, MPI_Group group, MPI_Group* newgroup, Make&& make) {
  return guarded(function, group, [&] {
    runtime.requireActive();
    const Group& parent = groupOf(group);
    checkPointer(newgroup, "newgroup");
    Ref<Group> made = make(parent);
    if (made.get() != &parent && parent.origin())
      made->setOrigin(parent.origin());
    *newgroup = newHandle(std::move(made));
  });
}

} // namespace

extern "C" {

int PMPI_Group_size(MPI_Group group, int* size) {
  return guarded("MPI_Group_size", group, [&] {
    runtime.requireActive();
    const Group& object = groupOf(group);
    checkPointer(size, "size");
    *size = object.size();
  });
}

/// rank: MPI_UNDEFINED where this process is no member.
int PMPI_Group_rank(MPI_Group group, int* rank) {
  return guarded("MPI_Group_rank", group, [&] {
    runtime.requireActive();
    const Group& object = groupOf(group);
    checkPointer(rank, "rank");
    *rank = object.rank();
  });
}

/// ranks2[i]: the rank in group2 of the process with ranks1[i] in group1, or MPI_UNDEFINED; MPI_PROC_NULL
/// stays.
int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  return guarded("MPI_Group_translate_ranks", group1, [&] {
    runtime.requireActive();
    const Group& from = groupOf(group1);
    const Group& to = groupOf(group2);
    from.translate(listOf(ranks1, n, "ranks1"), to, listOf(ranks2, n, "ranks2").data());
  });
}

/// result: MPI_IDENT (same members, same order), MPI_SIMILAR (same members) or MPI_UNEQUAL.
int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  return guarded("MPI_Group_compare", group1, [&] {
    runtime.requireActive();
    const Group& a = groupOf(group1);
    const Group& b = groupOf(group2);
    checkPointer(result, "result");
    *result = a.compare(b);
  });
}

/// The members of group1, then those of group2 that are not in group1.
int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return derive("MPI_Group_union", group1, newgroup,
                [&](const Group& a) { return a.unite(groupOf(group2)); });
}

/// The members of group1 that are in group2 too, in the order of group1.
int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return derive("MPI_Group_intersection", group1, newgroup,
                [&](const Group& a) { return a.intersect(groupOf(group2)); });
}

/// The members of group1 that are not in group2, in the order of group1.
int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return derive("MPI_Group_difference", group1, newgroup,
                [&](const Group& a) { return a.subtract(groupOf(group2)); });
}

/// The members with these ranks, in this order.
int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return derive("MPI_Group_incl", group, newgroup,
                [&](const Group& parent) { return parent.include(listOf(ranks, n, "ranks")); });
}

/// The members without these ranks, in the order they have.
int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return derive("MPI_Group_excl", group, newgroup,
                [&](const Group& parent) { return parent.exclude(listOf(ranks, n, "ranks")); });
}

/// As MPI_Group_incl, for triplets (first, last, stride). Errors besides those above: MPI_ERR_ARG for a
/// stride of 0 or one that leads away from last.
int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return derive("MPI_Group_range_incl", group, newgroup,
                [&](const Group& parent) { return parent.includeRanges(listOf(ranges, n, "ranges")); });
}

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return derive("MPI_Group_range_excl", group, newgroup,
                [&](const Group& parent) { return parent.excludeRanges(listOf(ranges, n, "ranges")); });
}

/// Sets *group to MPI_GROUP_NULL. MPI_GROUP_EMPTY, which calls may have returned, can be freed any number of
/// times.
int PMPI_Group_free(MPI_Group* group) {
  return guarded("MPI_Group_free", group != nullptr ? *group : MPI_GROUP_NULL, [&] {
    runtime.requireActive();
    checkPointer(group, "group");
    freeGroup(*group);
    *group = MPI_GROUP_NULL;
  });
}

/// Handles as integers, for other languages (section 20.4); at any time.
int PMPI_Group_toint(MPI_Group group) {
  return groups->toInt(group);
}
MPI_Group PMPI_Group_fromint(int group) {
  return groups->fromInt(group);
}

} // extern "C"

#include "api/group.aliases.h"
