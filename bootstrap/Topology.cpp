#include "bootstrap/Topology.h"

#include "bootstrap/CpuList.h"
#include "mpl/Error.h"

#include <hwloc.h>
#include <vector>

namespace mpl {

namespace {

class Bitmap {
public:
  Bitmap() : bits_(hwloc_bitmap_alloc()) {}
  ~Bitmap() { hwloc_bitmap_free(bits_); }
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;
  hwloc_bitmap_t get() const { return bits_; }

private:
  hwloc_bitmap_t bits_;
};

} // namespace

const char* localityName(Locality locality) noexcept {
  switch (locality) {
  case Locality::sameCore:
    return "same core";
  case Locality::sharedL2:
    return "shared L2 cache";
  case Locality::sharedL3:
    return "shared L3 cache";
  case Locality::sameNuma:
    return "same NUMA node";
  case Locality::samePackage:
    return "same package";
  case Locality::sameNode:
    break;
  }
  return "same node";
}

struct Topology::Machine {
  hwloc_topology_t topology = nullptr;

  Machine() {
    if (hwloc_topology_init(&topology) != 0)
      fail(MPI_ERR_OTHER, "hwloc cannot begin to describe this machine");
  }
  ~Machine() { hwloc_topology_destroy(topology); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void load() {
    if (hwloc_topology_load(topology) != 0)
      fail(MPI_ERR_OTHER, "hwloc cannot describe this machine");
  }
  int count(hwloc_obj_type_t type) const {
    const int n = hwloc_get_nbobjs_by_type(topology, type);
    return n > 0 ? n : 1; // 0: the machine does not tell; -1: on several levels
  }
  /// Fills the bitmap with the processors of the list that this machine has; all of them when none is left.
  void fill(const Bitmap& bits, std::string_view cpus) const {
    for (const int cpu : parseCpuList(cpus))
      hwloc_bitmap_set(bits.get(), static_cast<unsigned>(cpu));
    const hwloc_const_cpuset_t whole = hwloc_topology_get_topology_cpuset(topology);
    hwloc_bitmap_and(bits.get(), bits.get(), whole);
    if (hwloc_bitmap_iszero(bits.get()))
      hwloc_bitmap_copy(bits.get(), whole);
  }
  bool shared(hwloc_obj_type_t type, const Bitmap& bits) const {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;)
      if (hwloc_bitmap_isincluded(bits.get(), object->cpuset))
        return true;
    return false;
  }
  /// "name 0-1", the logical numbers of the objects that hold any of the processors; "" when there are none.
  std::string names(const char* one, const char* several, hwloc_obj_type_t type, const Bitmap& bits) const {
    std::vector<int> numbers;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;)
      if (hwloc_bitmap_intersects(bits.get(), object->cpuset))
        numbers.push_back(static_cast<int>(object->logical_index));
    if (numbers.empty())
      return {};
    return text(numbers.size() == 1 ? one : several, " ", formatCpuList(numbers));
  }
};

Topology::Topology() : machine_(std::make_unique<Machine>()) {
  // Input and output devices are not asked for: finding them is the slow part of loading.
  hwloc_topology_set_io_types_filter(machine_->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  machine_->load();
}

Topology::Topology(const std::string& synthetic) : machine_(std::make_unique<Machine>()) {
  if (hwloc_topology_set_synthetic(machine_->topology, synthetic.c_str()) != 0)
    fail(MPI_ERR_OTHER, "'", synthetic, "' describes no machine");
  machine_->load();
}

Topology::~Topology() = default;

const Topology& Topology::get() {
  static const Topology topology;
  return topology;
}

Locality Topology::locality(std::string_view cpus, std::string_view otherCpus) const {
  const Bitmap both;
  const Bitmap other;
  machine_->fill(both, cpus);
  machine_->fill(other, otherCpus);
  hwloc_bitmap_or(both.get(), both.get(), other.get());
  struct Level {
    hwloc_obj_type_t type;
    Locality locality;
  };
  constexpr Level levels[] = {{HWLOC_OBJ_CORE, Locality::sameCore},
                              {HWLOC_OBJ_L2CACHE, Locality::sharedL2},
                              {HWLOC_OBJ_L3CACHE, Locality::sharedL3},
                              {HWLOC_OBJ_NUMANODE, Locality::sameNuma},
                              {HWLOC_OBJ_PACKAGE, Locality::samePackage}};
  for (const Level& level : levels)
    if (machine_->shared(level.type, both))
      return level.locality;
  return Locality::sameNode;
}

namespace {

struct LevelRow {
  hwloc_obj_type_t type;
  const char* name;
};
constexpr LevelRow levelRows[levelCount] = {
    {HWLOC_OBJ_PACKAGE, "Package"}, {HWLOC_OBJ_NUMANODE, "NUMANode"}, {HWLOC_OBJ_L3CACHE, "L3Cache"},
    {HWLOC_OBJ_L2CACHE, "L2Cache"}, {HWLOC_OBJ_L1CACHE, "L1Cache"},   {HWLOC_OBJ_CORE, "Core"},
    {HWLOC_OBJ_PU, "PU"},
};

} // namespace

const char* levelName(Level level) noexcept {
  return levelRows[static_cast<int>(level)].name;
}

std::optional<int> Topology::partHolding(Level level, std::string_view cpus) const {
  const Bitmap bits;
  machine_->fill(bits, cpus);
  const hwloc_obj_type_t type = levelRows[static_cast<int>(level)].type;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(machine_->topology, type, object)) != nullptr;)
    if (hwloc_bitmap_isincluded(bits.get(), object->cpuset))
      return static_cast<int>(object->logical_index);
  return std::nullopt;
}

std::string Topology::describe(std::string_view cpus) const {
  const Bitmap bits;
  machine_->fill(bits, cpus);
  std::string out;
  for (const std::string& part : {machine_->names("package", "packages", HWLOC_OBJ_PACKAGE, bits),
                                  machine_->names("NUMA node", "NUMA nodes", HWLOC_OBJ_NUMANODE, bits),
                                  machine_->names("core", "cores", HWLOC_OBJ_CORE, bits)})
    if (!part.empty())
      out += (out.empty() ? "" : ", ") + part;
  std::vector<int> processors;
  for (int cpu = hwloc_bitmap_first(bits.get()); cpu >= 0; cpu = hwloc_bitmap_next(bits.get(), cpu))
    processors.push_back(cpu);
  const std::string list =
      text(processors.size() == 1 ? "processor " : "processors ", formatCpuList(processors));
  return out.empty() ? list : out + " (" + list + ")";
}

int Topology::cores() const noexcept {
  return machine_->count(HWLOC_OBJ_CORE);
}
int Topology::processors() const noexcept {
  return machine_->count(HWLOC_OBJ_PU);
}
int Topology::packages() const noexcept {
  return machine_->count(HWLOC_OBJ_PACKAGE);
}
int Topology::numaNodes() const noexcept {
  return machine_->count(HWLOC_OBJ_NUMANODE);
}

} // namespace mpl
