#include "bootstrap/LauncherDiagnosis.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace mpl {
namespace {

using Verdict = LauncherDiagnosis::Verdict;
using Environment = LauncherDiagnosis::Environment;

Verdict verdict(const Environment& environment) {
  return LauncherDiagnosis(environment).verdict();
}

const Environment hydra{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"PMI_FD", "7"}, {"HYDI_CONTROL_FD", "6"}};

TEST(LauncherDiagnosis, NothingMeansAlone) {
  EXPECT_EQ(verdict({}), Verdict::alone);
  EXPECT_EQ(verdict({{"HOME", "/root"}, {"PATH", "/bin"}}), Verdict::alone);
}

TEST(LauncherDiagnosis, APmixServerIsWhatWeSpeakTo) {
  EXPECT_EQ(verdict({{"PMIX_NAMESPACE", "123"}, {"PMIX_RANK", "0"}}), Verdict::pmixClient);
  EXPECT_EQ(verdict({{"PMIX_NAMESPACE", "123"}}), Verdict::alone) << "no rank: not a client";
  EXPECT_EQ(verdict({{"PMIX_NAMESPACE", ""}, {"PMIX_RANK", ""}}), Verdict::alone);
}

TEST(LauncherDiagnosis, PmixWinsOverOtherTraces) {
  Environment environment = hydra;
  environment["PMIX_NAMESPACE"] = "123";
  environment["PMIX_RANK"] = "0";
  EXPECT_EQ(verdict(environment), Verdict::pmixClient);
}

TEST(LauncherDiagnosis, HydraIsRefusedByName) {
  const LauncherDiagnosis diagnosis(hydra);
  EXPECT_EQ(diagnosis.verdict(), Verdict::unspeakable);
  EXPECT_EQ(diagnosis.launcher(), "MPICH's mpiexec (hydra)");
  for (const char* part :
       {"one of 4", "hydra", "PMI_RANK=1", "PMI_SIZE=4", "PMIx", "MPL_SINGLETON=1", "mpirun"})
    EXPECT_NE(diagnosis.message().find(part), std::string::npos) << part << " in: " << diagnosis.message();
}

TEST(LauncherDiagnosis, HydraWithOneProcessIsASingleton) {
  Environment environment = hydra;
  environment["PMI_RANK"] = "0";
  environment["PMI_SIZE"] = "1";
  EXPECT_EQ(verdict(environment), Verdict::alone);
}

TEST(LauncherDiagnosis, PmiWithoutASizeIsRefused) {
  EXPECT_EQ(verdict({{"PMI_FD", "5"}}), Verdict::unspeakable);
  EXPECT_EQ(verdict({{"PMI_RANK", "0"}}), Verdict::unspeakable);
  EXPECT_EQ(verdict({{"PMI_RANK", "0"}, {"PMI_SIZE", "some"}}), Verdict::unspeakable);
  EXPECT_EQ(verdict({{"PMI_SIZE", "4"}}), Verdict::alone) << "a size without a rank comes from no launcher";
  EXPECT_EQ(verdict({{"PMI_RANK", ""}, {"PMI_SIZE", ""}}), Verdict::alone);
}

TEST(LauncherDiagnosis, IntelAndFluxAreToldFromMpich) {
  EXPECT_EQ(
      LauncherDiagnosis({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"I_MPI_HYDRA_TOPOLIB", "hwloc"}}).launcher(),
      "Intel MPI's mpiexec");
  EXPECT_EQ(LauncherDiagnosis({{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "2"}, {"PMI_FD", "5"}}).launcher(),
            "Flux");
}

struct Several {
  const char* rank;
  const char* size;
};
class OtherLaunchers : public ::testing::TestWithParam<Several> {};

