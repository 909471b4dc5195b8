// Layouts on the receiving side of a matched message. Each is checked against a model: the list of the
// places, in order, that the layout means.
#include "test/mprobe/Calls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mprobe {
namespace {

/// A layout of integers: `places` holds the byte offsets of one item's integers, in the order of the type
/// map.
struct Layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<long> places;
  long extent = 0;
};

constexpr long unit = sizeof(int);

Layout contiguous(int items) {
  Layout layout;
  MPI_Type_contiguous(items, MPI_INT, &layout.type);
  for (int i = 0; i < items; ++i)
    layout.places.push_back(i * unit);
  layout.extent = items * unit;
  return layout;
}

Layout vector(int items, int block, int stride) {
  Layout layout;
  MPI_Type_vector(items, block, stride, MPI_INT, &layout.type);
  for (int i = 0; i < items; ++i)
    for (int k = 0; k < block; ++k)
      layout.places.push_back((i * stride + k) * unit);
  layout.extent = ((items - 1) * stride + block) * unit;
  return layout;
}

/// From the end to the beginning: the lower bound is negative.
Layout backwards(int items) {
  Layout layout;
  MPI_Type_create_hvector(items, 1, -3 * unit, MPI_INT, &layout.type);
  for (int i = 0; i < items; ++i)
    layout.places.push_back(-3 * i * unit);
  layout.extent = (3 * (items - 1) + 1) * unit;
  return layout;
}

Layout indexed(int items) {
  Layout layout;
  std::vector<int> lengths;
  std::vector<int> displacements;
  int at = 0;
  for (int i = 0; i < items; ++i) {
    lengths.push_back((i + 1) % 4);
    displacements.push_back(at);
    for (int k = 0; k < (i + 1) % 4; ++k)
      layout.places.push_back((at + k) * unit);
    at += (i + 1) % 4 + i % 3;
  }
  MPI_Type_indexed(items, lengths.data(), displacements.data(), MPI_INT, &layout.type);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(layout.type, &lower, &extent);
  layout.extent = extent;
  return layout;
}

/// Blocks out of order, with displacements in bytes that are no multiple of the integer's size.
Layout scattered(int items) {
  Layout layout;
  std::vector<MPI_Aint> displacements;
  for (int i = 0; i < items; ++i)
    displacements.push_back(((i * 11) % items) * 9 * unit + unit / 2);
  for (const MPI_Aint at : displacements)
    for (int k = 0; k < 2; ++k)
      layout.places.push_back(static_cast<long>(at) + k * unit);
  MPI_Type_create_hindexed_block(items, 2, displacements.data(), MPI_INT, &layout.type);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(layout.type, &lower, &extent);
  layout.extent = extent;
  return layout;
}

/// A struct with a part before its address, padded to a larger extent.
Layout negativeStruct(int items) {
  Layout layout;
  const int lengths[] = {items, 0, 2};
  const MPI_Aint displacements[] = {-static_cast<MPI_Aint>(items + 5) * unit, 0, 8 * unit};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_INT};
  MPI_Datatype inner;
  MPI_Type_create_struct(3, lengths, displacements, types, &inner);
  layout.extent = 2 * (items + 20) * unit;
  MPI_Type_create_resized(inner, -(items + 7) * unit, layout.extent, &layout.type);
  MPI_Type_free(&inner);
  for (int i = 0; i < items; ++i)
    layout.places.push_back((i - items - 5) * unit);
  layout.places.push_back(8 * unit);
  layout.places.push_back(9 * unit);
  return layout;
}

Layout subarray(int rows) {
  Layout layout;
  const int sizes[] = {rows + 3, 40};
  const int subsizes[] = {rows, 11};
  const int starts[] = {2, 20};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &layout.type);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < 11; ++column)
      layout.places.push_back(((row + 2) * 40 + column + 20) * unit);
  layout.extent = (rows + 3) * 40 * unit;
  return layout;
}

/// Items of one integer whose extent is smaller than the distance of the next: they interleave.
Layout interleaved(int items) {
  Layout layout;
  MPI_Datatype inner;
  MPI_Type_vector(items, 1, 32, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, unit, &layout.type);
  MPI_Type_free(&inner);
  for (int i = 0; i < items; ++i)
    layout.places.push_back(32 * i * unit);
  layout.extent = unit;
  return layout;
}

using MakeLayout = Layout (*)(int);

int valueAt(int source, std::size_t index) {
  return source * 10000019 + static_cast<int>(index) * 7 + 1;
}

