// Bad arguments of the point-to-point calls: each gives its class and text, and nothing is sent or lost.
#include "test/mpi/args/Expect.h"
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

int value[4] = {1, 2, 3, 4};

const char* sendName(Mode mode, bool immediate, bool init, Twin twin) {
  static std::string name;
  const char* letter = mode == Mode::standard      ? ""
                       : mode == Mode::buffered    ? "b"
                       : mode == Mode::synchronous ? "s"
                                                   : "r";
  name = std::string("MPI_") + (immediate ? "I" : "") + letter + "send" + (init ? "_init" : "");
  name[4] = static_cast<char>(std::toupper(name[4]));
  if (twin == Twin::large)
    name += "_c";
  return name.c_str();
}

// One call of each send function with the given arguments; the request, if one came out, is freed.
int callSend(Mode mode, int form, Twin twin, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (form == 0)
    return send(mode, twin, value, count, type, dest, tag, comm);
  const bool init = form == 2;
#if CHECK_MPI_40
  if (twin == Twin::large) {
    if (mode == Mode::standard)
      code = init ? MPI_Send_init_c(value, count, type, dest, tag, comm, &request)
                  : MPI_Isend_c(value, count, type, dest, tag, comm, &request);
    else if (mode == Mode::buffered)
      code = init ? MPI_Bsend_init_c(value, count, type, dest, tag, comm, &request)
                  : MPI_Ibsend_c(value, count, type, dest, tag, comm, &request);
    else if (mode == Mode::synchronous)
      code = init ? MPI_Ssend_init_c(value, count, type, dest, tag, comm, &request)
                  : MPI_Issend_c(value, count, type, dest, tag, comm, &request);
    else
      code = init ? MPI_Rsend_init_c(value, count, type, dest, tag, comm, &request)
                  : MPI_Irsend_c(value, count, type, dest, tag, comm, &request);
    return code;
  }
#endif
  if (mode == Mode::standard)
    code = init ? MPI_Send_init(value, count, type, dest, tag, comm, &request)
                : MPI_Isend(value, count, type, dest, tag, comm, &request);
  else if (mode == Mode::buffered)
    code = init ? MPI_Bsend_init(value, count, type, dest, tag, comm, &request)
                : MPI_Ibsend(value, count, type, dest, tag, comm, &request);
  else if (mode == Mode::synchronous)
    code = init ? MPI_Ssend_init(value, count, type, dest, tag, comm, &request)
                : MPI_Issend(value, count, type, dest, tag, comm, &request);
  else
    code = init ? MPI_Rsend_init(value, count, type, dest, tag, comm, &request)
                : MPI_Irsend(value, count, type, dest, tag, comm, &request);
  return code;
}

int tagLimit() {
  int* limit = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  return found ? *limit : 32767;
}

void sends() {
  const ReturningComm comm;
  const int me = rank();
  const int limit = tagLimit();
  const std::string outside = std::to_string(size() + 3);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  for (Mode mode : allModes())
    for (int form = 0; form < 3; ++form)
      for (Twin twin : twins()) {
        const char* name = sendName(mode, form == 1, form == 2, twin);
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, size() + 3, 1, comm), MPI_ERR_RANK,
                     {name, "rank", outside.c_str()});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, -5000, 1, comm), MPI_ERR_RANK, {name, "-5000"});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm), MPI_ERR_RANK, {name});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, me, -4711, comm), MPI_ERR_TAG,
                     {name, "tag", "-4711"});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, me, MPI_ANY_TAG, comm), MPI_ERR_TAG,
                     {name, "tag"});
        if (limit < 2147483647)
          EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, me, limit + 1, comm), MPI_ERR_TAG,
                       {name, "tag", std::to_string(limit + 1).c_str()});
        EXPECT_ERROR(callSend(mode, form, twin, -3, MPI_INT, me, 1, comm), MPI_ERR_COUNT,
                     {name, "count", "-3"});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_DATATYPE_NULL, me, 1, comm), MPI_ERR_TYPE,
                     {name, "type"});
        EXPECT_ERROR(callSend(mode, form, twin, 1, uncommitted, me, 1, comm), MPI_ERR_TYPE, {name, "commit"});
        EXPECT_ERROR(callSend(mode, form, twin, 1, MPI_INT, me, 1, MPI_COMM_NULL), MPI_ERR_COMM,
                     {name, "comm"});
      }
  MPI_Type_free(&uncommitted);
  int found = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
  CHECK(!found);
  MPI_Barrier(comm); // what follows sends messages, which a slower rank must not find
  STILL_WORKS(comm);
}

// The largest allowed tag is allowed.
void largestTag() {
  const ReturningComm comm;
  const int limit = tagLimit();
  CHECK(limit >= 32767);
  int in = -1;
  MPI_Status status;
  MPI_Sendrecv(value, 1, MPI_INT, (rank() + 1) % size(), limit, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               comm, &status);
  CHECK_EQ(status.MPI_TAG, limit);
  CHECK_EQ(in, 1);
}

