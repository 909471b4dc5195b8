#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mpl {

/// What two processes of one node share, closest first.
enum class Locality { sameCore, sharedL2, sharedL3, sameNuma, samePackage, sameNode, otherNode };
const char* localityName(Locality locality) noexcept;

/// The cheap facts, from system calls alone (no hwloc): used at start.
struct CpuBudget {
  int allowed = 1;             ///< processors that this process may run on (sched_getaffinity)
  std::optional<double> quota; ///< processors' worth of time that the control group grants, where it limits
  /// More processes want to run than there are processors for them: localRanks processes with this budget
  /// each.
  bool oversubscribed(int localRanks) const noexcept;
  static CpuBudget ofThisProcess();
};

/// The machine as hwloc sees it. Loading is slow (tens of milliseconds): done at the first call of get().
/// All functions may be called by several threads at once.
class Topology {
public:
  static const Topology& get();
  ~Topology();

  /// What processes bound to these processor lists ("0-3,8") share.
  Locality locality(std::string_view cpus, std::string_view otherCpus) const;
  /// For people: "package 0, NUMA 0, cores 0-1 (processors 0-1)", of a processor list.
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

/// This process's allowed processors as "0-3,8".
std::string allowedCpus();

} // namespace mpl
