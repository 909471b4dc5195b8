#pragma once

#include <string>
#include <vector>

namespace mpl {

/// Ranks of a job on this node that the PMIx server has seen end; empty when it does not tell. Waits for the
/// local server only, and not longer than two seconds.
std::vector<int> pmixEndedProcesses(const std::string& jobId);

} // namespace mpl
