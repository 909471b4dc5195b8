// Messages beyond 2 and 4 GiB. They run only when asked for, with --huge: two ranks need about 9 GiB.
#include "test/mprobe/Calls.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace mprobe {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// A type of one MiB and a few bytes, so that an int can count the items.
MPI_Datatype makeBlock(std::size_t block) {
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

std::uint32_t wordAt(std::size_t at) {
  return static_cast<std::uint32_t>(at * 2654435761U + (at >> 30));
}

struct Free {
  void operator()(unsigned char* room) const { std::free(room); }
};
using Room = std::unique_ptr<unsigned char[], Free>;

/// Zeros. Pages that nobody touches cost no time.
Room makeRoom(std::size_t size) {
  Room room(static_cast<unsigned char*>(std::calloc(size, 1)));
  if (!room)
    throw std::bad_alloc();
  return room;
}

/// One word in every 4 KiB is enough to see a part that is missing or in the wrong place.
void mark(unsigned char* data, std::size_t size) {
  for (std::size_t at = 0; at + 4 <= size; at += 4096) {
    const std::uint32_t word = wordAt(at);
    std::copy_n(reinterpret_cast<const unsigned char*>(&word), 4, data + at);
  }
  data[size - 1] = 0x42;
}

bool isMarked(const unsigned char* data, std::size_t size) {
  for (std::size_t at = 0; at + 4 <= size; at += 4096) {
    std::uint32_t word = 0;
    std::copy_n(data + at, 4, reinterpret_cast<unsigned char*>(&word));
    if (word != wordAt(at))
      return false;
  }
  return data[size - 1] == 0x42;
}

/// Rank 1 sends `items` blocks to rank 0.
void huge(Context& context, Path path, std::size_t items, std::size_t block) {
  const std::size_t size = items * block;
  const MPI_Datatype type = makeBlock(block);
  const Room room = makeRoom(size);
  if (context.rank() == 1) {
    mark(room.get(), size);
    context.ok(MPI_Send(room.get(), static_cast<int>(items), type, 0, 2, context.comm()), "MPI_Send");
  } else {
    Found found = find(context, path.probe, 1, 2);
    const MPI_Status probed = found.status;
    MPI_Status status{};
    context.ok(
        receive(context, path.receive, room.get(), static_cast<MPI_Count>(items), type, found, &status),
        name(path.receive));
    for (const MPI_Status& one : {probed, status}) {
      int count = 0;
      MPI_Get_count(&one, type, &count);
      context.equal(count, static_cast<int>(items), "the count of blocks");
      MPI_Get_count(&one, MPI_BYTE, &count);
      context.equal(count, size > 0x7FFFFFFF ? MPI_UNDEFINED : static_cast<int>(size),
                    "the count of bytes as an int");
      MPI_Count elements = 0;
      MPI_Get_elements_x(&one, MPI_BYTE, &elements);
      context.equal(elements, static_cast<MPI_Count>(size), "the elements");
#if MPI_VERSION >= 4
      MPI_Count large = 0;
      MPI_Get_count_c(&one, MPI_BYTE, &large);
      context.equal(large, static_cast<MPI_Count>(size), "MPI_Get_count_c");
#endif
    }
    context.check(isMarked(room.get(), size), "the data are wrong");
  }
  MPI_Datatype free = type;
  MPI_Type_free(&free);
}

/// With a count beyond an int's.
void hugeCount(Context& context, Path path) {
#if MPI_VERSION >= 4
  const std::size_t size = 2049 * mebi + 3;
  const Room room = makeRoom(size);
  if (context.rank() == 1) {
    mark(room.get(), size);
    context.ok(MPI_Send_c(room.get(), static_cast<MPI_Count>(size), MPI_BYTE, 0, 2, context.comm()),
               "MPI_Send_c");
  } else {
    Found found = find(context, path.probe, 1, 2);
    MPI_Count count = 0;
    MPI_Get_count_c(&found.status, MPI_BYTE, &count);
    context.equal(count, static_cast<MPI_Count>(size), "MPI_Get_count_c");
    context.ok(receive(context, path.receive, room.get(), count, MPI_BYTE, found, MPI_STATUS_IGNORE),
               name(path.receive));
    context.check(isMarked(room.get(), size), "the data are wrong");
  }
#else
  (void)path;
  context.skip("no large-count calls");
#endif
}

/// Cut short: the buffer is smaller by one block, or tiny.
void hugeTooLong(Context& context, std::size_t bufferItems) {
  constexpr std::size_t items = 2049;
  const MPI_Datatype type = makeBlock(mebi);
  if (context.rank() == 1) {
    const Room room = makeRoom(items * mebi);
    context.ok(MPI_Send(room.get(), items, type, 0, 2, context.comm()), "MPI_Send");
  } else {
    const Room room = makeRoom(bufferItems * mebi + 4096);
    std::fill_n(room.get() + bufferItems * mebi, 4096, static_cast<unsigned char>(0x5A));
    Found found = find(context, ProbeCall::mprobe, 1, 2);
    context.hasClass(
        MPI_Mrecv(room.get(), static_cast<int>(bufferItems), type, &found.message, MPI_STATUS_IGNORE),
        MPI_ERR_TRUNCATE, "MPI_Mrecv");
    bool intact = true;
    for (std::size_t i = 0; i < 4096; ++i)
      intact = intact && room[bufferItems * mebi + i] == 0x5A;
    context.check(intact, "bytes beyond the buffer were written");
  }
  MPI_Datatype free = type;
  MPI_Type_free(&free);
}

} // namespace

void addHugeCases(Registry& registry) {
  const Needs needs = {2, 2, MPI_THREAD_SINGLE, true};
  for (const Path path :
       {Path{ProbeCall::mprobe, ReceiveCall::mrecv}, Path{ProbeCall::improbe, ReceiveCall::imrecv}}) {
    registry.add("huge." + name(path) + ".beyond_2_gib", needs,
                 [=](Context& context) { huge(context, path, 2049, mebi); });
    registry.add("huge." + name(path) + ".beyond_4_gib", needs,
                 [=](Context& context) { huge(context, path, 4097, mebi + 1); });
  }
  registry.add("huge.count.mrecv_c", needs, [](Context& context) {
    hugeCount(context, {ProbeCall::mprobe, ReceiveCall::mrecvLarge});
  });
  registry.add("huge.count.imrecv_c", needs, [](Context& context) {
    hugeCount(context, {ProbeCall::improbe, ReceiveCall::imrecvLarge});
  });
  registry.add("huge.cut_short_by_a_block", needs, [](Context& context) { hugeTooLong(context, 2048); });
  registry.add("huge.cut_short_to_a_block", needs, [](Context& context) { hugeTooLong(context, 1); });
}

} // namespace mprobe
