// Operations made by the program: commutative and not, on plain and derived types. The order of a
// non-commutative one is that of the ranks, whatever the root and the algorithm (MPI 4.1, 6.9.1 and 6.9.5).
#include "test/mpi/coll/Reference.h"

using namespace check;

namespace {

// 2x2 matrices modulo a prime: associative, not commutative, exact.
struct Matrix {
  std::uint64_t a, b, c, d;
  bool operator==(const Matrix& o) const { return a == o.a && b == o.b && c == o.c && d == o.d; }
};

constexpr std::uint64_t prime = 1000003;

Matrix multiply(const Matrix& x, const Matrix& y) {
  return {(x.a * y.a + x.b * y.c) % prime, (x.a * y.b + x.b * y.d) % prime, (x.c * y.a + x.d * y.c) % prime,
          (x.c * y.b + x.d * y.d) % prime};
}

Matrix matrixOf(int from, int i) {
  const auto draw = [&](int which) { return static_cast<std::uint64_t>(given(from * 4 + which, i)) % prime; };
  return {draw(0), draw(1), draw(2), draw(3)};
}

int calls = 0;
MPI_Datatype lastType = MPI_DATATYPE_NULL;

// in op inout, in this order: in comes from the lower ranks.
void multiplyMatrices(void* in, void* inout, int* count, MPI_Datatype* type) {
  const auto* x = static_cast<const Matrix*>(in);
  auto* y = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i)
    y[i] = multiply(x[i], y[i]);
  ++calls;
  lastType = *type;
}

void addInts(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const int*>(in);
  auto* y = static_cast<int*>(inout);
  for (int i = 0; i < *count; ++i)
    y[i] += x[i];
}

// Takes the left operand: the result is rank 0's contribution.
void takeLeft(void* in, void* inout, int* count, MPI_Datatype*) {
  std::memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
}

// On a type with gaps: every second int.
void addEverySecond(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const int*>(in);
  auto* y = static_cast<int*>(inout);
  for (int i = 0; i < *count; ++i)
    y[2 * i] += x[2 * i];
}

#if CHECK_MPI_40
void addIntsLarge(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
  const auto* x = static_cast<const int*>(in);
  auto* y = static_cast<int*>(inout);
  for (MPI_Count i = 0; i < *count; ++i)
    y[i] += x[i];
}
#endif

void rankOrder() {
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(multiplyMatrices, 0, &op);
  int flag = 1;
  MPI_Op_commutative(op, &flag);
  CHECK(!flag);
  onTestComms([&](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int count : {0, 1, 5, 300, 5000, 33000}) {
      std::vector<Matrix> mine(static_cast<std::size_t>(count));
      std::vector<Matrix> wanted(static_cast<std::size_t>(count));
      std::vector<Matrix> found(static_cast<std::size_t>(count), Matrix{});
      for (int i = 0; i < count; ++i) {
        mine[i] = matrixOf(me, i);
        wanted[i] = matrixOf(0, i);
        for (int from = 1; from < ranks; ++from)
          wanted[i] = multiply(wanted[i], matrixOf(from, i));
      }
      calls = 0;
      MPI_Allreduce(mine.data(), found.data(), count, type, op, comm);
      CHECK_EQ(differences(found, wanted), 0);
      if (calls > 0)
        CHECK(lastType == type);
      found = mine;
      MPI_Allreduce(MPI_IN_PLACE, found.data(), count, type, op, comm);
      CHECK_EQ(differences(found, wanted), 0);
      for (int root = 0; root < ranks; ++root) {
        found.assign(found.size(), Matrix{});
        MPI_Reduce(mine.data(), found.data(), count, type, op, root, comm);
        if (me == root)
          CHECK_EQ(differences(found, wanted), 0);
        found = mine;
        MPI_Reduce(me == root ? MPI_IN_PLACE : mine.data(), found.data(), count, type, op, root, comm);
        if (me == root)
          CHECK_EQ(differences(found, wanted), 0);
        else
          CHECK_EQ(differences(found, mine), 0);
      }
    }
  });
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Type_free(&type);
}

