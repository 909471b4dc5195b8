// Agreement on context ids, with the processes simulated: their combined proposals are computed here.
#include "comm/ContextIds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

namespace mpl {
namespace {

using Processes = std::vector<std::unique_ptr<ContextIds>>;

Processes processes(int n) {
  Processes all;
  for (int i = 0; i < n; ++i)
    all.push_back(std::make_unique<ContextIds>());
  return all;
}

/// Marks an id as used, unless it is already.
void occupy(ContextIds& ids, std::uint32_t block, int index) {
  const ContextProposal held = ids.hold(block);
  if (held.block == block && (held.free[static_cast<std::size_t>(index) / 64] >> index % 64 & 1) != 0)
    ids.take(block, index);
  if (held.block != ContextProposal::noBlock)
    ids.letGo(held.block);
}

/// One agreement: which processes take part, who of them has joined so far, and the rounds.
class Agreement {
public:
  Agreement(std::vector<int> members, std::uint64_t key) : members_(std::move(members)), key_(key) {}

  /// One more member comes; false when all are there.
  bool join(Processes& all) {
    if (sides_.size() == members_.size())
      return false;
    const int member = members_[sides_.size()];
    sides_.push_back(std::make_unique<ContextAgreement>(*all[static_cast<std::size_t>(member)], key_));
    return true;
  }

  /// One round when all are there; true at the end.
  bool round() {
    ContextProposal combined = sides_[0]->proposal();
    for (std::size_t i = 1; i < sides_.size(); ++i)
      ContextProposal::combine(sides_[i]->proposal(), combined);
    ++rounds_;
    std::set<bool> done;
    for (auto& side : sides_) {
      side->proposal() = combined;
      done.insert(side->settle());
    }
    EXPECT_EQ(done.size(), 1u) << "the members do not agree whether they agree";
    if (!*done.begin())
      return false;
    std::set<std::uint32_t> ids;
    for (auto& side : sides_)
      ids.insert(side->take());
    EXPECT_EQ(ids.size(), 1u);
    id_ = *ids.begin();
    sides_.clear();
    return true;
  }

  std::uint32_t run(Processes& all) {
    while (join(all)) {
    }
    while (!round())
      if (rounds_ > 20000)
        throw Error(MPI_ERR_INTERN, "no end");
    return id_;
  }

  const std::vector<int>& members() const { return members_; }
  std::uint32_t id() const { return id_; }
  int rounds() const { return rounds_; }

private:
  std::vector<int> members_;
  std::uint64_t key_;
  std::vector<std::unique_ptr<ContextAgreement>> sides_;
  std::uint32_t id_ = 0;
  int rounds_ = 0;
};

TEST(ContextProposal, CombiningDoesNotDependOnTheOrder) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<ContextProposal> proposals(5);
    for (auto& proposal : proposals) {
      proposal.block = static_cast<std::uint32_t>(random() % 3);
      for (auto& word : proposal.free)
        word = random();
    }
    const auto combined = [&] {
      ContextProposal all = proposals[0];
      for (std::size_t i = 1; i < proposals.size(); ++i)
        ContextProposal::combine(proposals[i], all);
      return all;
    };
    const ContextProposal first = combined();
    std::shuffle(proposals.begin(), proposals.end(), random);
    const ContextProposal second = combined();
    EXPECT_EQ(first.block, second.block);
    EXPECT_EQ(first.unanimous, second.unanimous);
    EXPECT_EQ(first.free, second.free);
  }
}

TEST(ContextIds, AgreementTakesOneRoundAndIdsAreEvenAndNotTheLibrarysOwn) {
  Processes all = processes(4);
  std::set<std::uint32_t> ids;
  for (std::uint64_t key = 0; key < 200; ++key) {
    Agreement agreement({0, 1, 2, 3}, key);
    const std::uint32_t id = agreement.run(all);
    EXPECT_EQ(agreement.rounds(), 1);
    EXPECT_EQ(id % 2, 0u);
    EXPECT_GE(id, ContextIds::firstId);
    EXPECT_LT(id, envelope::derivedContexts);
    EXPECT_TRUE(ids.insert(id).second) << id << " was given twice";
  }
  EXPECT_EQ(all[2]->used(), 200u);
}

TEST(ContextIds, ReleasedIdsAreUsedAgainAMillionTimesOver) {
  Processes all = processes(2);
  std::uint32_t highest = 0;
  for (std::uint64_t key = 0; key < 1000000; ++key) {
    Agreement agreement({0, 1}, key);
    const std::uint32_t id = agreement.run(all);
    highest = std::max(highest, id);
    for (auto& process : all)
      process->release(id);
  }
  EXPECT_LT(highest, 1000u);
  EXPECT_EQ(all[0]->used(), 0u);
}

TEST(ContextIds, TheLibrarysOwnIdsAreNeverReleased) {
  ContextIds ids;
  ids.release(0);
  ids.release(2);
  EXPECT_EQ(ids.used(), 0u);
  EXPECT_EQ(ids.hold(0).free[0] & 0xff, 0u);
}

TEST(ContextIds, MembersThatUseDifferentIdsAgreeInAFewRounds) {
  Processes all = processes(3);
  // Process 0 has used up two blocks with itself alone.
  for (std::uint64_t key = 0; key < 2 * ContextProposal::idsPerBlock; ++key)
    Agreement({0}, key).run(all);
  Agreement agreement({0, 1, 2}, 7);
  agreement.run(all);
  EXPECT_LE(agreement.rounds(), 2);
}

