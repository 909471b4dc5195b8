// MPI_Comm_split_type by hardware (MPI 4.1, 7.4.2): each process is bound to one processor first.
#include "test/mpi/comm/Ring.h"

#include <sched.h>
#include <unistd.h>

using namespace check;

namespace {

int processors = 1;

MPI_Comm guided(const char* type, int kind = MPI_COMM_TYPE_HW_GUIDED) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (type != nullptr)
    MPI_Info_set(info, "mpi_hw_resource_type", type);
  MPI_Comm part = MPI_COMM_WORLD;
  CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, kind, 0, info, &part), MPI_SUCCESS);
  MPI_Info_free(&info);
  return part;
}

std::vector<int> onMyProcessor() {
  std::vector<int> ranks;
  for (int r = rank() % processors; r < size(); r += processors)
    ranks.push_back(r);
  return ranks;
}

void shared() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  checkMembers(node, everybody());
  MPI_Comm_free(&node);
  for (const char* name : {"mpi_shared_memory", "hwloc://Machine"}) {
    node = guided(name);
    checkMembers(node, everybody());
    MPI_Comm_free(&node);
  }
}

void byProcessor() {
  for (const char* name : {"hwloc://PU", "HWLOC://pu"}) {
    MPI_Comm part = guided(name);
    checkMembers(part, onMyProcessor());
    MPI_Comm_free(&part);
  }
#if CHECK_MPI_41
  MPI_Comm part = guided("hwloc://PU", MPI_COMM_TYPE_RESOURCE_GUIDED);
  checkMembers(part, onMyProcessor());
  MPI_Comm_free(&part);
#endif
}

void nothing() {
  CHECK(guided(nullptr) == MPI_COMM_NULL);
  CHECK(guided("hwloc://Toaster") == MPI_COMM_NULL);
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part);
  CHECK(part == MPI_COMM_NULL);
  const ReturningComm comm;
  CHECK_EQ(errorClass(MPI_Comm_split_type(comm, 9999, 0, MPI_INFO_NULL, &part)), MPI_ERR_ARG);
}

// Down to the smallest part: every step is a strict part of the one before, and says by what.
void unguided() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int step = 0; step < 20; ++step) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part);
    char name[64] = "";
    int flag = 0;
    MPI_Info_get(info, "mpi_hw_resource_type", 63, name, &flag);
    MPI_Info_free(&info);
    CHECK_EQ(flag != 0, part != MPI_COMM_NULL);
    if (part == MPI_COMM_NULL)
      break;
    CHECK(sizeOf(part) < sizeOf(comm));
    MPI_Comm_free(&comm);
    comm = part;
  }
  checkMembers(comm, onMyProcessor());
  MPI_Comm_free(&comm);
}

#if CHECK_MPI_41
void resources() {
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
  char value[8] = "";
  int flag = 0;
  MPI_Info_get(info, "hwloc://PU", 7, value, &flag);
  CHECK(flag);
  CHECK_EQ(std::string(value), std::string("true"));
  MPI_Info_free(&info);

  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part);
  checkMembers(part, {rank()});
  MPI_Comm_free(&part);
  MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://PU");
  const ReturningComm comm;
  CHECK_EQ(errorClass(MPI_Comm_split_type(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part)), MPI_ERR_ARG);
  MPI_Info_free(&info);
}
#endif

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed))
      all.push_back(cpu);
  processors = static_cast<int>(all.size());
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(all[static_cast<std::size_t>(rank() % processors)], &mine);
  sched_setaffinity(0, sizeof mine, &mine);
  return run(argc, argv, {
    {"shared", shared}, {"by-processor", byProcessor}, {"nothing", nothing},
#if CHECK_MPI_41
        {"resources", resources},
#endif
    {
      "unguided", unguided
    }
  });
}
