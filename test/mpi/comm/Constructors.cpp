// How communicators are made of others (MPI 4.1, 7.4.2 to 7.4.4).
#include "test/mpi/comm/Ring.h"

#include <algorithm>

using namespace check;

namespace {

void duplicates() {
  MPI_Comm copy = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_SUCCESS);
  checkMembers(copy, everybody());
  int result = -1;
  MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
  CHECK_EQ(result, MPI_CONGRUENT);
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(copy, &second);
  MPI_Comm_free(&copy);
  CHECK(copy == MPI_COMM_NULL);
  checkMembers(second, everybody());
  MPI_Comm_free(&second);

  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  checkMembers(alone, {rank()});
  MPI_Comm_free(&alone);
}

// A copy has its error handler and its hints from the parent, but no name.
void inheritance() {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(parent, "parent");
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(hints, "no_such_hint", "1");
  CHECK_EQ(MPI_Comm_set_info(parent, hints), MPI_SUCCESS);
  MPI_Info_free(&hints);

  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_dup(parent, &child);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(parent, 0, 0, &part);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  for (MPI_Comm comm : {child, part}) {
    MPI_Comm_get_errhandler(comm, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    char name[MPI_MAX_OBJECT_NAME] = "x";
    int length = -1;
    MPI_Comm_get_name(comm, name, &length);
    CHECK_EQ(length, 0);
  }
  MPI_Info used = MPI_INFO_NULL;
  MPI_Comm_get_info(child, &used);
  char value[16] = "";
  int flag = 0;
  MPI_Info_get(used, "mpi_assert_no_any_tag", 15, value, &flag);
  CHECK(flag != 0 && std::string(value) == "true");
  MPI_Info_get(used, "no_such_hint", 15, value, &flag);
  CHECK_EQ(flag, 0);
  MPI_Info_free(&used);
  MPI_Comm bare = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(child, MPI_INFO_NULL, &bare);
  MPI_Comm_get_info(bare, &used);
  MPI_Info_get(used, "mpi_assert_no_any_tag", 15, value, &flag);
  CHECK_EQ(flag, 0);
  MPI_Info_free(&used);
  for (MPI_Comm* comm : {&bare, &child, &part, &parent})
    MPI_Comm_free(comm);
}

void splits() {
  const int me = rank();
  const int ranks = size();
  // Every second rank, in reverse order.
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &part);
  std::vector<int> members;
  for (int other = ranks - 1; other >= 0; --other)
    if (other % 2 == me % 2)
      members.push_back(other);
  checkMembers(part, members);
  MPI_Comm_free(&part);

  // Equal keys leave the order of ranks.
  MPI_Comm_split(MPI_COMM_WORLD, 1000000, 5, &part);
  checkMembers(part, everybody());
  MPI_Comm_free(&part);

  // Keys in no order, with ties; rank 0 takes no part.
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 3, (me * 7) % 3, &part);
  CHECK_EQ(part == MPI_COMM_NULL, me == 0);
  if (me != 0) {
    members.clear();
    for (int other = 1; other < ranks; ++other)
      members.push_back(other);
    std::stable_sort(members.begin(), members.end(), [](int a, int b) { return (a * 7) % 3 < (b * 7) % 3; });
    checkMembers(part, members);
    MPI_Comm_free(&part);
  }

  // A part of a part.
  MPI_Comm outer = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me < ranks / 2, 0, &outer);
  MPI_Comm_split(outer, rankIn(outer) % 2, 0, &part);
  members.clear();
  int number = 0;
  for (int other = 0; other < ranks; ++other)
    if ((other < ranks / 2) == (me < ranks / 2) && number++ % 2 == rankIn(outer) % 2)
      members.push_back(other);
  checkMembers(part, members);
  MPI_Comm_free(&part);
  MPI_Comm_free(&outer);
}

void nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), MPI_SUCCESS);
  // The tests run on one machine.
  checkMembers(node, everybody());
  MPI_Comm_free(&node);
  MPI_Comm_split_type(MPI_COMM_WORLD, rank() == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &node);
  CHECK_EQ(node == MPI_COMM_NULL, rank() == 0);
  if (node != MPI_COMM_NULL)
    MPI_Comm_free(&node);
}

void fromGroups() {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  // The first half, backwards; the others give their own half.
  const int me = rank();
  const bool lower = me < size() / 2;
  std::vector<int> members;
  for (int other = size() - 1; other >= 0; --other)
    if ((other < size() / 2) == lower)
      members.push_back(other);
  MPI_Group half = MPI_GROUP_NULL;
  MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &half);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, half, &comm);
  checkMembers(comm, members);
  MPI_Comm_free(&comm);

  // The same among the members alone, both halves at the same time, with one tag.
  MPI_Comm_create_group(MPI_COMM_WORLD, half, 5, &comm);
  checkMembers(comm, members);
  MPI_Comm_free(&comm);

  // Only one half makes one; the others do something else meanwhile.
  if (lower) {
    MPI_Comm_create_group(MPI_COMM_WORLD, half, 8388607, &comm);
    checkMembers(comm, members);
    MPI_Comm_free(&comm);
  }
  // No members.
  MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
  CHECK(comm == MPI_COMM_NULL);
  MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 1, &comm);
  CHECK(comm == MPI_COMM_NULL);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
}

