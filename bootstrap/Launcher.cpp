#include "bootstrap/Launcher.h"

#include "bootstrap/CpuList.h"
#include "bootstrap/TextFile.h"
#include "mpl/Error.h"

#include <cstdlib>
#include <string_view>

namespace mpl {

namespace {

/// The rest of the line "name:\tvalue" of a /proc/PID/status text.
std::string statusField(const std::string& status, const std::string& name) {
  const auto at = ("\n" + status).find("\n" + name + ":");
  if (at == status.npos)
    return {};
  const auto from = status.find_first_not_of(" \t", at + name.size() + 1);
  return from == status.npos ? std::string() : status.substr(from, status.find('\n', from) - from);
}

/// A wrapper script has the launcher's variables in its environment, and this process's binding; the launcher
/// has neither. What belongs to another user cannot be read, and is no wrapper.
bool isWrapper(pid_t pid) {
  const std::string environment = '\0' + fileText(text("/proc/", pid, "/environ"));
  return environment.find(std::string("\0PMIX_RANK=", 11)) != environment.npos;
}

pid_t parentOf(pid_t pid) {
  return std::atoi(statusField(fileText(text("/proc/", pid, "/status")), "PPid").c_str());
}

} // namespace

Launcher Launcher::of(pid_t process) {
  Launcher launcher;
  pid_t pid = parentOf(process);
  for (int generation = 0; generation < 16 && pid > 0; ++generation) {
    const std::string status = fileText(text("/proc/", pid, "/status"));
    if (status.empty())
      break;
    if (!isWrapper(pid)) {
      launcher.pid = pid;
      launcher.name = statusField(status, "Name");
      try {
        launcher.allowed = static_cast<int>(parseCpuList(statusField(status, "Cpus_allowed_list")).size());
      } catch (const Error&) { // a /proc of another kind
      }
      break;
    }
    pid = parentOf(pid);
  }
  return launcher;
}

bool Launcher::forgivesEverything() {
  const char* recovery = std::getenv("OMPI_MCA_orte_enable_recovery");
  return recovery != nullptr && std::string_view(recovery) != "0" && std::string_view(recovery) != "";
}

} // namespace mpl
