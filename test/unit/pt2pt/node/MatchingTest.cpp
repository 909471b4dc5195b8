#include "pt2pt/node/Matching.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace mpl {
namespace {

constexpr std::uint64_t context = envelope::contextPart(6);

std::uint64_t bits(int source, int tag) {
  return envelope::make(context, source, tag);
}

class MatchingTest : public testing::Test {
protected:
  // Posts a receive of its own.
  Request& post(int source, int tag) { return post(source, tag, ++postings_); }
  Request& post(int source, int tag, std::uint64_t postedAt) {
    Request& request = requests_.emplace_back();
    const envelope::Pattern wanted = envelope::pattern(context, source, tag);
    request.envelopeBits = wanted.bits;
    request.envelopeMask = wanted.mask;
    request.postedAt = postedAt;
    matching_.post(request);
    return request;
  }
  Arrival* find(int source, int tag) { return matching_.find(envelope::pattern(context, source, tag)); }
  void keep(int source, int tag, const std::string& data = {}) {
    matching_.keep({bits(source, tag), data.size(), Carrier::Slot, 0, 0,
                    reinterpret_cast<const std::byte*>(data.data())});
  }
  void TearDown() override {
    while (Arrival* arrival = matching_.oldest()) {
      matching_.take(*arrival);
      matching_.end(*arrival);
    }
  }

  Matching matching_;
  std::deque<Request> requests_;
  std::uint64_t postings_ = 0;
};

TEST_F(MatchingTest, NothingFitsNothing) {
  EXPECT_EQ(matching_.receiveFor(bits(0, 0)), nullptr);
  EXPECT_EQ(find(MPI_ANY_SOURCE, MPI_ANY_TAG), nullptr);
  EXPECT_EQ(matching_.oldest(), nullptr);
}

TEST_F(MatchingTest, ReceivesOfOneEnvelopeAreServedInTheirOrder) {
  Request& first = post(1, 2);
  Request& second = post(1, 2);
  EXPECT_EQ(matching_.receiveFor(bits(1, 3)), nullptr);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &first);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &second);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), nullptr);
}

TEST_F(MatchingTest, WildcardsTakeTheirTurn) {
  Request& named = post(1, 2);
  Request& anySource = post(MPI_ANY_SOURCE, 2);
  Request& anyTag = post(1, MPI_ANY_TAG);
  Request& any = post(MPI_ANY_SOURCE, MPI_ANY_TAG);
  Request& late = post(1, 2);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &named);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &anySource);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &anyTag);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &any);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &late);
}

TEST_F(MatchingTest, AnotherContextIsAnotherWorld) {
  post(MPI_ANY_SOURCE, MPI_ANY_TAG);
  EXPECT_EQ(matching_.receiveFor(envelope::make(envelope::contextPart(7), 1, 2)), nullptr);
  keep(1, 2);
  EXPECT_EQ(matching_.find(envelope::pattern(envelope::contextPart(7), MPI_ANY_SOURCE, MPI_ANY_TAG)),
            nullptr);
}

TEST_F(MatchingTest, AWildcardThatComesInLateKeepsItsPlace) {
  Request& young = post(MPI_ANY_SOURCE, MPI_ANY_TAG, 20);
  Request& old = post(3, MPI_ANY_TAG, 10);
  Request& middle = post(MPI_ANY_SOURCE, 5, 15);
  EXPECT_EQ(matching_.receiveFor(bits(3, 5)), &old);
  EXPECT_EQ(matching_.receiveFor(bits(3, 5)), &middle);
  EXPECT_EQ(matching_.receiveFor(bits(3, 5)), &young);
}

TEST_F(MatchingTest, TakenBackReceivesGetNothing) {
  Request& named = post(1, 2);
  Request& wild = post(MPI_ANY_SOURCE, 2);
  matching_.remove(named);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), &wild);
  Request& again = post(MPI_ANY_SOURCE, 2);
  matching_.remove(again);
  EXPECT_EQ(matching_.receiveFor(bits(1, 2)), nullptr);
}

TEST_F(MatchingTest, TheOldestMessageThatFitsIsFound) {
  keep(1, 5, "first");
  keep(2, 5, "second");
  keep(1, 6, "third");
  keep(1, 5, "fourth");
  const auto text = [](Arrival* arrival) {
    const Incoming message = arrival->incoming();
    return std::string(reinterpret_cast<const char*>(message.data), message.length);
  };
  EXPECT_EQ(text(find(1, 5)), "first");
  EXPECT_EQ(text(find(MPI_ANY_SOURCE, 5)), "first");
  EXPECT_EQ(text(find(2, MPI_ANY_TAG)), "second");
  EXPECT_EQ(text(find(MPI_ANY_SOURCE, 6)), "third");
  matching_.end([&]() -> Arrival& {
    Arrival* first = find(1, 5);
    matching_.take(*first);
    return *first;
  }());
  EXPECT_EQ(text(find(1, 5)), "fourth");
  EXPECT_EQ(text(find(MPI_ANY_SOURCE, MPI_ANY_TAG)), "second");
}

TEST_F(MatchingTest, DataOfAnyLengthIsKept) {
  for (std::size_t length : {0, 1, 63, 64, 65, 8192}) {
    const std::string data(length, static_cast<char>('a' + length % 26));
    keep(4, 4, data);
    Arrival* arrival = find(4, 4);
    ASSERT_NE(arrival, nullptr);
    const Incoming message = arrival->incoming();
    ASSERT_EQ(message.length, length);
    EXPECT_EQ(std::memcmp(message.data, data.data(), length), 0);
    matching_.take(*arrival);
    matching_.end(*arrival);
  }
}

// Against a plain list, at random.
TEST_F(MatchingTest, AgreesWithAPlainModel) {
  std::mt19937 random(20);
  struct Posted {
    Request* request;
    envelope::Pattern wanted;
  };
  std::vector<Posted> posted;
  std::deque<std::uint64_t> waiting;
  for (int step = 0; step < 50000; ++step) {
    const int source = static_cast<int>(random() % 5);
    const int tag = static_cast<int>(random() % 700);
    if (random() % 2 != 0) {
      const std::uint64_t message = bits(source, tag);
      const auto model = std::find_if(posted.begin(), posted.end(),
                                      [&](const Posted& one) { return one.wanted.fits(message); });
      Request* found = matching_.receiveFor(message);
      ASSERT_EQ(found, model == posted.end() ? nullptr : model->request);
      if (model != posted.end()) {
        posted.erase(model);
      } else {
        waiting.push_back(message);
        matching_.keep({message, 0, Carrier::Slot, 0, 0, nullptr});
      }
    } else {
      const int from = random() % 8 == 0 ? MPI_ANY_SOURCE : source;
      const int with = random() % 8 == 0 ? MPI_ANY_TAG : tag;
      const envelope::Pattern wanted = envelope::pattern(context, from, with);
      const auto model =
          std::find_if(waiting.begin(), waiting.end(), [&](std::uint64_t one) { return wanted.fits(one); });
      Arrival* found = matching_.find(wanted);
      ASSERT_EQ(found != nullptr, model != waiting.end());
      if (found != nullptr) {
        ASSERT_EQ(found->envelope(), *model);
        waiting.erase(model);
        matching_.take(*found);
        matching_.end(*found);
      } else {
        posted.push_back({&post(from, with), wanted});
      }
    }
  }
}

} // namespace
} // namespace mpl