/// Receives `count` items of a layout, of which the message fills `filled` integers, and checks every place.
void intoLayout(Context& context, Path path, MakeLayout make, int items, int count, bool fromLayout) {
  Layout layout = make(items);
  MPI_Type_commit(&layout.type);
  const std::size_t integers = layout.places.size() * static_cast<std::size_t>(count);
  long farthest = 0;
  for (const long place : layout.places)
    farthest = std::max(farthest, std::labs(place));
  const auto span = static_cast<std::size_t>(layout.extent * count + farthest + 64 * unit);
  const std::size_t origin = span; // room for the negative offsets
  const auto placeOf = [&](std::size_t i) {
    const auto item = static_cast<long>(i / layout.places.size());
    return static_cast<std::size_t>(static_cast<long>(origin) + item * layout.extent +
                                    layout.places[i % layout.places.size()]);
  };
  std::vector<int> plain(integers);
  Bytes strided(3 * span, 0x77);
  for (std::size_t i = 0; i < integers; ++i) {
    plain[i] = valueAt(context.rank(), i);
    std::memcpy(strided.data() + placeOf(i), &plain[i], sizeof(int));
  }
  MPI_Request request;
  if (fromLayout)
    MPI_Isend(strided.data() + origin, count, layout.type, 0, 2, context.comm(), &request);
  else
    MPI_Isend(plain.data(), static_cast<int>(integers), MPI_INT, 0, 2, context.comm(), &request);
  for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
    Found found = find(context, path.probe, source, 2);
    int probed = -1;
    MPI_Get_count(&found.status, layout.type, &probed);
    context.equal(probed, count, "the count of the layout");
    MPI_Get_elements(&found.status, layout.type, &probed);
    context.equal(probed, static_cast<int>(integers), "the elements of the layout");
    Bytes buffer(3 * span, 0x5A);
    Bytes wanted = buffer;
    for (std::size_t i = 0; i < integers; ++i) {
      const int value = valueAt(source, i);
      std::memcpy(wanted.data() + placeOf(i), &value, sizeof value);
    }
    MPI_Status status{};
    context.ok(receive(context, path.receive, buffer.data() + origin, count, layout.type, found, &status),
               name(path.receive));
    context.statusIs(status, source, 2, static_cast<MPI_Count>(integers * sizeof(int)));
    context.check(buffer == wanted, "the layout's places hold something else, or other places were written");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&layout.type);
}

void inAllSizes(Context& context, Path path, MakeLayout make) {
  for (const bool fromLayout : {false, true}) {
    intoLayout(context, path, make, 1, 1, fromLayout);
    intoLayout(context, path, make, 5, 3, fromLayout);
    intoLayout(context, path, make, 60, 4, fromLayout);
    intoLayout(context, path, make, 700, 5, fromLayout);
    intoLayout(context, path, make, 2500, 8, fromLayout);
  }
}

Layout makeVector(int items) {
  return vector(items, 3, 7);
}

Layout makeContiguous(int items) {
  return contiguous(items);
}

/// The message fills a part of the layout only: elements are counted, the rest stays.
void partOfLayout(Context& context, Path path) {
  for (const int sent : {0, 1, 2, 3, 4, 5, 1000, 1001, 30000, 30001}) {
    Layout inner = vector(2, 1, 3);
    Layout layout;
    MPI_Type_create_resized(inner.type, 0, 6 * unit, &layout.type);
    MPI_Type_free(&inner.type);
    MPI_Type_commit(&layout.type);
    const std::vector<int> data(static_cast<std::size_t>(sent), 9);
    MPI_Request request;
    MPI_Isend(data.data(), sent, MPI_INT, 0, 2, context.comm(), &request);
    for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
      constexpr int room = 16000;
      std::vector<int> buffer(6 * room, -1);
      Found found = find(context, path.probe, source, 2);
      MPI_Status status{};
      context.ok(receive(context, path.receive, buffer.data(), room, layout.type, found, &status),
                 name(path.receive));
      int count = -77;
      int elements = -77;
      MPI_Get_count(&status, layout.type, &count);
      MPI_Get_elements(&status, layout.type, &elements);
      context.equal(count, sent % 2 ? MPI_UNDEFINED : sent / 2, "the count");
      context.equal(elements, sent, "the elements");
      bool good = true;
      for (int i = 0; i < 6 * room; ++i) {
        const int element = i % 6 == 0 ? i / 6 * 2 : i % 6 == 3 ? i / 6 * 2 + 1 : sent;
        good = good && buffer[static_cast<std::size_t>(i)] == (element < sent ? 9 : -1);
      }
      context.check(good, "the data are wrong, or other places were written");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&layout.type);
  }
}

} // namespace

void addDatatypeCases(Registry& registry) {
  const std::pair<const char*, MakeLayout> layouts[] = {
      {"contiguous", makeContiguous}, {"vector", makeVector},       {"backwards", backwards},
      {"indexed", indexed},           {"scattered", scattered},     {"negative_struct", negativeStruct},
      {"subarray", subarray},         {"interleaved", interleaved},
  };
  for (const Path path :
       {Path{ProbeCall::mprobe, ReceiveCall::mrecv}, Path{ProbeCall::improbe, ReceiveCall::imrecv}}) {
    for (const auto& layout : layouts) {
      const MakeLayout make = layout.second;
      registry.add("datatype." + name(path) + "." + layout.first, {1, 3},
                   [=](Context& context) { inAllSizes(context, path, make); });
    }
    registry.add("datatype." + name(path) + ".part_of_layout", {1, 3},
                 [=](Context& context) { partOfLayout(context, path); });
  }
}

} // namespace mprobe
