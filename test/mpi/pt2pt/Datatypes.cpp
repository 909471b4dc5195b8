// Messages of derived types: every constructor on either side, contiguous on the other, in all sizes
// (MPI 4.1, 3.3.1, 5).
#include "test/mpi/pt2pt/Layouts.h"
#include "test/mpi/pt2pt/Modes.h"

#include <cstddef>

using namespace check;

namespace {

constexpr int dataTag = 41;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

const int scales[] = {1, 5, 300, 20000};

std::uint64_t seedOf(int from) {
  return static_cast<std::uint64_t>(from) + 1;
}

void sizesAndExtents() {
  for (int scale : scales) {
    std::vector<Layout> all = layouts(scale);
    for (const Layout& l : all) {
      state().current = "sizes-and-extents " + l.name;
      int bytes = -1;
      MPI_Aint lower = 0;
      MPI_Aint extent = 0;
      MPI_Type_size(l.type, &bytes);
      MPI_Type_get_extent(l.type, &lower, &extent);
      CHECK_EQ(bytes, static_cast<int>(l.size()));
      CHECK_EQ(extent, l.extent);
      MPI_Aint least = l.pieces.front().first;
      MPI_Aint most = least;
      for (const auto& piece : l.pieces) {
        least = std::min(least, piece.first);
        most = std::max(most, piece.first + piece.second);
      }
      MPI_Type_get_true_extent(l.type, &lower, &extent);
      CHECK_EQ(lower, least);
      CHECK_EQ(extent, most - least);
    }
    freeAll(all);
  }
}

// From a layout into plain bytes: the order is that of the type map.
void outOfLayouts() {
  for (int scale : scales)
    for (int count : {1, 3}) {
      std::vector<Layout> all = layouts(scale);
      for (const Layout& l : all) {
        state().current = "out-of-layouts " + l.name + " x" + std::to_string(scale);
        LaidOut out(l, count);
        out.scatter(seedOf(rank()));
        const std::vector<unsigned char> sent = out.gather();
        Guarded in(sent.size());
        MPI_Request request;
        MPI_Isend(out.address(), count, l.type, right(), dataTag, MPI_COMM_WORLD, &request);
        MPI_Status status;
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), dataTag, MPI_COMM_WORLD, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_STATUS(status, left(), dataTag, sent.size());
        CHECK_EQ(in.wrongAt(seedOf(left())), sent.size());
        CHECK(in.intact());
      }
      freeAll(all);
    }
}

// From plain bytes into a layout: the gaps stay as they were.
void intoLayouts() {
  for (int scale : scales)
    for (int count : {1, 3})
      for (bool posted : {true, false}) {
        std::vector<Layout> all = layouts(scale);
        for (const Layout& l : all) {
          state().current = "into-layouts " + l.name + " x" + std::to_string(scale);
          LaidOut in(l, count);
          Guarded out(in.dataBytes());
          out.fillWith(seedOf(rank()));
          MPI_Request sending;
          MPI_Request receiving;
          if (posted)
            MPI_Irecv(in.address(), count, l.type, left(), dataTag, MPI_COMM_WORLD, &receiving);
          MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), dataTag, MPI_COMM_WORLD, &sending);
          MPI_Status status;
          if (posted)
            MPI_Wait(&receiving, &status);
          else
            MPI_Recv(in.address(), count, l.type, left(), dataTag, MPI_COMM_WORLD, &status);
          MPI_Wait(&sending, MPI_STATUS_IGNORE);
          const std::vector<unsigned char> got = in.gather();
          CHECK_EQ(firstWrong(got.data(), got.size(), seedOf(left())), got.size());
          CHECK_EQ(in.touched(got.size()), 0u);
          int elements = -1;
          MPI_Get_count(&status, l.type, &elements);
          CHECK_EQ(elements, count);
        }
        freeAll(all);
      }
}