void receives() {
  const ReturningComm comm;
  const int me = rank();
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  int in[4];
  const auto call = [&](int form, int count, MPI_Datatype type, int source, int tag, MPI_Comm on) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == 0)
      return MPI_Recv(in, count, type, source, tag, on, MPI_STATUS_IGNORE);
    if (form == 1)
      return MPI_Irecv(in, count, type, source, tag, on, &request);
#if CHECK_MPI_40
    if (form == 3)
      return MPI_Recv_c(in, count, type, source, tag, on, MPI_STATUS_IGNORE);
    if (form == 4)
      return MPI_Irecv_c(in, count, type, source, tag, on, &request);
    if (form == 5)
      return MPI_Recv_init_c(in, count, type, source, tag, on, &request);
#endif
    return MPI_Recv_init(in, count, type, source, tag, on, &request);
  };
  const char* names[] = {"MPI_Recv",   "MPI_Irecv",   "MPI_Recv_init",
                         "MPI_Recv_c", "MPI_Irecv_c", "MPI_Recv_init_c"};
  for (int form = 0; form < (CHECK_MPI_40 ? 6 : 3); ++form) {
    const char* name = names[form];
    EXPECT_ERROR(call(form, 1, MPI_INT, size(), 1, comm), MPI_ERR_RANK,
                 {name, std::to_string(size()).c_str()});
    EXPECT_ERROR(call(form, 1, MPI_INT, -5000, 1, comm), MPI_ERR_RANK, {name, "-5000"});
    EXPECT_ERROR(call(form, 1, MPI_INT, me, -4711, comm), MPI_ERR_TAG, {name, "-4711"});
    EXPECT_ERROR(call(form, -3, MPI_INT, me, 1, comm), MPI_ERR_COUNT, {name, "-3"});
    EXPECT_ERROR(call(form, 1, MPI_DATATYPE_NULL, me, 1, comm), MPI_ERR_TYPE, {name});
    EXPECT_ERROR(call(form, 1, uncommitted, me, 1, comm), MPI_ERR_TYPE, {name, "commit"});
    EXPECT_ERROR(call(form, 1, MPI_INT, me, 1, MPI_COMM_NULL), MPI_ERR_COMM, {name});
  }
  MPI_Type_free(&uncommitted);
  STILL_WORKS(comm);
}

