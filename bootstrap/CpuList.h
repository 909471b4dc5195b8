#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mpl {

/// Processor numbers as Linux writes them: "0-3,8". The numbers ascend, none stands twice.
std::string formatCpuList(const std::vector<int>& cpus);
/// Throws MPI_ERR_OTHER when the text is no such list; an empty text is the empty list.
std::vector<int> parseCpuList(std::string_view text);

/// The processors this process may run on (sched_getaffinity).
std::vector<int> allowedCpus();

} // namespace mpl
