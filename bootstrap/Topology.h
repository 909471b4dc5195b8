#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mpl {

/// What two processes of one node share, closest first.
enum class Locality { sameCore, sharedL2, sharedL3, sameNuma, samePackage, sameNode };
const char* localityName(Locality locality) noexcept;

/// Parts of a machine that can hold a process, large ones first.
enum class Level { package, numaNode, l3Cache, l2Cache, l1Cache, core, processor };
inline constexpr int levelCount = 7;
/// hwloc's name: "Package", "NUMANode", "L3Cache" ...
const char* levelName(Level level) noexcept;

/// The machine as hwloc sees it. Loading takes milliseconds (tens of them on a large machine), so it is done
/// at the first get(), which only those should call who need more than CpuBudget tells. Unchanging
/// afterwards: every thread may call everything at any time.
class Topology {
public:
  static const Topology& get();
  /// Of a machine described in hwloc's synthetic form, such as "package:2 core:4 pu:2".
  explicit Topology(const std::string& synthetic);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// What processes bound to these processor lists ("0-3,8") have in common at closest: the smallest part of
  /// the machine that holds both lists. An empty list means unbound.
  Locality locality(std::string_view cpus, std::string_view otherCpus) const;
  /// The one part of this level that holds all processors of the list, by its logical number; nothing where
  /// no part does, or the machine has no such parts.
  std::optional<int> partHolding(Level level, std::string_view cpus) const;
  /// For people: "package 0, NUMA node 0, cores 0-1 (processors 0-3)".
  std::string describe(std::string_view cpus) const;
  int cores() const noexcept;
  int processors() const noexcept;
  int packages() const noexcept;
  int numaNodes() const noexcept;

private:
  Topology();
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

} // namespace mpl
