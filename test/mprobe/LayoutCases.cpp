// More of datatypes: packed data, absolute addresses, types freed early, empty types, basic types of all
// kinds.
#include "test/mprobe/Calls.h"

#include <memory>
#include <numeric>

namespace mprobe {
namespace {

const Path mprobeMrecv = {ProbeCall::mprobe, ReceiveCall::mrecv};

int nextOf(const Context& context) {
  return (context.rank() + 1) % context.size();
}

int previousOf(const Context& context) {
  return (context.rank() + context.size() - 1) % context.size();
}

/// Packed by the sender, received as MPI_PACKED, unpacked.
void packed(Context& context, Path path) {
  for (const int count : {1, 100, 3000, 100000}) {
    int size = 0;
    int extra = 0;
    int position = 0;
    MPI_Pack_size(count, MPI_DOUBLE, context.comm(), &size);
    MPI_Pack_size(1, MPI_INT, context.comm(), &extra);
    Bytes buffer(static_cast<std::size_t>(size + extra));
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0.5 + context.rank());
    MPI_Pack(&count, 1, MPI_INT, buffer.data(), static_cast<int>(buffer.size()), &position, context.comm());
    MPI_Pack(values.data(), count, MPI_DOUBLE, buffer.data(), static_cast<int>(buffer.size()), &position,
             context.comm());
    MPI_Request request;
    MPI_Isend(buffer.data(), position, MPI_PACKED, nextOf(context), 2, context.comm(), &request);
    Found found = find(context, path.probe, previousOf(context), 2);
    int bytes = 0;
    MPI_Get_count(&found.status, MPI_PACKED, &bytes);
    context.equal(bytes, position, "the count of packed bytes");
    Bytes received(static_cast<std::size_t>(bytes));
    context.ok(receive(context, path.receive, received.data(), bytes, MPI_PACKED, found, MPI_STATUS_IGNORE),
               name(path.receive));
    int number = 0;
    std::vector<double> got(static_cast<std::size_t>(count));
    position = 0;
    MPI_Unpack(received.data(), bytes, &position, &number, 1, MPI_INT, context.comm());
    context.equal(number, count, "the integer unpacked");
    MPI_Unpack(received.data(), bytes, &position, got.data(), count, MPI_DOUBLE, context.comm());
    context.equal(got.back(), 0.5 + previousOf(context) + count - 1, "the last double unpacked");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// MPI_BOTTOM with the absolute addresses of several variables.
void absoluteAddresses(Context& context, Path path) {
  struct {
    int one = 0;
    double many[5000] = {};
    char letter = 0;
  } place;
  MPI_Aint addresses[3];
  MPI_Get_address(&place.letter, &addresses[0]);
  MPI_Get_address(place.many, &addresses[1]);
  MPI_Get_address(&place.one, &addresses[2]);
  const int lengths[] = {1, 5000, 1};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, addresses, types, &type);
  MPI_Type_commit(&type);
  // What is sent comes out of the same places, so a copy is sent from elsewhere, packed by a type of its own.
  const auto copy = std::make_unique<decltype(place)>();
  copy->one = 10 + context.rank();
  copy->letter = static_cast<char>('a' + context.rank());
  std::iota(copy->many, copy->many + 5000, context.rank());
  MPI_Get_address(&copy->letter, &addresses[0]);
  MPI_Get_address(copy->many, &addresses[1]);
  MPI_Get_address(&copy->one, &addresses[2]);
  MPI_Datatype sendType;
  MPI_Type_create_struct(3, lengths, addresses, types, &sendType);
  MPI_Type_commit(&sendType);
  MPI_Request request;
  MPI_Isend(MPI_BOTTOM, 1, sendType, nextOf(context), 2, context.comm(), &request);
  Found found = find(context, path.probe, previousOf(context), 2);
  context.ok(receive(context, path.receive, MPI_BOTTOM, 1, type, found, MPI_STATUS_IGNORE),
             name(path.receive));
  context.equal(place.one, 10 + previousOf(context), "the integer");
  context.equal(place.letter, 'a' + previousOf(context), "the letter");
  context.equal(place.many[4999], 4999.0 + previousOf(context), "the last double");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  MPI_Type_free(&sendType);
}

/// The type is freed while Imrecv is under way.
void typeFreedEarly(Context& context) {
  for (const int items : {4, 800, 3000, 60000}) {
    MPI_Datatype type;
    MPI_Type_vector(items, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> data(static_cast<std::size_t>(items));
    std::iota(data.begin(), data.end(), 5);
    std::vector<int> buffer(static_cast<std::size_t>(items) * 2, -1);
    MPI_Request requests[2];
    MPI_Isend(data.data(), items, MPI_INT, nextOf(context), 2, context.comm(), &requests[0]);
    Found found = find(context, ProbeCall::mprobe, previousOf(context), 2);
    context.ok(MPI_Imrecv(buffer.data(), 1, type, &found.message, &requests[1]), "MPI_Imrecv");
    context.ok(MPI_Type_free(&type), "MPI_Type_free");
    context.ok(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    bool good = true;
    for (std::size_t i = 0; i < buffer.size(); ++i)
      good = good && buffer[i] == (i % 2 ? -1 : static_cast<int>(i / 2) + 5);
    context.check(good, "the data are wrong");
  }
}

/// A type without data, and a count of zero of one with data: both for an empty message.
void emptyTypes(Context& context, Path path) {
  MPI_Datatype empty;
  MPI_Datatype pair;
  MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
  MPI_Type_vector(2, 1, 5, MPI_INT, &pair);
  MPI_Type_commit(&empty);
  MPI_Type_commit(&pair);
  for (int way = 0; way < 4; ++way) {
    MPI_Request request;
    MPI_Isend(nullptr, way % 2 ? 0 : 1000, way % 2 ? pair : empty, nextOf(context), 2, context.comm(),
              &request);
    Found found = find(context, path.probe, previousOf(context), 2);
    context.statusIs(found.status, previousOf(context), 2, 0);
    int buffer[6] = {1, 1, 1, 1, 1, 1};
    MPI_Status status{};
    context.ok(
        receive(context, path.receive, buffer, way < 2 ? 100 : 0, way < 2 ? empty : pair, found, &status),
        name(path.receive));
    context.statusIs(status, previousOf(context), 2, 0);
    context.equal(buffer[0] + buffer[5], 2, "what was in the buffer");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&empty);
  MPI_Type_free(&pair);
}

template <class T> void sendBasic(Context& context, MPI_Datatype type, T value, const char* what) {
  T received{};
  MPI_Request request;
  MPI_Isend(&value, 1, type, nextOf(context), 2, context.comm(), &request);
  Found found = find(context, ProbeCall::improbe, previousOf(context), 2);
  int count = -1;
  MPI_Get_count(&found.status, type, &count);
  context.equal(count, 1, what);
  context.ok(receive(context, ReceiveCall::mrecv, &received, 1, type, found, MPI_STATUS_IGNORE), what);
  context.check(received == value, std::string(what) + " has another value");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void basicTypes(Context& context) {
  sendBasic<char>(context, MPI_CHAR, 'x', "MPI_CHAR");
  sendBasic<signed char>(context, MPI_SIGNED_CHAR, -3, "MPI_SIGNED_CHAR");
  sendBasic<unsigned char>(context, MPI_UNSIGNED_CHAR, 250, "MPI_UNSIGNED_CHAR");
  sendBasic<short>(context, MPI_SHORT, -30000, "MPI_SHORT");
  sendBasic<unsigned short>(context, MPI_UNSIGNED_SHORT, 60000, "MPI_UNSIGNED_SHORT");
  sendBasic<int>(context, MPI_INT, -2000000000, "MPI_INT");
  sendBasic<unsigned>(context, MPI_UNSIGNED, 4000000000U, "MPI_UNSIGNED");
  sendBasic<long>(context, MPI_LONG, -5, "MPI_LONG");
  sendBasic<unsigned long>(context, MPI_UNSIGNED_LONG, 5, "MPI_UNSIGNED_LONG");
  sendBasic<long long>(context, MPI_LONG_LONG, -1234567890123, "MPI_LONG_LONG");
  sendBasic<float>(context, MPI_FLOAT, 1.5F, "MPI_FLOAT");
  sendBasic<double>(context, MPI_DOUBLE, -2.25, "MPI_DOUBLE");
  sendBasic<long double>(context, MPI_LONG_DOUBLE, 3.125L, "MPI_LONG_DOUBLE");
  sendBasic<std::int8_t>(context, MPI_INT8_T, -8, "MPI_INT8_T");
  sendBasic<std::uint16_t>(context, MPI_UINT16_T, 16, "MPI_UINT16_T");
  sendBasic<std::int32_t>(context, MPI_INT32_T, -32, "MPI_INT32_T");
  sendBasic<std::uint64_t>(context, MPI_UINT64_T, 64, "MPI_UINT64_T");
  sendBasic<MPI_Aint>(context, MPI_AINT, -99, "MPI_AINT");
  sendBasic<MPI_Offset>(context, MPI_OFFSET, 1LL << 40, "MPI_OFFSET");
  sendBasic<MPI_Count>(context, MPI_COUNT, 1LL << 41, "MPI_COUNT");
  sendBasic<wchar_t>(context, MPI_WCHAR, L'w', "MPI_WCHAR");
}

/// A pair type has a gap.
void pairType(Context& context, Path path) {
  struct Pair {
    double value;
    int index;
  };
  for (const int count : {1, 10, 1000, 50000}) {
    std::vector<Pair> data(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      data[static_cast<std::size_t>(i)] = {i * 0.5, context.rank() + i};
    std::vector<Pair> received(data.size(), Pair{-1, -1});
    MPI_Request request;
    MPI_Isend(data.data(), count, MPI_DOUBLE_INT, nextOf(context), 2, context.comm(), &request);
    Found found = find(context, path.probe, previousOf(context), 2);
    int number = 0;
    MPI_Get_count(&found.status, MPI_DOUBLE_INT, &number);
    context.equal(number, count, "the count");
    context.ok(
        receive(context, path.receive, received.data(), count, MPI_DOUBLE_INT, found, MPI_STATUS_IGNORE),
        name(path.receive));
    bool good = true;
    for (int i = 0; i < count; ++i) {
      const Pair& one = received[static_cast<std::size_t>(i)];
      good = good && one.value == i * 0.5 && one.index == previousOf(context) + i;
    }
    context.check(good, "the data are wrong");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// The receiver allocates by the count of a type that it made itself.
void allocatedByCount(Context& context, Path path) {
  MPI_Datatype point;
  MPI_Type_contiguous(3, MPI_DOUBLE, &point);
  MPI_Type_commit(&point);
  for (const int count : {0, 1, 7, 300, 9000}) {
    const int sent = count + context.rank();
    std::vector<double> data(3 * static_cast<std::size_t>(sent));
    std::iota(data.begin(), data.end(), context.rank());
    MPI_Request request;
    MPI_Isend(data.data(), sent, point, nextOf(context), 2, context.comm(), &request);
    Found found = find(context, path.probe, previousOf(context), 2);
    int number = -1;
    MPI_Get_count(&found.status, point, &number);
    if (context.equal(number, count + previousOf(context), "the count of points")) {
      std::vector<double> received(3 * static_cast<std::size_t>(number));
      context.ok(receive(context, path.receive, received.data(), number, point, found, MPI_STATUS_IGNORE),
                 name(path.receive));
      if (number > 0)
        context.equal(received.back(), previousOf(context) + 3.0 * number - 1, "the last coordinate");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&point);
}

} // namespace

void addLayoutCases(Registry& registry) {
  for (const Path path : {mprobeMrecv, Path{ProbeCall::improbe, ReceiveCall::imrecv}}) {
    const auto add = [&](const char* what, void (*body)(Context&, Path)) {
      registry.add("datatype." + name(path) + "." + what, {}, [=](Context& context) { body(context, path); });
    };
    add("packed", packed);
    add("absolute_addresses", absoluteAddresses);
    add("empty_types", emptyTypes);
    add("pair_type", pairType);
    add("allocated_by_count", allocatedByCount);
  }
  registry.add("datatype.freed_early", {}, typeFreedEarly);
  registry.add("datatype.basic_types", {}, basicTypes);
}

} // namespace mprobe
