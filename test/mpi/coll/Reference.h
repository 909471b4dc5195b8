// What collectives are compared with: results worked out on each rank from what every other rank is known to
// give.
#pragma once

#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"

#include <functional>
#include <string>
#include <vector>

namespace check {

// A communicator under test. Ranks below are its ranks.
struct TestComm {
  std::string name;
  MPI_Comm comm;
  bool ours; // to be freed
};

// World, a copy, the ranks turned round, and two halves (where there are enough ranks).
inline std::vector<TestComm> testComms() {
  std::vector<TestComm> all{{"world", MPI_COMM_WORLD, false}};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  all.push_back({"copy", comm, true});
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &comm);
  all.push_back({"reversed", comm, true});
  if (size() > 2) {
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &comm);
    all.push_back({"half", comm, true});
  }
  return all;
}

// Runs body(comm) on each of them; the name shows in failures.
inline void onTestComms(const std::function<void(MPI_Comm)>& body) {
  const std::string before = state().current;
  std::vector<TestComm> all = testComms();
  for (TestComm& each : all) {
    state().current = before + " on " + each.name;
    body(each.comm);
  }
  state().current = before;
  for (TestComm& each : all)
    if (each.ours)
      MPI_Comm_free(&each.comm);
}

// Lengths in elements: none, few, odd, and past every change of algorithm.
inline std::vector<int> lengths() {
  return {0, 1, 2, 7, 64, 1000, 4099, 40000, 262144};
}

// What rank `from` gives at place `i`.
inline int given(int from, int i) {
  return static_cast<int>(mix(static_cast<std::uint64_t>(from) * 1000003 + static_cast<std::uint64_t>(i)) %
                          1000000);
}

inline std::vector<int> givenBy(int from, int count, int salt = 0) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = given(from + salt * 100, i);
  return values;
}

// The number of elements in which they differ; the lengths must be equal.
template <class T> int differences(const std::vector<T>& found, const std::vector<T>& wanted) {
  if (!CHECK_EQ(found.size(), wanted.size()))
    return -1;
  int count = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    count += !(found[i] == wanted[i]);
  return count;
}

} // namespace check
