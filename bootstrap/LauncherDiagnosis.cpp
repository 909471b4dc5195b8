#include "bootstrap/LauncherDiagnosis.h"

#include "mpl/Error.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace mpl {

namespace {

/// A launcher that says by variables of its own which of how many processes this one is. Rows further up are
/// more telling: the first that fits gives the name.
struct Trace {
  std::string_view launcher;
  std::string_view mark; ///< must be there too, if not ""
  std::string_view rank; ///< rank variable: must be there
  std::string_view size; ///< size variable, "" where the launcher gives none
  bool sizeless;         ///< without a size: true, one of several; false, no launcher
  std::string_view remedy;
};

constexpr std::string_view otherLauncher =
    "use a launcher that speaks PMIx: Open MPI's mpirun, prterun or srun --mpi=pmix";
constexpr std::string_view askSrun = "use srun --mpi=pmix (srun --mpi=list shows what is installed)";

// SLURM_PROCID alone decides nothing: it is 0 in every batch script too. Only srun's steps have
// SLURM_STEP_NUM_TASKS, and a shell of an interactive step is a step of one task; so a step of several tasks
// is what makes several copies.
constexpr std::array traces{
    Trace{"Slurm's srun", "", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false, askSrun},
    Trace{"Intel MPI's mpiexec", "I_MPI_HYDRA_TOPOLIB", "PMI_RANK", "PMI_SIZE", true, otherLauncher},
    Trace{"Flux", "", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", true,
          "use flux run -o pmi=pmix, where that plugin is installed"},
    Trace{"MPICH's mpiexec (hydra)", "HYDI_CONTROL_FD", "PMI_RANK", "PMI_SIZE", true, otherLauncher},
    Trace{"a launcher that speaks PMI", "", "PMI_RANK", "PMI_SIZE", true, otherLauncher},
    Trace{"a launcher that speaks PMI", "", "PMI_ID", "PMI_SIZE", true, otherLauncher},
    Trace{"a launcher that speaks PMI", "", "PMI_FD", "PMI_SIZE", true, otherLauncher},
    Trace{"a launcher that speaks PMI", "", "PMI_PORT", "PMI_SIZE", true, otherLauncher},
    Trace{"MVAPICH's mpirun_rsh", "", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", true, otherLauncher},
    Trace{"MVAPICH's mpirun_rsh", "", "MPIRUN_RANK", "MPIRUN_NPROCS", true, otherLauncher},
    Trace{"an Open MPI mpirun without PMIx", "", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true,
          "use the mpirun of Open MPI 4 or later"},
    Trace{"IBM's jsrun", "", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", true, otherLauncher},
    Trace{"HPE's PALS", "", "PALS_RANKID", "", true, otherLauncher},
    Trace{"Cray's aprun", "", "ALPS_APP_PE", "", true, otherLauncher},
};

std::string_view valueOf(const LauncherDiagnosis::Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<int> wholeNumber(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace

LauncherDiagnosis::LauncherDiagnosis(const Environment& environment) {
  if (!valueOf(environment, "PMIX_NAMESPACE").empty() && !valueOf(environment, "PMIX_RANK").empty()) {
    verdict_ = Verdict::pmixClient;
    launcher_ = "a launcher that speaks PMIx";
    return;
  }
  for (const Trace& trace : traces) {
    const std::string_view rank = valueOf(environment, trace.rank);
    if (rank.empty() || (!trace.mark.empty() && valueOf(environment, trace.mark).empty()))
      continue;
    const auto size = wholeNumber(valueOf(environment, trace.size));
    if (!size && !trace.sizeless)
      continue;
    launcher_ = trace.launcher;
    if (size && *size <= 1)
      continue; // one process of one is alone; another row may know better
    verdict_ = Verdict::unspeakable;
    message_ = text("this process was started as one of ", size ? std::to_string(*size) : "several", " by ",
                    trace.launcher, " (", trace.rank, "=", rank);
    if (size)
      message_ += text(", ", trace.size, "=", *size);
    message_ += text("), but without PMIx it would be alone: ", trace.remedy,
                     ", or set MPL_SINGLETON=1 to run each process alone");
    return;
  }
}

LauncherDiagnosis::Environment LauncherDiagnosis::currentEnvironment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const auto equals = pair.find('=');
    if (equals != pair.npos)
      environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

} // namespace mpl