// The program's receive for any message must not see what the library sends to create the group.
void groupCreationIsNotSeen() {
  const int me = rank();
  int value = -1;
  MPI_Request any = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm comm = MPI_COMM_NULL;
  for (int tag = 0; tag < 5; ++tag) {
    MPI_Comm_create_group(MPI_COMM_WORLD, world, tag, &comm);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world);
  const int out = 100 + me;
  MPI_Send(&out, 1, MPI_INT, (me + 1) % size(), 3, MPI_COMM_WORLD);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
  CHECK_EQ(value, 100 + (me + size() - 1) % size());
}

struct Copies {
  int copied = 0;
  int deleted = 0;
};

int copyAttribute(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  ++static_cast<Copies*>(extra)->copied;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  // A callback may ask the library things.
  int asked = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &asked);
  return MPI_SUCCESS;
}

int refuseCopy(MPI_Comm, int, void*, void*, void*, int*) {
  return MPI_ERR_OTHER;
}

int deleteAttribute(MPI_Comm, int, void*, void* extra) {
  ++static_cast<Copies*>(extra)->deleted;
  return MPI_SUCCESS;
}

void attributes() {
  Copies copies;
  char memory[8];
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copyAttribute, deleteAttribute, &key, &copies);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_attr(parent, key, memory);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(parent, &copy);
  void* value = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(flag != 0 && value == memory + 1);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(copy, &other, &request);
  CHECK_EQ(copies.copied, 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(other, key, &value, &flag);
  CHECK(flag != 0 && value == memory + 2);
  MPI_Comm_free(&other);
  CHECK_EQ(copies.deleted, 1);
  // Split takes no attributes along.
  MPI_Comm_split(copy, 0, 0, &other);
  MPI_Comm_get_attr(other, key, &value, &flag);
  CHECK_EQ(flag, 0);
  MPI_Comm_free(&other);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&parent);
  CHECK_EQ(copies.deleted, 3);
  MPI_Comm_free_keyval(&key);
}

// A copy callback that fails at all ranks makes the duplication fail, and the next one works.
void refusedCopy() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(refuseCopy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  {
    const ReturningComm parent;
    MPI_Comm_set_attr(parent, key, nullptr);
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK(MPI_Comm_dup(parent, &copy) != MPI_SUCCESS);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(MPI_Comm_idup(parent, &copy, &request) != MPI_SUCCESS);
    MPI_Comm_delete_attr(parent, key);
    CHECK_EQ(MPI_Comm_dup(parent, &copy), MPI_SUCCESS);
    checkMembers(copy, everybody());
    MPI_Comm_free(&copy);
  }
  MPI_Comm_free_keyval(&key);
}

// Receives that were posted before the communicator was freed end as if it had not been.
void freeWhilePending() {
  const int me = rank();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> in(50000, -1);
  const std::vector<int> out(in.size(), me);
  MPI_Request requests[3];
  MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_INT, (me + size() - 1) % size(), 4, comm,
            &requests[0]);
  MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_INT, (me + 1) % size(), 4, comm, &requests[1]);
  int sum = -1;
  const int one = 1;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]);
  MPI_Comm_free(&comm);
  // Others with the same members meanwhile: they must get other contexts.
  for (int i = 0; i < 20; ++i) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    checkMembers(other, everybody());
    MPI_Comm_free(&other);
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  CHECK_EQ(in.front(), (me + size() - 1) % size());
  CHECK_EQ(in.back(), (me + size() - 1) % size());
  CHECK_EQ(sum, size());
}

void badArguments() {
  const ReturningComm comm;
  MPI_Comm made = MPI_COMM_NULL;
  CHECK_EQ(errorClass(MPI_Comm_split(comm, -5, 0, &made)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_split_type(comm, 12345, 0, MPI_INFO_NULL, &made)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_create(comm, MPI_GROUP_NULL, &made)), MPI_ERR_GROUP);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &world);
  CHECK_EQ(errorClass(MPI_Comm_create_group(comm, world, -1, &made)), MPI_ERR_TAG);
  if (size() > 1) {
    // A group that is not within the communicator.
    MPI_Comm self = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    CHECK_EQ(errorClass(MPI_Comm_create(self, world, &made)), MPI_ERR_GROUP);
    CHECK_EQ(errorClass(MPI_Comm_create_group(self, world, 1, &made)), MPI_ERR_GROUP);
    MPI_Comm_free(&self);
  }
  MPI_Group_free(&world);

  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (MPI_Comm fixed : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Comm handle = fixed;
    CHECK_EQ(errorClass(MPI_Comm_free(&handle)), MPI_ERR_COMM);
    CHECK(handle == fixed);
  }
  MPI_Comm null = MPI_COMM_NULL;
  CHECK_EQ(errorClass(MPI_Comm_free(&null)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Comm_dup(MPI_COMM_NULL, &made)), MPI_ERR_COMM);
  MPI_Comm stale = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &stale);
  MPI_Comm copyOfHandle = stale;
  MPI_Comm_free(&stale);
  CHECK_EQ(errorClass(MPI_Comm_dup(copyOfHandle, &made)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Comm_free(&copyOfHandle)), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  // Nothing is broken.
  checkMembers(comm, everybody());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"duplicates", duplicates},
              {"inheritance", inheritance},
              {"splits", splits},
              {"nodes", nodes},
              {"groups", fromGroups, 2},
              {"group creation is not seen", groupCreationIsNotSeen},
              {"attributes", attributes},
              {"refused copy", refusedCopy},
              {"free while pending", freeWhilePending},
              {"bad arguments", badArguments}});
}
