#pragma once

#include "bootstrap/Process.h"

#include <string>
#include <vector>

namespace mpl {

/// Processes of a job on this node that the PMIx server has seen end; empty when it does not tell. Waits for
/// the local server only, and not longer than two seconds.
std::vector<Process::EndedPeer> pmixEndedProcesses(const std::string& jobId);

} // namespace mpl
