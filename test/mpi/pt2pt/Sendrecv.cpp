// MPI_Sendrecv, MPI_Isendrecv and their _replace forms (MPI 4.1, 3.10).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

enum class Form { blocking, immediate };

std::vector<Form> forms() {
#if CHECK_MPI_40
  return {Form::blocking, Form::immediate};
#else
  return {Form::blocking};
#endif
}

struct Side {
  void* data;
  int count;
  MPI_Datatype type;
  int rank;
  int tag;
};

MPI_Status exchange(Form form, Twin twin, Side out, Side in, MPI_Comm comm) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  (void)request;
  (void)twin;
#if CHECK_MPI_40
  if (form == Form::immediate) {
    if (twin == Twin::large)
      MPI_Isendrecv_c(out.data, out.count, out.type, out.rank, out.tag, in.data, in.count, in.type, in.rank,
                      in.tag, comm, &request);
    else
      MPI_Isendrecv(out.data, out.count, out.type, out.rank, out.tag, in.data, in.count, in.type, in.rank,
                    in.tag, comm, &request);
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    return status;
  }
  if (twin == Twin::large) {
    MPI_Sendrecv_c(out.data, out.count, out.type, out.rank, out.tag, in.data, in.count, in.type, in.rank,
                   in.tag, comm, &status);
    return status;
  }
#endif
  CHECK(form == Form::blocking);
  MPI_Sendrecv(out.data, out.count, out.type, out.rank, out.tag, in.data, in.count, in.type, in.rank, in.tag,
               comm, &status);
  return status;
}

MPI_Status replace(Form form, Twin twin, void* data, int count, MPI_Datatype type, int dest, int sendTag,
                   int source, int receiveTag, MPI_Comm comm) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  (void)request;
  (void)twin;
#if CHECK_MPI_40
  if (form == Form::immediate) {
    if (twin == Twin::large)
      MPI_Isendrecv_replace_c(data, count, type, dest, sendTag, source, receiveTag, comm, &request);
    else
      MPI_Isendrecv_replace(data, count, type, dest, sendTag, source, receiveTag, comm, &request);
    MPI_Wait(&request, &status);
    return status;
  }
  if (twin == Twin::large) {
    MPI_Sendrecv_replace_c(data, count, type, dest, sendTag, source, receiveTag, comm, &status);
    return status;
  }
#endif
  CHECK(form == Form::blocking);
  MPI_Sendrecv_replace(data, count, type, dest, sendTag, source, receiveTag, comm, &status);
  return status;
}

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

void ring() {
  for (Form form : forms())
    for (Twin twin : twins())
      for (std::size_t bytes : fewSizes()) {
        Guarded in(bytes);
        Guarded out(bytes);
        out.fillWith(static_cast<std::uint64_t>(rank()));
        const MPI_Status status = exchange(form, twin, {out.data(), out.count(), MPI_BYTE, right(), 3},
                                           {in.data(), in.count(), MPI_BYTE, left(), 3}, MPI_COMM_WORLD);
        CHECK_STATUS(status, left(), 3, bytes);
        CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), bytes);
        CHECK(in.intact());
      }
}

void ringReplace() {
  for (Form form : forms())
    for (Twin twin : twins())
      for (std::size_t bytes : fewSizes()) {
        Guarded data(bytes);
        data.fillWith(static_cast<std::uint64_t>(rank()));
        const MPI_Status status =
            replace(form, twin, data.data(), data.count(), MPI_BYTE, right(), 4, left(), 4, MPI_COMM_WORLD);
        CHECK_STATUS(status, left(), 4, bytes);
        CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(left())), bytes);
        CHECK(data.intact());
      }
}

// Both halves differ in type, count, tag and direction; the lengths need not be the same.
void unlikeHalves() {
  for (Form form : forms())
    for (Twin twin : twins()) {
      int out[6] = {rank(), 1, 2, 3, 4, 5};
      int in[12];
      std::fill(in, in + 12, -1);
      MPI_Datatype everySecond;
      MPI_Type_vector(6, 1, 2, MPI_INT, &everySecond);
      MPI_Type_commit(&everySecond);
      const int count = 2 + rank() % 4;
      const int wanted = 2 + left() % 4;
      const MPI_Status status = exchange(form, twin, {out, count, MPI_INT, right(), 100 + rank()},
                                         {in, 1, everySecond, left(), MPI_ANY_TAG}, MPI_COMM_WORLD);
      CHECK_EQ(status.MPI_SOURCE, left());
      CHECK_EQ(status.MPI_TAG, 100 + left());
      int elements = 0;
      MPI_Get_elements(&status, everySecond, &elements);
      CHECK_EQ(elements, wanted);
      for (int i = 0; i < 6; ++i) {
        CHECK_EQ(in[2 * i], i >= wanted ? -1 : i == 0 ? left() : i);
        CHECK_EQ(in[2 * i + 1], -1);
      }
      MPI_Type_free(&everySecond);
    }
}

// The replace forms with a strided type must not touch the gaps.
void replaceStrided() {
  for (Form form : forms())
    for (Twin twin : twins())
      for (int blocks : {3, 2000, 100000}) {
        MPI_Datatype type;
        MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        std::vector<int> data(static_cast<std::size_t>(2 * blocks));
        for (int i = 0; i < 2 * blocks; ++i)
          data[i] = i % 2 ? -7 : rank() * 1000000 + i;
        replace(form, twin, data.data(), 1, type, right(), 5, left(), 5, MPI_COMM_WORLD);
        int wrong = 0;
        for (int i = 0; i < 2 * blocks; ++i)
          wrong += data[i] != (i % 2 ? -7 : left() * 1000000 + i);
        CHECK_EQ(wrong, 0);
        MPI_Type_free(&type);
      }
}

