#include "onesided/RmaOperation.h"
#include "onesided/Transport.h"
#include "onesided/Transports.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpl {
namespace {

TEST(Pending, IsCompleteWhenAllPartsHaveEnded) {
  Pending pending;
  EXPECT_TRUE(pending.isComplete());
  pending.begin();
  pending.begin(2);
  pending.end();
  pending.end();
  EXPECT_FALSE(pending.isComplete());
  pending.end();
  EXPECT_TRUE(pending.isComplete());
  EXPECT_EQ(pending.error(), MPI_SUCCESS);
}

TEST(Pending, TheFirstErrorIsToldOnce) {
  Pending pending;
  pending.begin(3);
  pending.end(MPI_ERR_RMA_RANGE);
  pending.end(MPI_ERR_OTHER);
  pending.end();
  EXPECT_EQ(pending.takeError(), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(pending.takeError(), MPI_SUCCESS);
}

TEST(RmaOperation, UnpacksWhenItIsOver) {
  std::array<int, 3> result{};
  const std::array<int, 3> data{4, 5, 6};
  RmaOperation operation;
  std::byte* staged = operation.stage(sizeof data);
  operation.unpackInto(result.data(), 3, datatypeOf(MPI_INT), staged);
  operation.pending.begin();
  std::memcpy(staged, data.data(), sizeof data);
  EXPECT_FALSE(operation.finished());
  EXPECT_EQ(result[0], 0);
  operation.pending.end();
  EXPECT_TRUE(operation.finished());
  EXPECT_EQ(result, data);
}

TEST(RmaOperation, LeavesTheBufferAloneAfterAnError) {
  int result = 1;
  RmaOperation operation;
  std::byte* staged = operation.stage(sizeof result);
  operation.unpackInto(&result, 1, datatypeOf(MPI_INT), staged);
  operation.pending.begin();
  operation.pending.end(MPI_ERR_PROC_ABORTED);
  EXPECT_TRUE(operation.finished());
  EXPECT_EQ(result, 1);
}

TEST(Transports, EachIsTriedOnce) {
  auto order = transportOrder();
  std::sort(order.begin(), order.end());
  EXPECT_EQ(std::unique(order.begin(), order.end()), order.end());
  EXPECT_EQ(order.size(), std::tuple_size_v<decltype(allTransports())>);
  EXPECT_EQ(std::variant_size_v<AnyLink>, transportCount + 1);
}

TEST(ShmLink, LoadsAndStores) {
  long memory[2] = {1, 2};
  ShmLink link({reinterpret_cast<std::uint64_t>(memory), sizeof memory, 8});
  EXPECT_EQ(link.state(), LinkState::ready);
  Pending pending;
  const long value = 9;
  long found = 0;
  link.put(&value, link.remote().base + 8, sizeof value, pending);
  link.get(&found, link.remote().base + 8, sizeof found, pending);
  link.flush(pending);
  EXPECT_TRUE(pending.isComplete());
  EXPECT_EQ(memory[1], 9);
  EXPECT_EQ(found, 9);
}

} // namespace
} // namespace mpl