// From one layout into another with the same number of bytes, through vectors of unlike block lengths.
void betweenLayouts() {
  for (int blocks : {2, 60, 6000, 60000}) {
    struct Shape {
      int count, length, stride;
    };
    for (Shape from : {Shape{blocks, 6, 7}, Shape{blocks * 2, 3, 9}, Shape{blocks * 6, 1, 2}})
      for (Shape to : {Shape{blocks, 6, 6}, Shape{blocks * 3, 2, 5}, Shape{blocks * 6, 1, 3}}) {
        MPI_Datatype sendType;
        MPI_Datatype receiveType;
        MPI_Type_vector(from.count, from.length, from.stride, MPI_INT, &sendType);
        MPI_Type_vector(to.count, to.length, to.stride, MPI_INT, &receiveType);
        MPI_Type_commit(&sendType);
        MPI_Type_commit(&receiveType);
        std::vector<int> out(static_cast<std::size_t>(from.count * from.stride), -1);
        std::vector<int> in(static_cast<std::size_t>(to.count * to.stride), -2);
        for (int i = 0, at = 0; i < from.count; ++i)
          for (int j = 0; j < from.length; ++j)
            out[static_cast<std::size_t>(i * from.stride + j)] = rank() * 10000000 + at++;
        MPI_Sendrecv(out.data(), 1, sendType, right(), dataTag, in.data(), 1, receiveType, left(), dataTag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int wrong = 0;
        int at = 0;
        for (int i = 0; i < to.count; ++i)
          for (int j = 0; j < to.stride; ++j)
            wrong += in[static_cast<std::size_t>(i * to.stride + j)] !=
                     (j < to.length ? left() * 10000000 + at++ : -2);
        CHECK_EQ(wrong, 0);
        MPI_Type_free(&sendType);
        MPI_Type_free(&receiveType);
      }
  }
}

// Less arrives than the layout holds: only the first bytes of the type map are written.
void partlyFilled() {
  for (int scale : {5, 300, 20000}) {
    std::vector<Layout> all = layouts(scale);
    for (const Layout& l : all) {
      state().current = "partly-filled " + l.name + " x" + std::to_string(scale);
      LaidOut in(l, 2);
      const std::size_t sent = in.dataBytes() / 3;
      Guarded out(sent);
      out.fillWith(seedOf(rank()));
      MPI_Status status;
      MPI_Sendrecv(out.data(), out.count(), MPI_BYTE, right(), dataTag, in.address(), 2, l.type, left(),
                   dataTag, MPI_COMM_WORLD, &status);
      CHECK_STATUS(status, left(), dataTag, sent);
      const std::vector<unsigned char> got = in.gather();
      CHECK_EQ(firstWrong(got.data(), sent, seedOf(left())), sent);
      CHECK_EQ(in.touched(sent), 0u);
    }
    freeAll(all);
  }
}

// Absolute addresses and MPI_BOTTOM, in separate pieces of memory (5.1.12).
void bottom() {
  for (int count : {1, 100, 100000}) {
    std::vector<double> a(static_cast<std::size_t>(count), rank() + 0.25);
    std::vector<int> b(static_cast<std::size_t>(count) * 2, rank() + 5);
    std::vector<double> c(a.size(), -1);
    std::vector<int> d(b.size(), -1);
    const int lengths[2] = {count, 2 * count};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Aint places[2];
    MPI_Datatype out;
    MPI_Datatype in;
    MPI_Get_address(a.data(), &places[0]);
    MPI_Get_address(b.data(), &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &out);
    MPI_Get_address(c.data(), &places[0]);
    MPI_Get_address(d.data(), &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &in);
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    MPI_Status status;
    MPI_Sendrecv(MPI_BOTTOM, 1, out, right(), dataTag, MPI_BOTTOM, 1, in, left(), dataTag, MPI_COMM_WORLD,
                 &status);
    int wrong = 0;
    for (double value : c)
      wrong += value != left() + 0.25;
    for (int value : d)
      wrong += value != left() + 5;
    CHECK_EQ(wrong, 0);
    // A request keeps what it needs of a type that is freed meanwhile (5.1.9).
    std::fill(c.begin(), c.end(), -1);
    MPI_Request requests[2];
    MPI_Irecv(MPI_BOTTOM, 1, in, left(), dataTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(MPI_BOTTOM, 1, out, right(), dataTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&in);
    MPI_Type_free(&out);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (double value : c)
      wrong += value != left() + 0.25;
    CHECK_EQ(wrong, 0);
  }
}

// Types of size zero and counts of zero.
void nothing() {
  MPI_Datatype empty;
  MPI_Type_create_struct(0, nullptr, nullptr, nullptr, &empty);
  MPI_Type_commit(&empty);
  int value = 5;
  int other = 6;
  MPI_Status status;
  MPI_Sendrecv(&other, 3, empty, right(), dataTag, &value, 7, empty, left(), dataTag, MPI_COMM_WORLD,
               &status);
  CHECK_STATUS(status, left(), dataTag, 0u);
  MPI_Sendrecv(nullptr, 0, MPI_INT, right(), dataTag, nullptr, 0, empty, left(), dataTag, MPI_COMM_WORLD,
               &status);
  CHECK_STATUS(status, left(), dataTag, 0u);
  CHECK_EQ(value, 5);
  MPI_Type_free(&empty);
}

// Several requests with strided types in flight at once, both directions.
void manyAtOnce() {
  std::vector<Layout> all = layouts(2000);
  std::vector<LaidOut> in;
  std::vector<LaidOut> out;
  std::vector<MPI_Request> requests;
  for (const Layout& l : all) {
    in.emplace_back(l, 2);
    out.emplace_back(l, 2);
    out.back().scatter(seedOf(rank()));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    requests.push_back(
        ireceive(Twin::small, in[i].address(), 2, all[i].type, left(), static_cast<int>(i), MPI_COMM_WORLD));
  for (std::size_t i = all.size(); i-- > 0;)
    requests.push_back(isend(Mode::standard, Twin::small, out[i].address(), 2, all[i].type, right(),
                             static_cast<int>(i), MPI_COMM_WORLD));
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < all.size(); ++i) {
    state().current = "many-at-once " + all[i].name;
    const std::vector<unsigned char> got = in[i].gather();
    CHECK_EQ(firstWrong(got.data(), got.size(), seedOf(left())), got.size());
    CHECK_EQ(in[i].touched(got.size()), 0u);
  }
  freeAll(all);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"sizes-and-extents", sizesAndExtents},
              {"out-of-layouts", outOfLayouts},
              {"into-layouts", intoLayouts},
              {"between-layouts", betweenLayouts},
              {"partly-filled", partlyFilled},
              {"bottom", bottom},
              {"nothing", nothing},
              {"many-at-once", manyAtOnce}});
}
