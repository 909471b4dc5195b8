/* What C programs do with mpi.h. It is compiled by header-test, never run. */
#include <mpi.h>

#ifndef MPI_VERSION
#error MPI_VERSION is tested with ifdef by programs
#endif
#if MPI_VERSION < 5 || MPI_THREAD_MULTIPLE <= MPI_THREAD_SERIALIZED
#error integer constants can be used by the preprocessor
#endif

static char processorName[MPI_MAX_PROCESSOR_NAME];
static MPI_Comm const communicators[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
static MPI_Datatype types[2] = {MPI_INT, MPI_LONG_LONG_INT};

static int copyAttribute(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void onError(MPI_Comm* comm, int* code, ...) {
  int size = 0;
  MPI_Error_string(*code, processorName, &size);
  MPI_Abort(*comm, *code);
}

static void sum(void* in, void* inOut, int* length, MPI_Datatype* type) {
  int i;
  (void)type;
  for (i = 0; i < *length; ++i)
    ((int*)inOut)[i] += ((int*)in)[i];
}

static const char* nameOf(int value) {
  switch (value) {
  case MPI_SUCCESS:
    return "success";
  case MPI_ERR_RANK:
    return "rank";
  case MPI_ANY_SOURCE:
    return "any source";
  case MPI_UNDEFINED:
    return "undefined";
  default:
    return value == MPI_PROC_NULL ? "no process" : "other";
  }
}

int main(int argc, char** argv) {
  int rank, keyval, color;
  const int data[2] = {1, 2};
  MPI_Aint displacements[2] = {0, 8};
  MPI_Errhandler handler;
  MPI_Op op;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Count count;
  MPI_File file = MPI_FILE_NULL;
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm) = PMPI_Send;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(communicators[0], &rank);
  color = rank < 2 ? rank : MPI_UNDEFINED;
  send(data, 2, types[0], rank == 0 ? MPI_PROC_NULL : rank - 1, color == MPI_UNDEFINED ? MPI_ERR_TAG : 0,
       MPI_COMM_WORLD);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  if (message != MPI_MESSAGE_NO_PROC && MPI_ERR_COMM != MPI_UNDEFINED)
    MPI_Mrecv(MPI_BOTTOM, 0, MPI_BYTE, &message, &status);
  MPI_Get_count_c(&status, MPI_INT, &count);
  MPI_Type_create_hindexed(2, data, displacements, MPI_INT, types);
  MPI_Comm_create_errhandler(onError, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_create_keyval(copyAttribute, MPI_COMM_NULL_DELETE_FN, &keyval, (void*)0);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, (void*)0);
  MPI_Op_create(sum, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Pcontrol(1, "with", "more", 3);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (file == MPI_FILE_NULL)
    MPI_Send(nameOf(status.MPI_ERROR), 1, MPI_CHAR, MPI_ROOT, 0, MPI_COMM_NULL);
  return MPI_Finalize();
}
