// Datatypes of every constructor, each with the list of the bytes that it picks, worked out here and not by
// the library.
#pragma once

#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"

#include <functional>
#include <string>
#include <vector>

namespace check {

// One datatype: committed, with its data as (place in bytes from the buffer's address, length) in the order
// of the type map, for one element; and the distance of elements.
struct Layout {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<std::pair<MPI_Aint, int>> pieces;
  MPI_Aint extent = 0;

  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& piece : pieces)
      sum += static_cast<std::size_t>(piece.second);
    return sum;
  }
};

inline void addPieces(std::vector<std::pair<MPI_Aint, int>>& to, MPI_Aint place, int bytes) {
  to.emplace_back(place, bytes);
}

// The layouts, scaled: about `scale` pieces each.
inline std::vector<Layout> layouts(int scale) {
  std::vector<Layout> all;
  {
    Layout l{"contiguous", {}, {}, 4 * scale};
    MPI_Type_contiguous(scale, MPI_INT, &l.type);
    addPieces(l.pieces, 0, 4 * scale);
    all.push_back(l);
  }
  {
    Layout l{"vector", {}, {}, (3 * (scale - 1) + 2) * MPI_Aint{8}};
    MPI_Type_vector(scale, 2, 3, MPI_DOUBLE, &l.type);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{24} * i, 16);
    all.push_back(l);
  }
  {
    // Backwards: the lower bound is negative.
    Layout l{"vector-backwards", {}, {}, (2 * (scale - 1) + 1) * MPI_Aint{4}};
    MPI_Type_vector(scale, 1, -2, MPI_INT, &l.type);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{-8} * i, 4);
    all.push_back(l);
  }
  {
    Layout l{"hvector-odd", {}, {}, MPI_Aint{7} * (scale - 1) + 3};
    MPI_Type_create_hvector(scale, 3, 7, MPI_BYTE, &l.type);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{7} * i, 3);
    all.push_back(l);
  }
  {
    Layout l{"indexed", {}, {}, 0};
    std::vector<int> lengths;
    std::vector<int> places;
    int at = 0;
    for (int i = 0; i < scale; ++i) {
      lengths.push_back(i % 4); // some are empty
      places.push_back(at);
      if (i % 4)
        addPieces(l.pieces, MPI_Aint{4} * at, 4 * (i % 4));
      at += i % 4 + 1 + i % 3;
    }
    lengths.push_back(1);
    places.push_back(at);
    addPieces(l.pieces, MPI_Aint{4} * at, 4);
    l.extent = MPI_Aint{4} * (at + 1);
    // The first block is empty: the extent starts at the first one that is not.
    places[0] = places.size() > 1 ? places[1] : 0;
    l.extent -= l.pieces.front().first;
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_INT, &l.type);
    all.push_back(l);
  }
  {
    // Blocks in an order that is not that of memory, with places before the buffer's address.
    Layout l{"hindexed-unordered", {}, {}, MPI_Aint{32} * (scale - 1) + 16};
    std::vector<int> lengths(static_cast<std::size_t>(scale), 2);
    std::vector<MPI_Aint> places;
    for (int i = 0; i < scale; ++i)
      places.push_back(MPI_Aint{32} * ((i * 7 + 3) % scale) - 64);
    if (scale % 7 != 0) {
      for (MPI_Aint place : places)
        addPieces(l.pieces, place, 16);
      MPI_Type_create_hindexed(scale, lengths.data(), places.data(), MPI_DOUBLE, &l.type);
      all.push_back(l);
    }
  }
  {
    Layout l{"indexed-block", {}, {}, (5 * (scale - 1) + 3) * MPI_Aint{2}};
    std::vector<int> places;
    for (int i = 0; i < scale; ++i) {
      places.push_back(5 * i);
      addPieces(l.pieces, MPI_Aint{10} * i, 6);
    }
    MPI_Type_create_indexed_block(scale, 3, places.data(), MPI_SHORT, &l.type);
    all.push_back(l);
  }
  {
    // A struct with a hole, in an array: alignment pads it to 16.
    struct Particle {
      char kind;
      double mass;
      short flags[3];
    };
    Layout inner{"", {}, {}, sizeof(Particle)};
    const int lengths[3] = {1, 1, 3};
    const MPI_Aint places[3] = {offsetof(Particle, kind), offsetof(Particle, mass),
                                offsetof(Particle, flags)};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype raw;
    MPI_Datatype padded;
    MPI_Type_create_struct(3, lengths, places, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(Particle), &padded);
    Layout l{"struct", {}, {}, static_cast<MPI_Aint>(sizeof(Particle)) * scale};
    MPI_Type_contiguous(scale, padded, &l.type);
    for (int i = 0; i < scale; ++i) {
      const MPI_Aint base = static_cast<MPI_Aint>(sizeof(Particle)) * i;
      addPieces(l.pieces, base + places[0], 1);
      addPieces(l.pieces, base + places[1], 8);
      addPieces(l.pieces, base + places[2], 6);
    }
    MPI_Type_free(&raw);
    MPI_Type_free(&padded);
    all.push_back(l);
  }
  {
    // The inner columns of a matrix with four columns.
    Layout l{"subarray", {}, {}, MPI_Aint{16} * (scale + 2)};
    const int sizes[2] = {scale + 2, 4};
    const int parts[2] = {scale, 2};
    const int starts[2] = {1, 1};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &l.type);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{16} * (i + 1) + 4, 8);
    all.push_back(l);
  }
  {
    // Process 1 of 2 in a cyclic distribution of blocks of 2.
    Layout l{"darray-cyclic", {}, {}, MPI_Aint{4} * 4 * scale};
    const int sizes[1] = {4 * scale};
    const int distributions[1] = {MPI_DISTRIBUTE_CYCLIC};
    const int arguments[1] = {2};
    const int processes[1] = {2};
    MPI_Type_create_darray(2, 1, 1, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT,
                           &l.type);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{16} * i + 8, 8);
    all.push_back(l);
  }
  {
    // Elements that overlap in extent: the second starts inside the first.
    Layout l{"resized-interleaved", {}, {}, 4};
    MPI_Datatype raw;
    MPI_Type_vector(scale, 1, 4, MPI_INT, &raw);
    MPI_Type_create_resized(raw, 0, 4, &l.type);
    MPI_Type_free(&raw);
    for (int i = 0; i < scale; ++i)
      addPieces(l.pieces, MPI_Aint{16} * i, 4);
    all.push_back(l);
  }
  {
    Layout l{"resized-negative", {}, {}, 40};
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_create_resized(pair, -16, 40, &l.type);
    MPI_Type_free(&pair);
    addPieces(l.pieces, 0, 16);
    all.push_back(l);
  }
  {
    Layout copy = all[1];
    copy.name = "dup";
    MPI_Type_dup(all[1].type, &copy.type);
    all.push_back(copy);
  }
  for (Layout& l : all)
    MPI_Type_commit(&l.type);
  return all;
}

