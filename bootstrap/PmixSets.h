#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mpl {

/// The process sets that the PMIx server knows; none where it knows no sets. Both wait for the local server
/// only, and not longer than two seconds.
std::vector<std::string> pmixSetNames();
/// Ranks of the job in a set, ascending; empty where there is no such set.
std::vector<int> pmixSetMembers(const std::string& jobId, std::string_view set);

} // namespace mpl
