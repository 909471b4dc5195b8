#pragma once

#include <optional>
#include <string>

namespace mpl {

/// How much processor time there is for the processes of this node, from system calls and /proc alone: cheap
/// enough for the start, where loading the whole topology would take too long.
struct CpuBudget {
  int allowed = 1; ///< processors that this process may run on
  /// Processors that the launcher may run on, which the processes of the node share; more than `allowed` when
  /// each process is bound to a part of them.
  int launcherAllowed = 1;
  std::optional<double> quota; ///< processors' worth of time that the control groups grant, where they limit

  /// True when localRanks processes are more than there are processors, or processor time, for them.
  bool oversubscribed(int localRanks) const noexcept;

  static CpuBudget ofThisProcess();
};

/// The smallest limit of the control groups that membership (the text of /proc/self/cgroup) names, and of
/// those above them, under mount (/sys/fs/cgroup), in version 2 or 1; nothing when there is none.
std::optional<double> cgroupQuota(const std::string& membership, const std::string& mount);

} // namespace mpl