inline void freeAll(std::vector<Layout>& all) {
  for (Layout& l : all)
    MPI_Type_free(&l.type);
}

// Memory for `count` elements of a layout, with room before and behind; every byte outside of the data is
// watched.
class LaidOut {
public:
  LaidOut(const Layout& layout, int count) : layout_(layout), count_(count) {
    MPI_Aint least = 0;
    MPI_Aint most = 0;
    forEach([&](MPI_Aint place, int bytes) {
      least = place < least ? place : least;
      most = place + bytes > most ? place + bytes : most;
    });
    before_ = static_cast<std::size_t>(-least) + 64;
    before_ += (16 - before_ % 16) % 16;
    memory_.assign(before_ + static_cast<std::size_t>(most) + 64, mark);
  }
  unsigned char* address() { return memory_.data() + before_; }
  std::size_t dataBytes() const { return layout_.size() * static_cast<std::size_t>(count_); }

  // Puts the pattern of fill() into the data, in the order of the type map.
  void scatter(std::uint64_t seed) {
    std::vector<unsigned char> flat(dataBytes());
    fill(flat.data(), flat.size(), seed);
    std::size_t at = 0;
    forEach([&](MPI_Aint place, int bytes) {
      std::memcpy(address() + place, flat.data() + at, static_cast<std::size_t>(bytes));
      at += static_cast<std::size_t>(bytes);
    });
  }
  std::vector<unsigned char> gather() {
    std::vector<unsigned char> flat(dataBytes());
    std::size_t at = 0;
    forEach([&](MPI_Aint place, int bytes) {
      std::memcpy(flat.data() + at, address() + place, static_cast<std::size_t>(bytes));
      at += static_cast<std::size_t>(bytes);
    });
    return flat;
  }
  // The number of bytes outside of the first `used` data bytes that are not as they were at the start.
  std::size_t touched(std::size_t used) {
    std::vector<unsigned char> copy = memory_;
    forEach([&](MPI_Aint place, int bytes) {
      const std::size_t part =
          used < static_cast<std::size_t>(bytes) ? used : static_cast<std::size_t>(bytes);
      std::memset(copy.data() + before_ + place, mark, part);
      used -= part;
    });
    std::size_t wrong = 0;
    for (unsigned char byte : copy)
      wrong += byte != mark;
    return wrong;
  }

private:
  static constexpr unsigned char mark = 0xC3;
  template <class Body> void forEach(Body body) const {
    for (int element = 0; element < count_; ++element)
      for (const auto& piece : layout_.pieces)
        body(piece.first + layout_.extent * element, piece.second);
  }
  const Layout& layout_;
  int count_;
  std::size_t before_ = 0;
  std::vector<unsigned char> memory_;
};

} // namespace check
