#pragma once

#include <string>
#include <vector>

namespace mpl {

/// Ranks of a job on this node that the PMIx server has seen end; empty when it does not tell. Waits for the
/// local server only, and not longer than two seconds.
std::vector<int> pmixEndedProcesses(const std::string& jobId);

/// Likewise those that have left the job in good order, ended or not. (Open MPI 4.1 says "undefined" of them,
/// as it does of processes that have not joined yet.)
std::vector<int> pmixDepartedProcesses(const std::string& jobId);

} // namespace mpl
