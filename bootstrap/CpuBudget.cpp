#include "bootstrap/CpuBudget.h"

#include "bootstrap/CpuList.h"
#include "bootstrap/Launcher.h"
#include "bootstrap/TextFile.h"

#include <algorithm>
#include <sstream>

namespace mpl {

namespace {

/// quota / period of one control group's files; nothing when it sets no limit.
std::optional<double> limitOf(const std::string& folder, bool version2) {
  std::istringstream numbers(version2 ? fileText(folder + "/cpu.max")
                                      : fileText(folder + "/cpu.cfs_quota_us") + " " +
                                            fileText(folder + "/cpu.cfs_period_us"));
  double quota = 0; // "max" and -1 mean none
  double period = 0;
  if (!(numbers >> quota >> period) || quota <= 0 || period <= 0)
    return std::nullopt;
  return quota / period;
}

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

std::optional<double> limitUpwards(const std::string& mount, std::string path, bool version2) {
  std::optional<double> limit;
  while (path.size() > 1) {
    limit = smaller(limit, limitOf(mount + path, version2));
    path.erase(path.rfind('/'));
  }
  return smaller(limit, limitOf(mount, version2));
}

} // namespace

std::optional<double> cgroupQuota(const std::string& membership, const std::string& mount) {
  std::optional<double> limit;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) { // hierarchy:controllers:path
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos || second + 1 >= line.size() || line[second + 1] != '/')
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty())
      limit = smaller(limit, limitUpwards(mount, path, true));
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      limit = smaller(limit, smaller(limitUpwards(mount + "/cpu", path, false),
                                     limitUpwards(mount + "/" + controllers, path, false)));
  }
  return limit;
}

bool CpuBudget::oversubscribed(int localRanks) const noexcept {
  return localRanks > std::max(allowed, launcherAllowed) || (quota && localRanks > 1 && localRanks > *quota);
}

CpuBudget CpuBudget::ofThisProcess() {
  CpuBudget budget;
  budget.allowed = static_cast<int>(allowedCpus().size());
  budget.launcherAllowed = Launcher::find().allowed;
  budget.quota = cgroupQuota(fileText("/proc/self/cgroup"), "/sys/fs/cgroup");
  return budget;
}

} // namespace mpl
