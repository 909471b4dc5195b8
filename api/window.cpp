// Making and freeing windows: MPI-5.0, section 12.2.
//
// The constructors are collective over comm, by any thread at MPI_THREAD_MULTIPLE. Sizes are in bytes.
// Errors: MPI_ERR_COMM, MPI_ERR_INFO, MPI_ERR_ARG for null pointers; where one member fails with one of the
// following, all do: MPI_ERR_SIZE for a negative size, MPI_ERR_DISP for a disp_unit that is not positive,
// MPI_ERR_BASE for a null base with a size, MPI_ERR_NO_MEM, MPI_ERR_RMA_SHARED, MPI_ERR_OTHER when no context
// id is free, MPI_ERR_PROC_ABORTED. These go to comm's error handler.
#include "api/Checks.h"
#include "api/WindowGuard.h"
#include "mpl/Info.h"

#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace {

Communicator& intraCommunicator(MPI_Comm handle) {
  return intraCommunicatorOf(handle, "on which there are no windows");
}

int makeWindow(const char* function, Window::Wish wish, MPI_Info info, MPI_Comm comm, void* baseptr,
               MPI_Win* win) {
  return guarded(function, comm, [&] {
    Communicator& parent = intraCommunicator(comm);
    checkPointer(win, "win");
    if (wish.flavor == Window::Flavor::allocate || wish.flavor == Window::Flavor::shared)
      checkPointer(baseptr, "baseptr");
    wish.hints = infoOrNull(info);
    const Ref<Window> made = Window::make(parent, wish);
    if (baseptr != nullptr) {
      void* base = made->memory().base;
      std::memcpy(baseptr, &base, sizeof base);
    }
    *win = made->giveHandle();
  });
}

template <class Int>
int querySharedMemory(const char* function, MPI_Win win, int rank, MPI_Aint* size, Int* disp_unit,
                      void* baseptr) {
  return guardedOn(function, win, [&](Window& window) {
    checkPointer(size, "size");
    checkPointer(disp_unit, "disp_unit");
    checkPointer(baseptr, "baseptr");
    const Window::Memory memory = window.sharedQuery(rank);
    *size = static_cast<MPI_Aint>(memory.bytes);
    *disp_unit = static_cast<Int>(memory.dispUnit);
    void* base = memory.base;
    std::memcpy(baseptr, &base, sizeof base);
  });
}

} // namespace

extern "C" {

/// A window of memory that the program has: size bytes at base.
int PMPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return makeWindow("MPI_Win_create", {Window::Flavor::create, base, size, disp_unit, nullptr}, info, comm,
                    nullptr, win);
}
int PMPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                      MPI_Win* win) {
  return makeWindow("MPI_Win_create_c", {Window::Flavor::create, base, size, disp_unit, nullptr}, info, comm,
                    nullptr, win);
}

/// A window of new memory, aligned to 64 bytes; baseptr: address of a pointer that gets its address. Members
/// on one node reach each other's by load and store.
int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                      MPI_Win* win) {
  return makeWindow("MPI_Win_allocate", {Window::Flavor::allocate, nullptr, size, disp_unit, nullptr}, info,
                    comm, baseptr, win);
}
int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                        MPI_Win* win) {
  return makeWindow("MPI_Win_allocate_c", {Window::Flavor::allocate, nullptr, size, disp_unit, nullptr}, info,
                    comm, baseptr, win);
}

/// The same, of memory that all members map: contiguous over the ranks, unless info says
/// alloc_shared_noncontig = true, when each part is aligned to 64 bytes. MPI_ERR_RMA_SHARED where the members
/// are not all on one node.
int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                             MPI_Win* win) {
  return makeWindow("MPI_Win_allocate_shared", {Window::Flavor::shared, nullptr, size, disp_unit, nullptr},
                    info, comm, baseptr, win);
}
int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                               MPI_Win* win) {
  return makeWindow("MPI_Win_allocate_shared_c", {Window::Flavor::shared, nullptr, size, disp_unit, nullptr},
                    info, comm, baseptr, win);
}

/// A window without memory, to which MPI_Win_attach adds some.
int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return makeWindow("MPI_Win_create_dynamic", {Window::Flavor::dynamic, nullptr, 0, 1, nullptr}, info, comm,
                    nullptr, win);
}

/// Local. Errors: MPI_ERR_RMA_FLAVOR, MPI_ERR_SIZE, MPI_ERR_BASE, MPI_ERR_RMA_ATTACH where the memory
/// overlaps what is attached.
int PMPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return guardedOn("MPI_Win_attach", win, [&](Window& window) { window.attach(base, size); });
}
/// Local. Errors: MPI_ERR_RMA_FLAVOR, MPI_ERR_RMA_ATTACH where no memory was attached at base.
int PMPI_Win_detach(MPI_Win win, const void* base) {
  return guardedOn("MPI_Win_detach", win, [&](Window& window) { window.detach(base); });
}

/// Collective over the window's group; sets *win to MPI_WIN_NULL. Errors: MPI_ERR_WIN, MPI_ERR_RMA_SYNC where
/// this process has an epoch open; what an attribute's delete callback returned.
int PMPI_Win_free(MPI_Win* win) {
  const MPI_Win given = win != nullptr ? *win : MPI_WIN_NULL;
  return guardedOn("MPI_Win_free", given, [&](Window& object) {
    const Ref<Window> window(&object);
    window->requireNoEpoch("MPI_Win_free");
    window->attributes().removeAll(given);
    window->free();
    *win = MPI_WIN_NULL;
  });
}

/// Where the memory of a member lies in this process; rank MPI_PROC_NULL: of the first member with memory.
/// size 0 and a null pointer where it cannot be mapped. Errors: MPI_ERR_RANK, MPI_ERR_RMA_FLAVOR for dynamic
/// windows.
int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return querySharedMemory("MPI_Win_shared_query", win, rank, size, disp_unit, baseptr);
}
int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
  return querySharedMemory("MPI_Win_shared_query_c", win, rank, size, disp_unit, baseptr);
}

} // extern "C"

#include "api/window.aliases.h"