TEST_P(OtherLaunchers, SeveralProcessesAreRefusedAndOneIsAlone) {
  const Several names = GetParam();
  const LauncherDiagnosis several({{names.rank, "3"}, {names.size, "8"}});
  EXPECT_EQ(several.verdict(), Verdict::unspeakable);
  EXPECT_NE(several.message().find("one of 8"), std::string::npos) << several.message();
  EXPECT_EQ(verdict({{names.rank, "0"}, {names.size, "1"}}), Verdict::alone);
}

INSTANTIATE_TEST_SUITE_P(Table, OtherLaunchers,
                         ::testing::Values(Several{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           Several{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                           Several{"MPIRUN_RANK", "MPIRUN_NPROCS"},
                                           Several{"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
                                           Several{"PMI_ID", "PMI_SIZE"}, Several{"PMI_PORT", "PMI_SIZE"},
                                           Several{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}));

TEST(LauncherDiagnosis, ASlurmStepOfSeveralTasksIsRefusedAndTellsTheOption) {
  const LauncherDiagnosis diagnosis(
      {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(diagnosis.verdict(), Verdict::unspeakable);
  EXPECT_NE(diagnosis.message().find("srun --mpi=pmix"), std::string::npos);
}

TEST(LauncherDiagnosis, ASlurmBatchScriptIsAlone) {
  // What a batch script sees: rank 0 and the size of the allocation, but no step of srun's.
  EXPECT_EQ(verdict({{"SLURM_PROCID", "0"},
                     {"SLURM_NTASKS", "16"},
                     {"SLURM_NPROCS", "16"},
                     {"SLURM_JOB_ID", "5"},
                     {"SLURM_LOCALID", "0"}}),
            Verdict::alone);
}

TEST(LauncherDiagnosis, ASlurmAllocationShellIsAlone) {
  EXPECT_EQ(verdict({{"SLURM_JOB_ID", "5"}, {"SLURM_NTASKS", "16"}}), Verdict::alone) << "salloc";
  EXPECT_EQ(verdict({{"SLURM_PROCID", "0"},
                     {"SLURM_NTASKS", "16"},
                     {"SLURM_STEP_NUM_TASKS", "1"},
                     {"SLURM_STEP_ID", "4294967290"}}),
            Verdict::alone)
      << "salloc with an interactive step";
}

TEST(LauncherDiagnosis, SlurmWithPmi2IsRefused) {
  const LauncherDiagnosis diagnosis({{"SLURM_PROCID", "1"},
                                     {"SLURM_STEP_NUM_TASKS", "2"},
                                     {"PMI_RANK", "1"},
                                     {"PMI_SIZE", "2"},
                                     {"PMI_FD", "9"}});
  EXPECT_EQ(diagnosis.verdict(), Verdict::unspeakable);
  EXPECT_EQ(diagnosis.launcher(), "Slurm's srun");
}

TEST(LauncherDiagnosis, MpiexecInsideAStepOfOneTaskIsStillSeen) {
  Environment environment = hydra;
  environment["SLURM_PROCID"] = "0";
  environment["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(verdict(environment), Verdict::unspeakable);
}

TEST(LauncherDiagnosis, CraysLaunchersGiveNoSize) {
  EXPECT_EQ(verdict({{"PALS_RANKID", "0"}}), Verdict::unspeakable);
  EXPECT_EQ(verdict({{"ALPS_APP_PE", "0"}}), Verdict::unspeakable);
}

TEST(LauncherDiagnosis, ReadsTheEnvironmentOfTheProcess) {
  ::setenv("LAUNCHER_DIAGNOSIS_TEST", "a=b", 1);
  const Environment environment = LauncherDiagnosis::currentEnvironment();
  ::unsetenv("LAUNCHER_DIAGNOSIS_TEST");
  ASSERT_TRUE(environment.contains("LAUNCHER_DIAGNOSIS_TEST"));
  EXPECT_EQ(environment.find("LAUNCHER_DIAGNOSIS_TEST")->second, "a=b");
}

} // namespace
} // namespace mpl
