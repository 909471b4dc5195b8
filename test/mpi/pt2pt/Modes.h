// The four send modes in their blocking, non-blocking and persistent forms, with int and with MPI_Count
// counts.
#pragma once

#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"

#include <initializer_list>
#include <vector>

namespace check {

enum class Mode { standard, buffered, synchronous, ready };

inline std::initializer_list<Mode> allModes() {
  static const std::initializer_list<Mode> modes{Mode::standard, Mode::buffered, Mode::synchronous,
                                                 Mode::ready};
  return modes;
}

// Which twin of a function is called: the one with int counts or the one with MPI_Count counts.
enum class Twin { small, large };

inline std::vector<Twin> twins() {
#if CHECK_MPI_40
  return {Twin::small, Twin::large};
#else
  return {Twin::small};
#endif
}

// Buffer space for buffered sends, attached as long as this object lives.
class BsendSpace {
public:
  explicit BsendSpace(std::size_t bytes) : memory_(bytes) {
    MPI_Buffer_attach(memory_.data(), static_cast<int>(bytes));
  }
  ~BsendSpace() {
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  }
  BsendSpace(const BsendSpace&) = delete;
  BsendSpace& operator=(const BsendSpace&) = delete;

private:
  std::vector<char> memory_;
};

inline int send(Mode mode, Twin twin, const void* data, int count, MPI_Datatype type, int dest, int tag,
                MPI_Comm comm) {
#if CHECK_MPI_40
  if (twin == Twin::large) {
    switch (mode) {
    case Mode::standard:
      return MPI_Send_c(data, count, type, dest, tag, comm);
    case Mode::buffered:
      return MPI_Bsend_c(data, count, type, dest, tag, comm);
    case Mode::synchronous:
      return MPI_Ssend_c(data, count, type, dest, tag, comm);
    case Mode::ready:
      return MPI_Rsend_c(data, count, type, dest, tag, comm);
    }
  }
#endif
  (void)twin;
  switch (mode) {
  case Mode::standard:
    return MPI_Send(data, count, type, dest, tag, comm);
  case Mode::buffered:
    return MPI_Bsend(data, count, type, dest, tag, comm);
  case Mode::synchronous:
    return MPI_Ssend(data, count, type, dest, tag, comm);
  case Mode::ready:
    return MPI_Rsend(data, count, type, dest, tag, comm);
  }
  return MPI_ERR_OTHER;
}

inline MPI_Request isend(Mode mode, Twin twin, const void* data, int count, MPI_Datatype type, int dest,
                         int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if CHECK_MPI_40
  if (twin == Twin::large) {
    if (mode == Mode::standard)
      MPI_Isend_c(data, count, type, dest, tag, comm, &request);
    else if (mode == Mode::buffered)
      MPI_Ibsend_c(data, count, type, dest, tag, comm, &request);
    else if (mode == Mode::synchronous)
      MPI_Issend_c(data, count, type, dest, tag, comm, &request);
    else
      MPI_Irsend_c(data, count, type, dest, tag, comm, &request);
    return request;
  }
#endif
  (void)twin;
  if (mode == Mode::standard)
    MPI_Isend(data, count, type, dest, tag, comm, &request);
  else if (mode == Mode::buffered)
    MPI_Ibsend(data, count, type, dest, tag, comm, &request);
  else if (mode == Mode::synchronous)
    MPI_Issend(data, count, type, dest, tag, comm, &request);
  else
    MPI_Irsend(data, count, type, dest, tag, comm, &request);
  return request;
}

inline MPI_Request sendInit(Mode mode, Twin twin, const void* data, int count, MPI_Datatype type, int dest,
                            int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if CHECK_MPI_40
  if (twin == Twin::large) {
    if (mode == Mode::standard)
      MPI_Send_init_c(data, count, type, dest, tag, comm, &request);
    else if (mode == Mode::buffered)
      MPI_Bsend_init_c(data, count, type, dest, tag, comm, &request);
    else if (mode == Mode::synchronous)
      MPI_Ssend_init_c(data, count, type, dest, tag, comm, &request);
    else
      MPI_Rsend_init_c(data, count, type, dest, tag, comm, &request);
    return request;
  }
#endif
  (void)twin;
  if (mode == Mode::standard)
    MPI_Send_init(data, count, type, dest, tag, comm, &request);
  else if (mode == Mode::buffered)
    MPI_Bsend_init(data, count, type, dest, tag, comm, &request);
  else if (mode == Mode::synchronous)
    MPI_Ssend_init(data, count, type, dest, tag, comm, &request);
  else
    MPI_Rsend_init(data, count, type, dest, tag, comm, &request);
  return request;
}

inline int receive(Twin twin, void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status* status) {
#if CHECK_MPI_40
  if (twin == Twin::large)
    return MPI_Recv_c(data, count, type, source, tag, comm, status);
#endif
  (void)twin;
  return MPI_Recv(data, count, type, source, tag, comm, status);
}

inline MPI_Request ireceive(Twin twin, void* data, int count, MPI_Datatype type, int source, int tag,
                            MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if CHECK_MPI_40
  if (twin == Twin::large) {
    MPI_Irecv_c(data, count, type, source, tag, comm, &request);
    return request;
  }
#endif
  (void)twin;
  MPI_Irecv(data, count, type, source, tag, comm, &request);
  return request;
}

inline MPI_Request receiveInit(Twin twin, void* data, int count, MPI_Datatype type, int source, int tag,
                               MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if CHECK_MPI_40
  if (twin == Twin::large) {
    MPI_Recv_init_c(data, count, type, source, tag, comm, &request);
    return request;
  }
#endif
  (void)twin;
  MPI_Recv_init(data, count, type, source, tag, comm, &request);
  return request;
}

// Checks source, tag and length in a status, by both forms of MPI_Get_count.
inline void checkStatus(const MPI_Status& status, int source, int tag, std::size_t bytes, const char* file,
                        int line) {
  isEqual(status.MPI_SOURCE, source, "status.MPI_SOURCE", "source", file, line);
  isEqual(status.MPI_TAG, tag, "status.MPI_TAG", "tag", file, line);
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  isEqual(count, static_cast<int>(bytes), "count", "bytes", file, line);
#if CHECK_MPI_40
  MPI_Count largeCount = -1;
  MPI_Get_count_c(&status, MPI_BYTE, &largeCount);
  isEqual(largeCount, static_cast<MPI_Count>(bytes), "largeCount", "bytes", file, line);
#endif
}

// The partner of a pair (0-1, 2-3 ...), or a negative number for the odd one out.
inline int partner() {
  const int other = rank() ^ 1;
  return other < size() ? other : -1;
}

} // namespace check

#define CHECK_STATUS(status, source, tag, bytes)                                                             \
  ::check::checkStatus((status), (source), (tag), (bytes), __FILE__, __LINE__)
