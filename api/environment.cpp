// Start, end and environment: MPI-5.0, chapters 9 and 11.
#include "api/Checks.h"
#include "api/Guard.h"
#include "config.h"
#include "mpl/Info.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

using namespace mpl;
using namespace mpl::api;

namespace {

const char* levelName(int level) {
  switch (level) {
  case MPI_THREAD_SINGLE:
    return "MPI_THREAD_SINGLE";
  case MPI_THREAD_FUNNELED:
    return "MPI_THREAD_FUNNELED";
  case MPI_THREAD_SERIALIZED:
    return "MPI_THREAD_SERIALIZED";
  default:
    return "MPI_THREAD_MULTIPLE";
  }
}

// argc and argv may be null. Returns the level that is given.
int initialise(int* argc, char*** argv, int required) {
  if (runtime.state() == Runtime::State::active)
    fail(MPI_ERR_OTHER, "MPI is initialised already");
  if (runtime.state() == Runtime::State::finished)
    fail(MPI_ERR_OTHER, "MPI was finalised; it cannot be initialised again");
  constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                            MPI_THREAD_MULTIPLE};
  // The lowest level that is at least what was asked for, as the standard has it.
  const auto* level =
      std::find_if(std::begin(levels), std::end(levels), [&](int l) { return l >= required; });
  const int given = level != std::end(levels) ? *level : MPI_THREAD_MULTIPLE;
  runtime.start(given);
  setUpEnvInfo({runtime.process().size(), levelName(given)}, argc != nullptr ? *argc : 0,
               argv != nullptr ? *argv : nullptr);
  return given;
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace

extern "C" {

/// Joins the job; once per process, by any one thread. Errors: MPI_ERR_OTHER, among them a launcher that
/// speaks no PMIx.
int PMPI_Init(int* argc, char*** argv) {
  return guarded("MPI_Init", [&] { initialise(argc, argv, MPI_THREAD_SINGLE); });
}

/// All four levels are given as asked for.
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return guarded("MPI_Init_thread", [&] {
    checkPointer(provided, "provided");
    *provided = initialise(argc, argv, required);
  });
}

/// Collective over the job; sessions live on. Does not hang for messages nobody received, sends nobody took
/// or ranks that died.
int PMPI_Finalize(void) {
  return guarded("MPI_Finalize", [&] {
    if (runtime.state() != Runtime::State::active)
      fail(MPI_ERR_OTHER, runtime.state() == Runtime::State::before ? "MPI_Init was not called"
                                                                    : "MPI is finalised already");
    // First of all, with everything still at work: section 11.4.2.
    communicatorOf(MPI_COMM_SELF).attributes().discardAll(MPI_COMM_SELF);
    runtime.finish();
  });
}

/// Any time, any thread; likewise the next.
int PMPI_Initialized(int* flag) {
  return guarded("MPI_Initialized", [&] {
    checkPointer(flag, "flag");
    *flag = runtime.state() != Runtime::State::before;
  });
}
int PMPI_Finalized(int* flag) {
  return guarded("MPI_Finalized", [&] {
    checkPointer(flag, "flag");
    *flag = runtime.state() == Runtime::State::finished;
  });
}

int PMPI_Query_thread(int* provided) {
  return guarded("MPI_Query_thread", [&] {
    checkPointer(provided, "provided");
    runtime.requireActive();
    *provided = runtime.threadLevel();
  });
}
int PMPI_Is_thread_main(int* flag) {
  return guarded("MPI_Is_thread_main", [&] {
    checkPointer(flag, "flag");
    runtime.requireActive();
    *flag = runtime.isMainThread();
  });
}

/// Ends the job: does not return. The exit status is errorcode's low 8 bits, never 0.
int PMPI_Abort(MPI_Comm comm, int errorcode) {
  const Communicator* c = communicators->find(comm);
  Process::abort(errorcode,
                 text("MPI_Abort on ", c != nullptr ? c->label() : std::string("no communicator")));
}

int PMPI_Get_version(int* version, int* subversion) {
  return guarded("MPI_Get_version", [&] {
    checkPointer(version, "version");
    checkPointer(subversion, "subversion");
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
  });
}

/// version: room for MPI_MAX_LIBRARY_VERSION_STRING characters. Any time, any thread.
int PMPI_Get_library_version(char* version, int* resultlen) {
  return guarded("MPI_Get_library_version", [&] {
    checkPointer(version, "version");
    checkPointer(resultlen, "resultlen");
    *resultlen =
        std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                      "MPL %s, MPI %d.%d, ABI %d.%d, UCX %s, PMIx %s, hwloc %s, librpma %s", PACKAGE_VERSION,
                      MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION, MPL_UCX_VERSION,
                      MPL_PMIX_VERSION, MPL_HWLOC_VERSION, MPL_RPMA_VERSION);
  });
}

/// The version of the standard ABI (section 20.2). Any time, any thread.
int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  return guarded("MPI_Abi_get_version", [&] {
    checkPointer(abi_major, "abi_major");
    checkPointer(abi_minor, "abi_minor");
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
  });
}

/// name: room for MPI_MAX_PROCESSOR_NAME characters; gets the host's name.
int PMPI_Get_processor_name(char* name, int* resultlen) {
  return guarded("MPI_Get_processor_name", [&] {
    checkPointer(name, "name");
    checkPointer(resultlen, "resultlen");
    runtime.requireActive();
    const std::string& host = runtime.process().hostName();
    *resultlen = static_cast<int>(std::min<std::size_t>(host.size(), MPI_MAX_PROCESSOR_NAME - 1));
    std::memcpy(name, host.data(), static_cast<std::size_t>(*resultlen));
    name[*resultlen] = '\0';
  });
}

/// Seconds since some time in the past, the same for a process's whole life.
double PMPI_Wtime(void) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}
double PMPI_Wtick(void) {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}

/// For profiling tools; does nothing.
int PMPI_Pcontrol(const int, ...) {
  return MPI_SUCCESS;
}

/// Memory for messages and windows; size bytes, aligned to 64. MPI_ERR_NO_MEM, MPI_ERR_ARG for a negative
/// size.
int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  return guarded("MPI_Alloc_mem", [&] {
    checkPointer(baseptr, "baseptr");
    runtime.requireActive();
    if (size < 0)
      fail(MPI_ERR_ARG, "size is ", size, ", which is negative");
    infoOrNull(info);
    constexpr std::size_t line = 64;
    void* memory = nullptr;
    const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(size), 1);
    if (posix_memalign(&memory, line, bytes) != 0)
      fail(MPI_ERR_NO_MEM, "no memory for ", size, " bytes");
    *static_cast<void**>(baseptr) = memory;
  });
}
int PMPI_Free_mem(void* base) {
  return guarded("MPI_Free_mem", [&] { std::free(base); });
}

} // extern "C"

#include "api/environment.aliases.h"
