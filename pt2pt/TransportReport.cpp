#include "pt2pt/TransportReport.h"

#include "pt2pt/Communicator.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/node/Lane.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <vector>

namespace mpl {

namespace {

// UCX 1.13 tells the transports of an endpoint only in print.
std::string reportOf(ucp_ep_h endpoint) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* stream = open_memstream(&text, &length);
  if (stream == nullptr)
    return {};
  ucp_ep_print_info(endpoint, stream);
  std::fclose(stream);
  const std::unique_ptr<char, void (*)(void*)> owned(text, std::free);
  return std::string(text, length);
}

std::string transportsOf(Route route) {
  if (!route.isLane())
    return transportsIn(reportOf(route.endpoint()));
  ucp_ep_h forLongMessages = route.lane().transport;
  return "memory" +
         (forLongMessages != nullptr ? "+" + transportsIn(reportOf(forLongMessages)) : std::string());
}

} // namespace

std::string transportsIn(const std::string& endpointReport) {
  // A lane's line reads "# lane[0]: 5:posix/memory.0 md[2] -> ...": number, transport, device.
  std::istringstream lines(endpointReport);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t lane = line.find("lane[");
    if (lane == std::string::npos)
      continue;
    const std::size_t colon = line.find(':', line.find("]:", lane) + 2);
    const std::size_t slash = line.find('/', lane);
    if (colon == std::string::npos || slash == std::string::npos || slash <= colon)
      continue;
    std::string name = line.substr(colon + 1, slash - colon - 1);
    if (std::find(found.begin(), found.end(), name) == found.end())
      found.push_back(std::move(name));
  }
  std::string joined;
  for (const std::string& name : found)
    joined += (joined.empty() ? "" : "+") + name;
  return joined;
}

std::string describeTransports(Communicator& comm, std::size_t limit) {
  const EngineLock lock;
  std::string all;
  for (int rank = 0; rank < comm.peerCount(); ++rank) {
    const Route route = comm.knownRoute(rank);
    if (!route.isConnected())
      continue;
    const std::string one = text(all.empty() ? "" : "; ", rank, ": ", transportsOf(route));
    if (all.size() + one.size() > limit)
      break;
    all += one;
  }
  return all;
}

} // namespace mpl