void commutative() {
  MPI_Op op;
  MPI_Op_create(addInts, 1, &op);
  int flag = 0;
  MPI_Op_commutative(op, &flag);
  CHECK(flag);
  onTestComms([&](MPI_Comm comm) {
    const int ranks = sizeOf(comm);
    for (int count : lengths()) {
      const std::vector<int> mine = givenBy(rankIn(comm), count);
      std::vector<int> wanted(static_cast<std::size_t>(count), 0);
      for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < count; ++i)
          wanted[i] += given(from, i);
      std::vector<int> found(static_cast<std::size_t>(count), -1);
      MPI_Allreduce(mine.data(), found.data(), count, MPI_INT, op, comm);
      CHECK_EQ(differences(found, wanted), 0);
      MPI_Reduce(mine.data(), found.data(), count, MPI_INT, op, count % ranks, comm);
      if (rankIn(comm) == count % ranks)
        CHECK_EQ(differences(found, wanted), 0);
    }
  });
  MPI_Op_free(&op);
}

void leftmost() {
  MPI_Op op;
  MPI_Op_create(takeLeft, 0, &op);
  onTestComms([&](MPI_Comm comm) {
    for (int count : {1, 100, 50000}) {
      const std::vector<int> mine = givenBy(rankIn(comm), count);
      const std::vector<int> wanted = givenBy(0, count);
      std::vector<int> found(static_cast<std::size_t>(count), -1);
      MPI_Allreduce(mine.data(), found.data(), count, MPI_INT, op, comm);
      CHECK_EQ(differences(found, wanted), 0);
    }
  });
  MPI_Op_free(&op);
}

// Elements with gaps: the gaps of the result buffer stay as they were.
void withGaps() {
  MPI_Datatype one;
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_create_resized(one, 0, 2 * sizeof(int), &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(addEverySecond, 1, &op);
  onTestComms([&](MPI_Comm comm) {
    const int ranks = sizeOf(comm);
    for (int count : {1, 50, 20000}) {
      std::vector<int> mine(static_cast<std::size_t>(count) * 2, -5);
      std::vector<int> wanted(static_cast<std::size_t>(count) * 2, -6);
      std::vector<int> found(static_cast<std::size_t>(count) * 2, -6);
      for (int i = 0; i < count; ++i) {
        mine[2 * i] = given(rankIn(comm), i);
        wanted[2 * i] = 0;
        for (int from = 0; from < ranks; ++from)
          wanted[2 * i] += given(from, i);
      }
      MPI_Allreduce(mine.data(), found.data(), count, type, op, comm);
      CHECK_EQ(differences(found, wanted), 0);
    }
  });
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&one);
}

#if CHECK_MPI_40
void largeCounts() {
  MPI_Op op;
  MPI_Op_create_c(addIntsLarge, 1, &op);
  for (int count : {1, 1000, 100000}) {
    const std::vector<int> mine = givenBy(rank(), count);
    std::vector<int> wanted(static_cast<std::size_t>(count), 0);
    for (int from = 0; from < size(); ++from)
      for (int i = 0; i < count; ++i)
        wanted[i] += given(from, i);
    std::vector<int> found(static_cast<std::size_t>(count), -1);
    MPI_Allreduce_c(mine.data(), found.data(), count, MPI_INT, op, MPI_COMM_WORLD);
    CHECK_EQ(differences(found, wanted), 0);
  }
  MPI_Op_free(&op);
}
#endif

// Elements without data, and no elements: there is nothing to combine.
void nothing() {
  MPI_Datatype empty;
  MPI_Op op;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  int in = 1, out = 7;
  for (const int count : {0, 1, 3}) {
    CHECK_EQ(MPI_Scan(&in, &out, count, empty, op, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Exscan(&in, &out, count, empty, op, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce(&in, &out, count, empty, op, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&in, &out, count, empty, op, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce_scatter_block(&in, &out, count, empty, op, MPI_COMM_WORLD), MPI_SUCCESS);
  }
  CHECK_EQ(out, 7);
  MPI_Op_free(&op);
  MPI_Type_free(&empty);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {
    {"rank-order", rankOrder}, {"nothing", nothing}, {"commutative", commutative}, {"leftmost", leftmost},
#if CHECK_MPI_40
        {"large-counts", largeCounts},
#endif
    {
      "with-gaps", withGaps
    }
  });
}
