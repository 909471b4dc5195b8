// Threads that make, use and free objects at once: communicators, datatypes, groups, info objects,
// attributes, error handlers; and collectives on different communicators in different threads
// (MPI 4.1, 11.6.1 and 6.14).
#include "test/mpi/threads/Team.h"

using namespace check;

namespace {

constexpr int threads = 4;

// Each thread copies and frees communicators of its own parent.
void copies() {
  std::vector<MPI_Comm> parents(threads);
  for (MPI_Comm& parent : parents)
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  team(threads, [&](int thread) {
    for (int round = 0; round < 25; ++round) {
      MPI_Comm comm;
      if (round % 3 == 0) {
        MPI_Comm_dup(parents[thread], &comm);
      } else if (round % 3 == 1) {
        MPI_Comm_split(parents[thread], 0, rank(), &comm);
      } else {
        MPI_Request request;
        MPI_Comm_idup(parents[thread], &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      const int out = thread * 100 + round;
      int in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, right(), 1, &in, 1, MPI_INT, left(), 1, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(in, thread * 100 + round);
      MPI_Comm_free(&comm);
    }
  });
  for (MPI_Comm& parent : parents)
    MPI_Comm_free(&parent);
}

// MPI_Comm_create_group from several threads on one parent, told apart by the tag (7.4.2).
void createGroup() {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  team(threads, [&](int thread) {
    for (int round = 0; round < 10; ++round) {
      MPI_Comm comm;
      MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &comm);
      const int out = thread * 100 + round;
      int in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, right(), 1, &in, 1, MPI_INT, left(), 1, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(in, thread * 100 + round);
      MPI_Comm_free(&comm);
    }
  });
  MPI_Group_free(&group);
}

// Collectives in each thread on its own communicator.
void collectives() {
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  team(threads, [&](int thread) {
    MPI_Comm comm = comms[static_cast<std::size_t>(thread)];
    for (int round = 0; round < 60; ++round) {
      const long mine = rank() + thread * 1000L;
      long sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
      CHECK_EQ(sum, size() * (size() - 1L) / 2 + thread * 1000L * size());
      int value = rank() == round % size() ? thread * 1000 + round : -1;
      MPI_Bcast(&value, 1, MPI_INT, round % size(), comm);
      CHECK_EQ(value, thread * 1000 + round);
      MPI_Barrier(comm);
    }
  });
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

// Types, groups, info objects, keys: nothing that is shared, all at once.
void localObjects() {
  std::atomic<int> deleted{0};
  const auto count = [](MPI_Comm, int, void*, void* extra) {
    ++*static_cast<std::atomic<int>*>(extra);
    return MPI_SUCCESS;
  };
  MPI_Comm_delete_attr_function* onDelete = +count;
  team(threads, [&](int thread) {
    for (int round = 0; round < 300; ++round) {
      MPI_Datatype vector;
      MPI_Datatype outer;
      MPI_Type_vector(10 + thread, 1, 2, MPI_INT, &vector);
      MPI_Type_contiguous(3, vector, &outer);
      MPI_Type_commit(&outer);
      MPI_Type_free(&vector);
      int bytes = 0;
      MPI_Type_size(outer, &bytes);
      CHECK_EQ(bytes, 3 * 4 * (10 + thread));
      MPI_Type_free(&outer);
      MPI_Group world;
      MPI_Group part;
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      const int first[1] = {0};
      MPI_Group_incl(world, 1, first, &part);
      MPI_Group_size(part, &bytes);
      CHECK_EQ(bytes, 1);
      MPI_Group_free(&part);
      MPI_Group_free(&world);
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Info_set(info, "thread", std::to_string(thread).c_str());
      char value[20];
      int found = 0;
      MPI_Info_get(info, "thread", 19, value, &found);
      CHECK(found);
      CHECK_EQ(std::string(value), std::to_string(thread));
      MPI_Info_free(&info);
      if (round % 10 == 0) {
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onDelete, &key, &deleted);
        MPI_Comm_set_attr(MPI_COMM_WORLD, key, &deleted);
        void* back = nullptr;
        MPI_Comm_get_attr(MPI_COMM_WORLD, key, &back, &found);
        CHECK(found && back == &deleted);
        MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
        MPI_Comm_free_keyval(&key);
      }
    }
  });
  CHECK_EQ(deleted.load(), threads * 30);
}

// Errors in several threads on several communicators reach the right handlers.
std::atomic<int> errors{0};

void onError(MPI_Comm*, int*, ...) {
  ++errors;
}

void errorsInThreads() {
  std::vector<MPI_Comm> comms(threads);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(onError, &handler);
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
  }
  MPI_Errhandler_free(&handler);
  errors = 0;
  team(threads, [&](int thread) {
    for (int round = 0; round < 100; ++round) {
      const int code =
          MPI_Send(&round, 1, MPI_INT, size() + thread, 1, comms[static_cast<std::size_t>(thread)]);
      CHECK_EQ(errorClass(code), MPI_ERR_RANK);
      CHECK(!errorString(code).empty());
      int in = -1;
      MPI_Sendrecv(&round, 1, MPI_INT, right(), 1, &in, 1, MPI_INT, left(), 1,
                   comms[static_cast<std::size_t>(thread)], MPI_STATUS_IGNORE);
      CHECK_EQ(in, round);
    }
  });
  CHECK_EQ(errors.load(), threads * 100);
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

// A derived type that all threads use at once.
void sharedType() {
  MPI_Datatype type;
  MPI_Type_vector(500, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  team(threads, [&](int thread) {
    for (int round = 0; round < 40; ++round) {
      std::vector<int> out(1000, -1);
      std::vector<int> in(1000, -2);
      for (int i = 0; i < 500; ++i)
        out[2 * i] = thread * 100000 + round * 500 + i;
      MPI_Sendrecv(out.data(), 1, type, right(), thread, in.data(), 1, type, left(), thread, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      int wrong = 0;
      for (int i = 0; i < 500; ++i)
        wrong += in[2 * i] != thread * 100000 + round * 500 + i || in[2 * i + 1] != -2;
      CHECK_EQ(wrong, 0);
    }
  });
  MPI_Type_free(&type);
}

} // namespace

int main(int argc, char** argv) {
  initMultiple(&argc, &argv);
  return run(argc, argv,
             {{"copies", copies},
              {"create-group", createGroup},
              {"collectives", collectives},
              {"local-objects", localObjects},
              {"errors-in-threads", errorsInThreads},
              {"shared-type", sharedType}});
}
