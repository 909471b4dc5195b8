// What C++ programs do with mpi.h, beyond what is in header-use.c. It is compiled by header-test, never run.
#include <algorithm>
#include <mpi.h>
#include <type_traits>
#include <vector>
extern "C" {
#include <mpi.h>
}

static_assert(sizeof(MPI_Status) == 32 && std::is_trivially_copyable_v<MPI_Status>);
static_assert(std::is_standard_layout_v<MPI_Status>);
static_assert(!std::is_same_v<MPI_Comm, MPI_Group>);

namespace {

// A constant that is deduced as int is what programs expect here.
template <class T> constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

const char* nameOf(MPI_Comm) {
  return "communicator";
}
const char* nameOf(MPI_Group) {
  return "group";
}

class Communicator {
public:
  explicit Communicator(MPI_Comm comm = MPI_COMM_NULL) : comm_(comm) {}
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL && comm_ != MPI_COMM_WORLD)
      MPI_Comm_free(&comm_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

private:
  MPI_Comm comm_;
};

} // namespace

int main() {
  auto tag = MPI_ANY_TAG;
  tag = larger(tag, MPI_PROC_NULL) + std::max(tag, MPI_ANY_SOURCE);
  std::vector<int> ranks(3, MPI_PROC_NULL);
  std::vector<MPI_Request> requests(3, MPI_REQUEST_NULL);
  MPI_Init(nullptr, nullptr);
  Communicator world(MPI_COMM_WORLD);
  const int color = ranks[0] == MPI_PROC_NULL ? MPI_UNDEFINED : tag;
  const int code = color == 0 ? MPI_ERR_RANK : MPI_UNDEFINED;
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, code, &op);
  MPI_Send(nameOf(MPI_COMM_SELF), 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
  MPI_Send(nameOf(MPI_GROUP_EMPTY), 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
  return MPI_Finalize();
}
