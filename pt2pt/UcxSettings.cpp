#include "pt2pt/UcxSettings.h"

#include "bootstrap/SharedMemoryCheck.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace mpl {

namespace {

// What UCX prints of the context: the one way to learn which transports it will use.
std::string reportOf(ucp_context_h context) {
  char* report = nullptr;
  std::size_t length = 0;
  std::FILE* stream = open_memstream(&report, &length);
  if (stream == nullptr)
    return {};
  ucp_context_print_info(context, stream);
  std::fclose(stream);
  const std::unique_ptr<char, void (*)(void*)> owned(report, std::free);
  return std::string(report, length);
}

// A transport that cannot have its memory (containers) makes UCX give up as a whole: the transports to leave
// out.
const char* withoutDeniedMemory(int localRanks) {
  const auto memory = SharedMemoryCheck::ofThisProcess(localRanks);
  if (memory.posix)
    return memory.systemV ? nullptr : "^sysv";
  return memory.systemV ? "^posix" : "^posix,sysv";
}

// InfiniBand, RoCE, iWARP, EFA.
bool hasRdmaDevice() {
  std::error_code error;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", error);
  return !error && devices != std::filesystem::directory_iterator();
}

} // namespace

UcxSettings::UcxSettings(int localRanks) {
  // Without a device that reads memory, a rendezvous is but two journeys more through the kernel. UCX begins
  // with it at 16 KiB or so; up to here copying takes as little as half of the time.
  if (!hasRdmaDevice())
    add("UCX_RNDV_THRESH", "256k");
  // The default of 20 s is how long a dead peer on another node would go unnoticed.
  add("UCX_KEEPALIVE_INTERVAL", "2s");
  if (const char* transports = withoutDeniedMemory(localRanks))
    add("UCX_TLS", transports);
}

UcxSettings::~UcxSettings() {
  for (const char* variable : ours_)
    unsetenv(variable);
}

bool UcxSettings::addFor(ucp_context_h context) {
  // Without these, endpoints that report the death of a peer fall back from shared memory to TCP.
  const std::string report = reportOf(context);
  const bool posix = report.find("posix/") != std::string::npos;
  const bool systemV = report.find("sysv/") != std::string::npos;
  if (posix)
    add("UCX_POSIX_ERROR_HANDLING", "y");
  if (systemV)
    add("UCX_SYSV_ERROR_HANDLING", "y");
  return posix || systemV;
}

void UcxSettings::add(const char* variable, const char* value) {
  if (std::getenv(variable) == nullptr && setenv(variable, value, 0) == 0)
    ours_.push_back(variable);
}

} // namespace mpl
