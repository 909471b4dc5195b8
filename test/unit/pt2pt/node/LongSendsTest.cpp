#include "pt2pt/node/LongSends.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpl {
namespace {

using State = TransferBoard::State;

// One process plays both parts: the lane leads to its own memory as if it were another's.
class LongSendsTest : public testing::Test {
protected:
  LongSendsTest() { std::fill(source_.begin(), source_.end(), 7); }

  std::uint32_t offer(Request& request) {
    request.begin(Request::Kind::Send);
    request.inTransport = true;
    request.buffer = source_.data();
    request.capacity = source_.size();
    return sends_.offer(lane_, request, 0);
  }
  TransferBoard::Record& record(std::uint32_t number) { return lane_.board.record(number); }
  /// What a receiver says that leaves the second half to the sender.
  void halve(std::uint32_t number, void* destination) {
    record(number).destination = reinterpret_cast<std::uintptr_t>(destination);
    record(number).offset = half;
    record(number).bytes = source_.size() - half;
    record(number).state = State::Halved;
  }

  static constexpr std::size_t half = 300;
  std::vector<unsigned char> source_ = std::vector<unsigned char>(1000);
  std::vector<unsigned char> target_ = std::vector<unsigned char>(1000);
  LaneMemory memory_{""};
  Lane lane_{3, memory_.key()};
  LongSends sends_{TransferBoard(memory_.board())};
};

TEST_F(LongSendsTest, AreCompleteWhenTheReceiverSaysSo) {
  Request request;
  const std::uint32_t number = offer(request);
  EXPECT_EQ(record(number).state, State::Offered);
  EXPECT_EQ(sends_.advance(), 0U);
  EXPECT_FALSE(request.isComplete());
  EXPECT_FALSE(sends_.empty());
  record(number).state = State::Read;
  EXPECT_EQ(sends_.advance(), 1U);
  EXPECT_TRUE(request.isComplete());
  EXPECT_EQ(request.outcome.error, MPI_SUCCESS);
  EXPECT_TRUE(sends_.empty());
}

TEST_F(LongSendsTest, TheSenderCopiesTheHalfThatIsLeftToIt) {
  Request request;
  const std::uint32_t number = offer(request);
  halve(number, target_.data() + half);
  EXPECT_EQ(sends_.advance(), 1U);
  EXPECT_EQ(record(number).state, State::Helped);
  EXPECT_FALSE(request.isComplete());
  EXPECT_EQ(std::count(target_.begin(), target_.begin() + half, 7), 0);
  EXPECT_EQ(std::count(target_.begin() + half, target_.end(), 7), static_cast<long>(target_.size() - half));
}

TEST_F(LongSendsTest, AHalfThatTheReceiverHasTakenBackIsLeftAlone) {
  Request request;
  const std::uint32_t number = offer(request);
  halve(number, target_.data() + half);
  record(number).state = State::Offered;
  EXPECT_EQ(sends_.advance(), 0U);
  EXPECT_EQ(std::count(target_.begin(), target_.end(), 7), 0);
}

TEST_F(LongSendsTest, AHalfThatCannotBeCopiedIsSaidToHaveFailed) {
  Request request;
  const std::uint32_t number = offer(request);
  halve(number, reinterpret_cast<void*>(16));
  sends_.advance();
  EXPECT_EQ(record(number).state, State::Failed);
  EXPECT_FALSE(request.isComplete());
}

TEST_F(LongSendsTest, RecordsAreUsedAgain) {
  std::vector<Request> requests(TransferBoard::recordCount);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint32_t> numbers;
    for (Request& request : requests) {
      ASSERT_TRUE(sends_.hasRoom());
      numbers.push_back(offer(request));
    }
    EXPECT_FALSE(sends_.hasRoom());
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (std::uint32_t number : numbers)
      record(number).state = State::Read;
    EXPECT_EQ(sends_.advance(), requests.size());
  }
}

TEST_F(LongSendsTest, AnOfferThatNobodyHeardOfIsTakenBack) {
  Request request;
  sends_.withdraw(offer(request));
  EXPECT_TRUE(sends_.empty());
  EXPECT_FALSE(request.isComplete());
}

TEST_F(LongSendsTest, SendsToTheDeadFail) {
  Request request;
  offer(request);
  sends_.forget(4);
  EXPECT_FALSE(request.isComplete());
  sends_.forget(3);
  EXPECT_TRUE(request.isComplete());
  EXPECT_EQ(request.outcome.error, MPI_ERR_PROC_ABORTED);
  EXPECT_TRUE(sends_.empty());
}

} // namespace
} // namespace mpl
