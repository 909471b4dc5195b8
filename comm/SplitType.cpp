#include "comm/SplitType.h"

#include "bootstrap/ProcessIdentity.h"
#include "bootstrap/Topology.h"
#include "coll/Run.h"
#include "comm/Constructors.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

namespace mpl {

namespace {

constexpr std::string_view resourceKey = "mpi_hw_resource_type";
constexpr std::string_view psetKey = "mpi_pset_name";
constexpr std::string_view scheme = "hwloc://";
constexpr int none = -1;

/// Kinds of parts, large ones first: the node, then hwloc's levels.
constexpr int kinds = 1 + levelCount;
constexpr int node = 0;

std::string kindName(int kind) {
  return kind == node ? "mpi_shared_memory" : std::string(scheme) + levelName(static_cast<Level>(kind - 1));
}

bool sameName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

int kindNamed(std::string_view name) {
  if (sameName(name, "hwloc://Machine"))
    return node;
  for (int kind = 0; kind < kinds; ++kind)
    if (sameName(name, kindName(kind)))
      return kind;
  return none;
}

/// In which part of each kind a process is; none where it is not confined to one.
using Place = std::array<int, kinds>;

Place ownPlace() {
  Place place{};
  place[node] = colorOfNode();
  const std::string cpus = ProcessIdentity::ofThisProcess().cpus;
  for (int kind = node + 1; kind < kinds; ++kind)
    place[static_cast<std::size_t>(kind)] =
        Topology::get().partHolding(static_cast<Level>(kind - 1), cpus).value_or(none);
  return place;
}

struct GatherPlaces {
  static constexpr const char* name = "split by type";
  Communicator* comm;
  Place* places; // one for each member, this one's filled in

  void build(Schedule& schedule, Members me) const {
    const Parts all(places, sizeof(Place), datatypeOf(MPI_BYTE));
    algorithm::allgather(schedule, me, Block{MPI_IN_PLACE, 0, nullptr}, all);
  }
  void keep(Schedule&) const {}
};

std::vector<Place> placesOf(Communicator& parent) {
  std::vector<Place> places(static_cast<std::size_t>(parent.size()));
  places[static_cast<std::size_t>(parent.rank())] = ownPlace();
  run(GatherPlaces{&parent, places.data()});
  return places;
}

bool together(const Place& a, const Place& b, int kind) {
  const auto index = static_cast<std::size_t>(kind);
  return a[node] == b[node] && a[index] == b[index] && a[index] != none;
}

// The color of a part: the first rank that is in it.
int colorFor(const std::vector<Place>& places, int rank, int kind) {
  const Place& own = places[static_cast<std::size_t>(rank)];
  for (std::size_t other = 0; other < places.size(); ++other)
    if (together(places[other], own, kind))
      return static_cast<int>(other);
  return MPI_UNDEFINED;
}

// The largest kind of which not all members share one part; none where there is no such kind.
int firstThatDivides(const std::vector<Place>& places) {
  for (int kind = 0; kind < kinds; ++kind) {
    const bool known = std::any_of(places.begin(), places.end(), [kind](const Place& place) {
      return place[static_cast<std::size_t>(kind)] != none;
    });
    const bool shared = std::all_of(places.begin(), places.end(), [&](const Place& place) {
      return together(place, places.front(), kind);
    });
    if (known && !shared)
      return kind;
  }
  return none;
}

MPI_Comm splitAt(Communicator& parent, int key, int kind) {
  if (kind == none)
    return split(parent, MPI_UNDEFINED, key);
  return split(parent, colorFor(placesOf(parent), parent.rank(), kind), key);
}

// The color of a process set: its first member, so that all its members agree.
int colorOfSet(std::string_view name) {
  Process& process = runtime.process();
  if (sameName(name, "mpi://WORLD"))
    return 0;
  if (sameName(name, "mpi://SELF"))
    return process.rank();
  const std::vector<int> members = process.membersOf(name);
  const bool isMember = std::find(members.begin(), members.end(), process.rank()) != members.end();
  return isMember ? members.front() : MPI_UNDEFINED;
}

MPI_Comm splitUnguided(Communicator& parent, int key, Info* hints) {
  const std::vector<Place> places = placesOf(parent);
  const int kind = firstThatDivides(places);
  if (kind != none && hints != nullptr)
    hints->set(resourceKey, kindName(kind));
  return split(parent, kind == none ? MPI_UNDEFINED : colorFor(places, parent.rank(), kind), key);
}

} // namespace

MPI_Comm splitByType(Communicator& parent, int type, int key, Info* hints) {
  const auto value = [&](std::string_view name) {
    return hints != nullptr ? hints->get(name) : std::nullopt;
  };
  switch (type) {
  case MPI_UNDEFINED:
    break;
  case MPI_COMM_TYPE_SHARED:
    return split(parent, colorOfNode(), key);
  case MPI_COMM_TYPE_HW_UNGUIDED:
    return splitUnguided(parent, key, hints);
  case MPI_COMM_TYPE_RESOURCE_GUIDED:
    if (const auto set = value(psetKey)) {
      if (value(resourceKey))
        fail(MPI_ERR_ARG, "info names two resources: ", resourceKey, " and ", psetKey);
      return split(parent, colorOfSet(*set), key);
    }
    [[fallthrough]];
  case MPI_COMM_TYPE_HW_GUIDED: {
    const auto resource = value(resourceKey);
    return splitAt(parent, key, resource ? kindNamed(*resource) : none);
  }
  default:
    fail(MPI_ERR_ARG, "split_type is ", type,
         ", which is none of MPI_COMM_TYPE_SHARED, MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_HW_GUIDED, "
         "MPI_COMM_TYPE_RESOURCE_GUIDED and MPI_UNDEFINED");
  }
  return split(parent, MPI_UNDEFINED, key);
}

int placeInMachine(Communicator& parent) {
  std::vector<Place> places = placesOf(parent);
  // Nodes stand in the order of their first members, not of the processes' numbers in the job.
  for (std::size_t rank = places.size(); rank-- > 0;)
    places[rank][node] = colorFor(places, static_cast<int>(rank), node);
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return places[static_cast<std::size_t>(a)] < places[static_cast<std::size_t>(b)];
  });
  return static_cast<int>(std::find(order.begin(), order.end(), parent.rank()) - order.begin());
}

Info hardwareResources() {
  const Place place = ownPlace();
  Info resources;
  for (int kind = 0; kind < kinds; ++kind)
    resources.set(kindName(kind), place[static_cast<std::size_t>(kind)] != none ? "true" : "false");
  return resources;
}

} // namespace mpl
