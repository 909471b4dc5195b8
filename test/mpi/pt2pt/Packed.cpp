// MPI_PACKED on either side, pack and unpack in steps, external32 (MPI 4.1, 5.2 and 5.3).
#include "test/mpi/pt2pt/Layouts.h"
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int dataTag = 51;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

// Packed by hand, received with the types; sent with the types, received packed and unpacked by hand (5.2).
void eitherSide() {
  for (int count : {1, 50, 30000}) {
    std::vector<double> values(static_cast<std::size_t>(count), rank() + 0.5);
    const int header[2] = {rank(), count};
    const int lengths[2] = {2, count};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    int inHeader[2] = {-1, -1};
    std::vector<double> in(values.size(), -1);
    int first = 0;
    int second = 0;
    MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &first);
    MPI_Pack_size(count, MPI_DOUBLE, MPI_COMM_WORLD, &second);
    std::vector<char> buffer(static_cast<std::size_t>(first + second));
    const int room = static_cast<int>(buffer.size());
    int at = 0;
    MPI_Pack(header, 2, MPI_INT, buffer.data(), room, &at, MPI_COMM_WORLD);
    MPI_Pack(values.data(), count, MPI_DOUBLE, buffer.data(), room, &at, MPI_COMM_WORLD);
    CHECK(at <= room);

    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Get_address(inHeader, &places[0]);
    MPI_Get_address(in.data(), &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(buffer.data(), at, MPI_PACKED, right(), dataTag, MPI_BOTTOM, 1, type, left(), dataTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(inHeader[0], left());
    CHECK_EQ(inHeader[1], count);
    CHECK(in == std::vector<double>(in.size(), left() + 0.5));
    MPI_Type_free(&type);

    MPI_Get_address(header, &places[0]);
    MPI_Get_address(values.data(), &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    std::fill(buffer.begin(), buffer.end(), 0);
    MPI_Status status;
    MPI_Sendrecv(MPI_BOTTOM, 1, type, right(), dataTag, buffer.data(), room, MPI_PACKED, left(), dataTag,
                 MPI_COMM_WORLD, &status);
    MPI_Type_free(&type);
    int bytes = -1;
    MPI_Get_count(&status, MPI_PACKED, &bytes);
    CHECK(bytes > 0 && bytes <= room);
    at = 0;
    std::fill(in.begin(), in.end(), -1);
    inHeader[0] = inHeader[1] = -1;
    MPI_Unpack(buffer.data(), bytes, &at, inHeader, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer.data(), bytes, &at, in.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK_EQ(at, bytes);
    CHECK_EQ(inHeader[0], left());
    CHECK_EQ(inHeader[1], count);
    CHECK(in == std::vector<double>(in.size(), left() + 0.5));
  }
}

// Every layout packed, sent as MPI_PACKED, and unpacked into itself.
void everyLayout() {
  for (int scale : {1, 300, 5000}) {
    std::vector<Layout> all = layouts(scale);
    for (const Layout& l : all) {
      state().current = "every-layout " + l.name;
      LaidOut out(l, 2);
      LaidOut in(l, 2);
      out.scatter(static_cast<std::uint64_t>(rank()));
      int room = 0;
      MPI_Pack_size(2, l.type, MPI_COMM_WORLD, &room);
      CHECK(room >= static_cast<int>(out.dataBytes()));
      std::vector<char> packed(static_cast<std::size_t>(room));
      std::vector<char> arrived(static_cast<std::size_t>(room));
      int at = 0;
      MPI_Pack(out.address(), 2, l.type, packed.data(), room, &at, MPI_COMM_WORLD);
      MPI_Status status;
      MPI_Sendrecv(packed.data(), at, MPI_PACKED, right(), dataTag, arrived.data(), room, MPI_PACKED, left(),
                   dataTag, MPI_COMM_WORLD, &status);
      int bytes = -1;
      MPI_Get_count(&status, MPI_PACKED, &bytes);
      CHECK_EQ(bytes, at);
      at = 0;
      MPI_Unpack(arrived.data(), bytes, &at, in.address(), 2, l.type, MPI_COMM_WORLD);
      CHECK_EQ(at, bytes);
      const std::vector<unsigned char> got = in.gather();
      CHECK_EQ(firstWrong(got.data(), got.size(), static_cast<std::uint64_t>(left())), got.size());
      CHECK_EQ(in.touched(got.size()), 0u);
    }
    freeAll(all);
  }
}

// external32 is big-endian with fixed sizes, so its bytes can be checked (MPI 4.1, 14.5.2).
void external() {
  const int value = 0x01020304;
  const short halves[2] = {0x0506, 0x0708};
  const double real = 1.0;
  unsigned char buffer[32] = {0};
  MPI_Aint at = 0;
  MPI_Pack_external("external32", &value, 1, MPI_INT, buffer, sizeof buffer, &at);
  MPI_Pack_external("external32", halves, 2, MPI_SHORT, buffer, sizeof buffer, &at);
  MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, buffer, sizeof buffer, &at);
  CHECK_EQ(at, 16);
  const unsigned char wanted[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0};
  CHECK(std::memcmp(buffer, wanted, 16) == 0);
  MPI_Aint bytes = 0;
  MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &bytes);
  CHECK_EQ(bytes, 24);
  unsigned char arrived[32];
  MPI_Sendrecv(buffer, 16, MPI_BYTE, right(), dataTag, arrived, 16, MPI_BYTE, left(), dataTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  int gotValue = 0;
  short gotHalves[2] = {0, 0};
  double gotReal = 0;
  at = 0;
  MPI_Unpack_external("external32", arrived, 16, &at, &gotValue, 1, MPI_INT);
  MPI_Unpack_external("external32", arrived, 16, &at, gotHalves, 2, MPI_SHORT);
  MPI_Unpack_external("external32", arrived, 16, &at, &gotReal, 1, MPI_DOUBLE);
  CHECK_EQ(gotValue, value);
  CHECK_EQ(gotHalves[1], halves[1]);
  CHECK_EQ(gotReal, 1.0);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"either-side", eitherSide}, {"every-layout", everyLayout}, {"external", external}});
}
