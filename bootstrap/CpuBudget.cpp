#include "bootstrap/CpuBudget.h"

#include "bootstrap/CpuList.h"
#include "mpl/Error.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace mpl {

namespace {

std::string fileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The rest of the line "name:\tvalue" of a /proc/PID/status text.
std::string statusField(const std::string& status, const std::string& name) {
  const auto at = status.find("\n" + name + ":");
  if (at == status.npos)
    return {};
  const auto from = status.find_first_not_of(" \t", at + name.size() + 2);
  return status.substr(from, status.find('\n', from) - from);
}

/// Wrapper scripts between the launcher and this process have the launcher's variables in their environment
/// and this process's binding; the launcher has neither.
bool isWrapper(long pid) {
  const std::string environment = fileText(text("/proc/", pid, "/environ"));
  return environment.starts_with("PMIX_RANK=") ||
         environment.find(std::string("\0PMIX_RANK=", 11)) != environment.npos;
}

int launcherCpus() {
  long pid = ::getppid();
  std::string status;
  for (int generation = 0; generation < 16 && pid > 0; ++generation) {
    status = fileText(text("/proc/", pid, "/status"));
    if (status.empty())
      return 0;
    if (!isWrapper(pid))
      return static_cast<int>(parseCpuList(statusField(status, "Cpus_allowed_list")).size());
    pid = std::atol(statusField(status, "PPid").c_str());
  }
  return 0;
}

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
  try {
    budget.launcherAllowed = launcherCpus();
  } catch (const Error&) { // a /proc of another kind
    budget.launcherAllowed = 0;
  }
  budget.quota = cgroupQuota(fileText("/proc/self/cgroup"), "/sys/fs/cgroup");
  return budget;
}

} // namespace mpl