void probes() {
  const ReturningComm comm;
  MPI_Message message = MPI_MESSAGE_NULL;
  int found = 0;
  EXPECT_ERROR(MPI_Probe(size(), 1, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK, {"MPI_Probe"});
  EXPECT_ERROR(MPI_Probe(0, -9, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG, {"MPI_Probe", "-9"});
  EXPECT_ERROR(MPI_Probe(0, 1, MPI_COMM_NULL, MPI_STATUS_IGNORE), MPI_ERR_COMM, {"MPI_Probe"});
  EXPECT_ERROR(MPI_Iprobe(-77, 1, comm, &found, MPI_STATUS_IGNORE), MPI_ERR_RANK, {"MPI_Iprobe", "-77"});
  EXPECT_ERROR(MPI_Iprobe(0, -9, comm, &found, MPI_STATUS_IGNORE), MPI_ERR_TAG, {"MPI_Iprobe"});
  EXPECT_ERROR(MPI_Mprobe(size(), 1, comm, &message, MPI_STATUS_IGNORE), MPI_ERR_RANK, {"MPI_Mprobe"});
  EXPECT_ERROR(MPI_Improbe(0, -9, comm, &found, &message, MPI_STATUS_IGNORE), MPI_ERR_TAG, {"MPI_Improbe"});
  STILL_WORKS(comm);
}

void exchanges() {
  const ReturningComm comm;
  const int me = rank();
  int in = 0;
  EXPECT_ERROR(MPI_Sendrecv(value, 1, MPI_INT, size(), 1, &in, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE),
               MPI_ERR_RANK, {"MPI_Sendrecv"});
  EXPECT_ERROR(MPI_Sendrecv(value, 1, MPI_INT, me, 1, &in, 1, MPI_INT, size(), 1, comm, MPI_STATUS_IGNORE),
               MPI_ERR_RANK, {"MPI_Sendrecv"});
  EXPECT_ERROR(
      MPI_Sendrecv(value, 1, MPI_INT, me, MPI_ANY_TAG, &in, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE),
      MPI_ERR_TAG, {"MPI_Sendrecv"});
  EXPECT_ERROR(MPI_Sendrecv(value, -1, MPI_INT, me, 1, &in, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE),
               MPI_ERR_COUNT, {"MPI_Sendrecv", "-1"});
  EXPECT_ERROR(MPI_Sendrecv(value, 1, MPI_INT, me, 1, &in, -1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE),
               MPI_ERR_COUNT, {"MPI_Sendrecv", "-1"});
  EXPECT_ERROR(
      MPI_Sendrecv(value, 1, MPI_DATATYPE_NULL, me, 1, &in, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE),
      MPI_ERR_TYPE, {"MPI_Sendrecv"});
  EXPECT_ERROR(MPI_Sendrecv_replace(value, 1, MPI_INT, size(), 1, me, 1, comm, MPI_STATUS_IGNORE),
               MPI_ERR_RANK, {"MPI_Sendrecv_replace"});
  EXPECT_ERROR(MPI_Sendrecv_replace(value, 1, MPI_INT, me, -9, me, 1, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG,
               {"MPI_Sendrecv_replace", "-9"});
#if CHECK_MPI_40
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_ERROR(MPI_Isendrecv(value, 1, MPI_INT, size(), 1, &in, 1, MPI_INT, me, 1, comm, &request),
               MPI_ERR_RANK, {"MPI_Isendrecv"});
  EXPECT_ERROR(MPI_Isendrecv_replace(value, 1, MPI_INT, me, 1, me, -9, comm, &request), MPI_ERR_TAG,
               {"MPI_Isendrecv_replace", "-9"});
#endif
  int found = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
  CHECK(!found);
  MPI_Barrier(comm); // what follows sends messages, which a slower rank must not find
  CHECK_EQ(value[0], 1);
  STILL_WORKS(comm);
}

// Constants that are no buffers. Other libraries may crash on these, and may take a null buffer for
// MPI_BOTTOM.
void noBuffers() {
  if (!isMpl())
    return;
  const ReturningComm comm;
  int in = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_ERROR(MPI_Send(nullptr, 1, MPI_INT, rank(), 1, comm), MPI_ERR_BUFFER, {"MPI_Send", "null"});
  EXPECT_ERROR(MPI_Recv(nullptr, 1, MPI_INT, rank(), 1, comm, MPI_STATUS_IGNORE), MPI_ERR_BUFFER,
               {"MPI_Recv"});
  EXPECT_ERROR(MPI_Isend(MPI_IN_PLACE, 1, MPI_INT, rank(), 1, comm, &request), MPI_ERR_BUFFER, {"MPI_Isend"});
  EXPECT_ERROR(
      MPI_Sendrecv(nullptr, 1, MPI_INT, rank(), 1, &in, 1, MPI_INT, rank(), 1, comm, MPI_STATUS_IGNORE),
      MPI_ERR_BUFFER, {"MPI_Sendrecv"});
  STILL_WORKS(comm);
}

// Handles that were freed, and values that never were handles. Other libraries may crash on these.
void deadHandles() {
  if (!isMpl())
    return;
  const ReturningComm comm;
  const int me = rank();
  MPI_Comm freedComm;
  MPI_Comm_dup(MPI_COMM_WORLD, &freedComm);
  const MPI_Comm deadComm = freedComm;
  MPI_Comm_free(&freedComm);
  MPI_Datatype freedType;
  MPI_Type_contiguous(3, MPI_INT, &freedType);
  MPI_Type_commit(&freedType);
  const MPI_Datatype deadType = freedType;
  MPI_Type_free(&freedType);
  EXPECT_ERROR(MPI_Send(value, 1, MPI_INT, me, 1, deadComm), MPI_ERR_COMM, {"MPI_Send", "comm"});
  EXPECT_ERROR(MPI_Recv(value, 1, MPI_INT, me, 1, deadComm, MPI_STATUS_IGNORE), MPI_ERR_COMM, {"MPI_Recv"});
  EXPECT_ERROR(MPI_Send(value, 1, deadType, me, 1, comm), MPI_ERR_TYPE, {"MPI_Send", "type"});
  EXPECT_ERROR(MPI_Recv(value, 1, deadType, me, 1, comm, MPI_STATUS_IGNORE), MPI_ERR_TYPE, {"MPI_Recv"});
  for (std::uintptr_t bits : {std::uintptr_t{0x7}, std::uintptr_t{0x555555}, std::uintptr_t{0xFFF},
                              std::uintptr_t{0xDEADBEEF00}, ~std::uintptr_t{0}}) {
    MPI_Comm noComm;
    MPI_Datatype noType;
    std::memcpy(&noComm, &bits, sizeof noComm);
    std::memcpy(&noType, &bits, sizeof noType);
    EXPECT_ERROR(MPI_Send(value, 1, MPI_INT, me, 1, noComm), MPI_ERR_COMM, {"MPI_Send"});
    EXPECT_ERROR(MPI_Send(value, 1, noType, me, 1, comm), MPI_ERR_TYPE, {"MPI_Send"});
    int ranks = 0;
    EXPECT_ERROR(MPI_Comm_size(noComm, &ranks), MPI_ERR_COMM, {"MPI_Comm_size"});
  }
  // Handles of another kind.
  MPI_Comm wrongKind;
  const MPI_Datatype type = MPI_INT;
  std::memcpy(&wrongKind, &type, sizeof wrongKind);
  EXPECT_ERROR(MPI_Send(value, 1, MPI_INT, me, 1, wrongKind), MPI_ERR_COMM, {"MPI_Send"});
  STILL_WORKS(comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  returnAllErrors();
  return run(argc, argv,
             {{"sends", sends},
              {"largest-tag", largestTag},
              {"receives", receives},
              {"probes", probes},
              {"exchanges", exchanges},
              {"no-buffers", noBuffers},
              {"dead-handles", deadHandles}});
}
