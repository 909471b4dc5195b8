// Puts and gets between fences: all flavours, datatypes on either side, edges of the memory, and random
// operations against a model.
#include "OneWindow.h"

#include <algorithm>

using namespace onesided;

namespace {

void ring(Flavor flavor) {
  OneWindow<int> win(flavor, 4);
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  win[1] = 1000 + me;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  const int value = 7 * me + 1;
  int fetched = -1;
  MPI_Put(&value, 1, MPI_INT, right, win.at(right, 0), 1, MPI_INT, win);
  MPI_Get(&fetched, 1, MPI_INT, left, win.at(left, 1), 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK_EQ(win[0], 7 * left + 1);
  CHECK_EQ(fetched, 1000 + left);
  CHECK_EQ(win[2], 0);
}

// Sizes on both sides of every change of protocol.
void sizes(Flavor flavor) {
  constexpr int largest = 1 << 20;
  OneWindow<unsigned char> win(flavor, largest);
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  const int left = (me + check::size() - 1) % check::size();
  std::vector<unsigned char> data(largest);
  std::vector<unsigned char> back(largest);
  for (const int bytes : {1, 2, 3, 4, 5, 7, 8, 9, 63, 1000, 7168, 7169, 8192, 70000, largest}) {
    for (int i = 0; i < bytes; ++i)
      data[static_cast<size_t>(i)] = static_cast<unsigned char>(i * 7 + bytes + me);
    std::fill(back.begin(), back.begin() + bytes, 0);
    MPI_Win_fence(0, win);
    MPI_Put(data.data(), bytes, MPI_BYTE, right, win.at(right, largest - bytes), bytes, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    int wrong = 0;
    for (int i = 0; i < bytes; ++i)
      wrong += win[largest - bytes + i] != static_cast<unsigned char>(i * 7 + bytes + left);
    CHECK_EQ(wrong, 0);
    MPI_Get(back.data(), bytes, MPI_BYTE, right, win.at(right, largest - bytes), bytes, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    CHECK(std::equal(back.begin(), back.begin() + bytes, data.begin()));
  }
}

void zeroSizes(Flavor flavor) {
  OneWindow<int> win(flavor, check::rank() == 0 ? 0 : 2);
  MPI_Win_fence(0, win);
  int value = 5;
  MPI_Put(&value, 0, MPI_INT, 0, win.at(0, 0), 0, MPI_INT, win);
  MPI_Put(nullptr, 0, MPI_INT, 0, win.at(0, 0), 0, MPI_INT, win);
  MPI_Get(&value, 0, MPI_INT, check::size() - 1, win.at(check::size() - 1, 0), 0, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK_EQ(value, 5);
  for (int i = 0; i < win.count(); ++i)
    CHECK_EQ(win[i], 0);
}

// Columns of a matrix here into rows there, and back.
void strided(Flavor flavor) {
  constexpr int n = 24;
  OneWindow<int> win(flavor, n * n);
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  const int left = (me + check::size() - 1) % check::size();
  MPI_Datatype column;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> matrix(n * n);
  for (int i = 0; i < n * n; ++i)
    matrix[static_cast<size_t>(i)] = me * 10000 + i;
  std::vector<int> back(n * n, -1);
  MPI_Win_fence(0, win);
  // column 3 to row 5, row 2 to column 7, column 4 to column 9
  MPI_Put(&matrix[3], 1, column, right, win.at(right, 5 * n), n, MPI_INT, win);
  MPI_Put(&matrix[2 * n], n, MPI_INT, right, win.at(right, 7), 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Put(&matrix[4], 1, column, right, win.at(right, 9), 1, column, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; ++i) {
    if (i != 7 && i != 9) {
      CHECK_EQ(win[5 * n + i], left * 10000 + i * n + 3);
    }
    CHECK_EQ(win[i * n + 7], left * 10000 + 2 * n + i);
    CHECK_EQ(win[i * n + 9], left * 10000 + i * n + 4);
  }
  MPI_Get(&back[1], 1, column, right, win.at(right, 9), 1, column, win);
  MPI_Get(&back[8], 1, column, right, win.at(right, 5 * n), n, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; ++i) {
    CHECK_EQ(back[static_cast<size_t>(i * n + 1)], me * 10000 + i * n + 4);
    CHECK_EQ(back[static_cast<size_t>(i * n)], -1);
  }
  MPI_Type_free(&column);
}

// MPI_BOTTOM, negative lower bounds and structs.
void addresses(Flavor flavor) {
  OneWindow<char> win(flavor, 64);
  const int right = (check::rank() + 1) % check::size();
  int first = 11;
  double second = 2.5;
  const int lengths[2] = {1, 1};
  MPI_Aint places[2];
  MPI_Get_address(&first, &places[0]);
  MPI_Get_address(&second, &places[1]);
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype here;
  MPI_Type_create_struct(2, lengths, places, types, &here);
  MPI_Type_commit(&here);
  // The double lies before the displacement, the int at it.
  const MPI_Aint there[2] = {0, -16};
  MPI_Datatype target;
  MPI_Type_create_struct(2, lengths, there, types, &target);
  MPI_Type_commit(&target);
  MPI_Win_fence(0, win);
  MPI_Put(MPI_BOTTOM, 1, here, right, win.at(right, 16), 1, target, win);
  MPI_Win_fence(0, win);
  int gotFirst = 0;
  double gotSecond = 0;
  std::memcpy(&gotFirst, win.data() + 16, sizeof gotFirst);
  std::memcpy(&gotSecond, win.data(), sizeof gotSecond);
  CHECK_EQ(gotFirst, 11);
  CHECK_EQ(gotSecond, 2.5);
  first = 0;
  second = 0;
  MPI_Get(MPI_BOTTOM, 1, here, right, win.at(right, 16), 1, target, win);
  MPI_Win_fence(0, win);
  CHECK_EQ(first, 11);
  CHECK_EQ(second, 2.5);
  MPI_Type_free(&here);
  MPI_Type_free(&target);
}

// Each rank writes to its own stripe of every rank's memory, at random places and with random layouts, and
// keeps a model of what must be there.
void randomOperations(Flavor flavor) {
  constexpr int stripe = 512;
  const int ranks = check::size();
  const int me = check::rank();
  OneWindow<int> win(flavor, stripe * ranks);
  std::vector<std::vector<int>> model(static_cast<size_t>(ranks), std::vector<int>(stripe, 0));
  Random random(static_cast<std::uint64_t>(17 + me + 100 * static_cast<int>(flavor)));
  for (int round = 0; round < 12; ++round) {
    MPI_Win_fence(0, win);
    std::vector<std::vector<int>> kept; // origins live until the fence
    for (int rank = 0; rank < ranks; ++rank) {
      // Within one epoch no place is written twice: a block from a random place on, with a random layout.
      const int blocks = 1 + random.below(8);
      const int length = 1 + random.below(6);
      const int stride = length + random.below(5);
      const int span = (blocks - 1) * stride + length;
      const int at = random.below(stripe - span);
      MPI_Datatype layout;
      MPI_Type_vector(blocks, length, stride, MPI_INT, &layout);
      MPI_Type_commit(&layout);
      const bool packedHere = random.below(2) == 0;
      kept.emplace_back(static_cast<size_t>(packedHere ? blocks * length : span));
      std::vector<int>& origin = kept.back();
      for (int& value : origin)
        value = random.below(1 << 30);
      for (int b = 0; b < blocks; ++b)
        for (int i = 0; i < length; ++i)
          model[static_cast<size_t>(rank)][static_cast<size_t>(at + b * stride + i)] =
              origin[static_cast<size_t>(packedHere ? b * length + i : b * stride + i)];
      MPI_Put(origin.data(), packedHere ? blocks * length : 1, packedHere ? MPI_INT : layout, rank,
              win.at(rank, me * stripe + at), 1, layout, win);
      MPI_Type_free(&layout);
    }
    MPI_Win_fence(0, win);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<int> found(stripe, -1);
      MPI_Get(found.data(), stripe, MPI_INT, rank, win.at(rank, me * stripe), stripe, MPI_INT, win);
      MPI_Win_fence(0, win);
      CHECK(found == model[static_cast<size_t>(rank)]);
    }
  }
  MPI_Win_fence(0, win);
}

// Data larger than its counts of int: the large forms.
void largeForms(Flavor flavor) {
  OneWindow<long long> win(flavor, 8);
  const int right = (check::rank() + 1) % check::size();
  MPI_Win_fence(0, win);
#if CHECK_MPI_40
  const long long values[3] = {1, -2, 1LL << 40};
  long long back[3] = {};
  MPI_Put_c(values, 3, MPI_LONG_LONG, right, win.at(right, 2), 3, MPI_LONG_LONG, win);
  MPI_Win_fence(0, win);
  CHECK_EQ(win[4], 1LL << 40);
  MPI_Get_c(back, 3, MPI_LONG_LONG, right, win.at(right, 2), 3, MPI_LONG_LONG, win);
  MPI_Win_fence(0, win);
  CHECK_EQ(back[1], -2);
#else
  CHECK(right >= 0);
#endif
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"ring", [] { forEachFlavor(ring); }},
                     {"sizes", [] { forEachFlavor(sizes); }},
                     {"zero sizes", [] { forEachFlavor(zeroSizes); }},
                     {"strided", [] { forEachFlavor(strided); }},
                     {"addresses", [] { forEachFlavor(addresses); }},
                     {"random operations", [] { forEachFlavor(randomOperations); }},
                     {"large forms", [] { forEachFlavor(largeForms); }}});
}