// The replace forms where less arrives than was sent: the rest of the buffer keeps what was there.
void replaceShorter() {
  const int other = partner();
  if (other < 0)
    return;
  for (Form form : forms()) {
    int data[8];
    for (int i = 0; i < 8; ++i)
      data[i] = rank() * 10 + i;
    MPI_Status status;
    if (rank() % 2) {
      MPI_Request request;
      int shorter[3] = {100, 101, 102};
      MPI_Irecv(data, 8, MPI_INT, other, 6, MPI_COMM_WORLD, &request);
      MPI_Send(shorter, 3, MPI_INT, other, 6, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      CHECK_STATUS(status, other, 6, 8 * sizeof(int));
      CHECK_EQ(data[7], other * 10 + 7);
    } else {
      status = replace(form, Twin::small, data, 8, MPI_INT, other, 6, other, 6, MPI_COMM_WORLD);
      CHECK_STATUS(status, other, 6, 3 * sizeof(int));
      for (int i = 0; i < 8; ++i)
        CHECK_EQ(data[i], i < 3 ? 100 + i : rank() * 10 + i);
    }
  }
}

void procNull() {
  for (Form form : forms())
    for (Twin twin : twins()) {
      int out = 5 + rank();
      int in = -1;
      // A line instead of a ring: the ends talk to MPI_PROC_NULL.
      const int up = rank() + 1 < size() ? rank() + 1 : MPI_PROC_NULL;
      const int down = rank() > 0 ? rank() - 1 : MPI_PROC_NULL;
      MPI_Status status =
          exchange(form, twin, {&out, 1, MPI_INT, up, 7}, {&in, 1, MPI_INT, down, 7}, MPI_COMM_WORLD);
      if (down == MPI_PROC_NULL) {
        CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0u);
        CHECK_EQ(in, -1);
      } else {
        CHECK_STATUS(status, down, 7, sizeof(int));
        CHECK_EQ(in, 5 + down);
      }
      int both = 9 + rank();
      status = replace(form, twin, &both, 1, MPI_INT, down, 8, up, 8, MPI_COMM_WORLD);
      if (up == MPI_PROC_NULL) {
        CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0u);
        CHECK_EQ(both, 9 + rank());
      } else {
        CHECK_STATUS(status, up, 8, sizeof(int));
        CHECK_EQ(both, 9 + up);
      }
    }
}

// A send of one call may be received by any receive, and its receive may take any send (MPI 4.1, 3.10).
void mixesWithOthers() {
  const int other = partner();
  if (other < 0)
    return;
  for (Form form : forms())
    for (std::size_t bytes : fewSizes()) {
      Guarded in(bytes);
      Guarded out(bytes);
      out.fillWith(static_cast<std::uint64_t>(rank()));
      if (rank() % 2) {
        MPI_Request request;
        MPI_Irecv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request);
        MPI_Ssend(out.data(), out.count(), MPI_BYTE, other, 10, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        exchange(form, Twin::small, {out.data(), out.count(), MPI_BYTE, other, 9},
                 {in.data(), in.count(), MPI_BYTE, other, 10}, MPI_COMM_WORLD);
      }
      CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(other)), bytes);
    }
}

#if CHECK_MPI_40
// Many exchanges under way at once, completed in reverse order.
void manyImmediate() {
  constexpr int many = 50;
  std::vector<Guarded> data(many, Guarded(20000));
  std::vector<MPI_Request> requests(many);
  for (int i = 0; i < many; ++i) {
    data[i].fillWith(static_cast<std::uint64_t>(rank() * 100 + i));
    MPI_Isendrecv_replace(data[i].data(), 20000, MPI_BYTE, right(), i, left(), i, MPI_COMM_WORLD,
                          &requests[i]);
  }
  for (int i = many - 1; i >= 0; --i) {
    MPI_Status status;
    MPI_Wait(&requests[i], &status);
    CHECK_STATUS(status, left(), i, 20000u);
    CHECK_EQ(data[i].wrongAt(static_cast<std::uint64_t>(left() * 100 + i)), data[i].bytes());
  }
}

// By test and waitany as well, and freed while under way.
void immediateByOtherCompletions() {
  int out[3] = {rank(), rank() + 10, rank() + 20};
  int in[3] = {-1, -1, -1};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i)
    MPI_Isendrecv(&out[i], 1, MPI_INT, right(), i, &in[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD,
                  &requests[i]);
  int done = 0;
  MPI_Status status;
  while (!done)
    MPI_Test(&requests[1], &done, &status);
  CHECK_STATUS(status, left(), 1, sizeof(int));
  for (int i = 0; i < 2; ++i) {
    int index = -1;
    MPI_Waitany(3, requests, &index, &status);
    CHECK(index == 0 || index == 2);
    CHECK_STATUS(status, left(), index, sizeof(int));
  }
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(in[i], left() + 10 * i);
}
#endif

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {
    {"ring", ring}, {"ring-replace", ringReplace}, {"unlike-halves", unlikeHalves},
        {"replace-strided", replaceStrided}, {"replace-shorter", replaceShorter, 2}, {"proc-null", procNull},
        {"mixes-with-others", mixesWithOthers, 2},
#if CHECK_MPI_40
        {"many-immediate", manyImmediate}, {
      "immediate-by-other-completions", immediateByOtherCompletions
    }
#endif
  });
}