TEST(ContextIds, DisjointUseOfABlockLeadsOn) {
  Processes all = processes(2);
  // One has only odd bits free, the other only even ones.
  for (int process = 0; process < 2; ++process) {
    for (int index = process; index < ContextProposal::idsPerBlock; index += 2)
      occupy(*all[static_cast<std::size_t>(process)], 0, index);
  }
  Agreement agreement({0, 1}, 3);
  EXPECT_GE(agreement.run(all), 2u * ContextProposal::idsPerBlock);
  EXPECT_EQ(agreement.rounds(), 2);
}

TEST(ContextIds, AnAgreementThatIsGivenUpLeavesNothingBehind) {
  ContextIds ids;
  { ContextAgreement agreement(ids, 1); }
  {
    ContextAgreement agreement(ids, 1);
    EXPECT_TRUE(agreement.settle());
    EXPECT_EQ(ids.used(), 1u);
  }
  EXPECT_EQ(ids.used(), 0u);
  EXPECT_EQ(ids.hold(0).block, 0u);
}

// Thread 1 of process 0 waits for process 1 in agreement A; process 1 wants B first.
TEST(ContextIds, AnAgreementThatWaitsForAMemberDoesNotStopAnother) {
  Processes all = processes(2);
  Agreement a({0, 1}, 1);
  ASSERT_TRUE(a.join(all));
  Agreement b({1, 0}, 2);
  const std::uint32_t idOfB = b.run(all);
  const std::uint32_t idOfA = a.run(all);
  EXPECT_NE(idOfA, idOfB);
}

TEST(ContextIds, ManyAgreementsAtOnceEndAndNeverGiveAProcessOneIdTwice) {
  constexpr int processCount = 6;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Processes all = processes(processCount);
    std::vector<std::set<std::uint32_t>> used(processCount);
    std::vector<std::unique_ptr<Agreement>> active;
    int started = 0;
    int ended = 0;
    std::int64_t turns = 0;
    while (ended < 100) {
      ASSERT_LT(++turns, 1000000) << "seed " << seed;
      if (started < 100 && active.size() < 12 && random() % 3 == 0) {
        std::vector<int> members;
        for (int process = 0; process < processCount; ++process)
          if (random() % 2 == 0)
            members.push_back(process);
        if (members.empty())
          members.push_back(0);
        std::shuffle(members.begin(), members.end(), random);
        active.push_back(std::make_unique<Agreement>(members, static_cast<std::uint64_t>(started++)));
      }
      if (active.empty())
        continue;
      const std::size_t chosen = random() % active.size();
      Agreement& agreement = *active[chosen];
      if (agreement.join(all) || !agreement.round())
        continue;
      for (int member : agreement.members())
        EXPECT_TRUE(used[static_cast<std::size_t>(member)].insert(agreement.id()).second);
      if (random() % 2 == 0)
        for (int member : agreement.members()) {
          used[static_cast<std::size_t>(member)].erase(agreement.id());
          all[static_cast<std::size_t>(member)]->release(agreement.id());
        }
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(chosen));
      ++ended;
    }
  }
}

TEST(ContextIds, TwoIdsAreChosenTogether) {
  Processes all = processes(2);
  // The first block has one id left where both look.
  for (int index = 0; index < ContextProposal::idsPerBlock - 1; ++index)
    occupy(*all[0], 0, index);
  ContextAgreement one(*all[0], 9, 2);
  ContextAgreement other(*all[1], 9, 2);
  for (bool done = false; !done;) {
    ContextProposal combined = one.proposal();
    ContextProposal::combine(other.proposal(), combined);
    one.proposal() = combined;
    other.proposal() = combined;
    done = one.settle();
    EXPECT_EQ(other.settle(), done);
  }
  const std::uint32_t first = one.take(0);
  const std::uint32_t second = one.take(1);
  EXPECT_NE(first, second);
  EXPECT_EQ(other.take(0), first);
  EXPECT_EQ(other.take(1), second);
  EXPECT_GE(first, 2u * ContextProposal::idsPerBlock);
}

TEST(ContextIds, IdsThatNobodyTookAreGivenBack) {
  Processes all = processes(1);
  {
    ContextAgreement agreement(*all[0], 1, 2);
    ASSERT_TRUE(agreement.settle());
    EXPECT_EQ(all[0]->used(), 2u);
    all[0]->release(agreement.take(0));
  }
  EXPECT_EQ(all[0]->used(), 0u);
}

TEST(ContextIds, RunningOutIsAnErrorAtAllMembersAndPasses) {
  Processes all = processes(2);
  std::vector<std::uint32_t> ids;
  const auto agree = [&] {
    ContextAgreement one(*all[0], 5);
    ContextAgreement other(*all[1], 5);
    int errors = 0;
    for (;;) {
      ContextProposal combined = one.proposal();
      ContextProposal::combine(other.proposal(), combined);
      int done = 0;
      for (ContextAgreement* side : {&one, &other}) {
        side->proposal() = combined;
        try {
          done += side->settle() ? 1 : 0;
        } catch (const Error& error) {
          EXPECT_EQ(error.errorClass(), MPI_ERR_OTHER);
          ++errors;
        }
      }
      EXPECT_NE(errors, 1);
      if (errors != 0)
        return false;
      if (done != 0) {
        ids.push_back(one.take());
        other.take();
        return true;
      }
    }
  };
  // Process 0 alone uses nearly all.
  for (std::uint32_t block = 0; block < ContextIds::blocks - 1; ++block)
    for (int index = 0; index < ContextProposal::idsPerBlock; ++index)
      occupy(*all[0], block, index);
  for (int i = 0; i < ContextProposal::idsPerBlock; ++i)
    ASSERT_TRUE(agree());
  EXPECT_FALSE(agree());
  for (auto& process : all)
    process->release(ids.back());
  EXPECT_TRUE(agree());
}

} // namespace
} // namespace mpl
