#pragma once

#include "coll/Contexts.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace mpl {

/// What the members of a communicator to be tell each other in one round of choosing its context id: the
/// block of ids that a member looks at, and which of them are free there. combine() joins the proposals of
/// all.
struct ContextProposal {
  static constexpr std::uint32_t noBlock = UINT32_MAX;
  static constexpr int words = 4;
  static constexpr int idsPerBlock = 64 * words;

  std::uint32_t block = noBlock;
  std::uint32_t unanimous = 1; ///< all looked at the same block
  std::array<std::uint64_t, words> free{};

  /// inout = in and inout: free is what is free at all that looked at the highest block.
  static void combine(const ContextProposal& in, ContextProposal& inout) noexcept;
  /// The first free one of the block from `start` on, cyclically.
  std::optional<int> firstFree(unsigned start) const noexcept;
  void markUsed(int index) noexcept {
    free[static_cast<unsigned>(index) / 64] &= ~(std::uint64_t{1} << index % 64);
  }
};

/// Which context ids this process uses. Ids are even numbers; 0 to 15 are the library's own. Any thread may
/// call any function, with or without the engine.
///
/// While members agree on an id, each holds a whole block of ids back from other agreements of this process,
/// so that two agreements can never choose the same id, and neither has to wait for the other.
class ContextIds {
public:
  static constexpr std::uint32_t firstId = 16;
  static constexpr std::uint32_t blocks = envelope::derivedContexts / 2 / ContextProposal::idsPerBlock;

  /// Holds the first block from `from` on that nobody holds and that has a free id; noBlock: there is none.
  ContextProposal hold(std::uint32_t from);
  void letGo(std::uint32_t block) noexcept;
  /// Marks an id of a held block as used, and gives it.
  std::uint32_t take(std::uint32_t block, int index) noexcept;
  /// The id may be chosen again. Those of the library's own are left alone.
  void release(std::uint32_t id) noexcept;

  /// How many ids are in use, the library's own not counted.
  std::size_t used() const;

  /// Of this process. The first call makes communicators give their ids back when they go.
  static ContextIds& get();

private:
  struct Block {
    std::array<std::uint64_t, ContextProposal::words> free;
    bool held = false;
  };
  void grow(std::uint32_t block);

  mutable std::mutex mutex_;
  std::vector<Block> blocks_; // those that were ever looked at
};

/// One member's part in choosing a context id:
///   do { all-reduce proposal() with ContextProposal::combine } while (!settle());
/// All members come to the same end after the same number of rounds. One round is enough unless members use
/// different ids already, or take part in other agreements at the same time.
class ContextAgreement {
public:
  static constexpr int mostIds = 2;

  /// key: the same at all members; spreads the choices. wanted: how many ids, 1 to mostIds, the same at all.
  ContextAgreement(ContextIds& ids, std::uint64_t key, int wanted = 1);
  ~ContextAgreement();
  ContextAgreement(const ContextAgreement&) = delete;
  ContextAgreement& operator=(const ContextAgreement&) = delete;

  ContextProposal& proposal() noexcept { return proposal_; }
  /// Given the combined proposal: true when the ids were chosen; then take() them. Errors: MPI_ERR_OTHER, at
  /// all members, when not enough ids are free at all of them.
  bool settle();
  /// One of the ids, which is the caller's from now on.
  std::uint32_t take(int which = 0) noexcept;

private:
  static constexpr int sweepsBeforeGivingUp = 3;
  bool choose(const ContextProposal& combined);
  std::uint32_t nextBlock(const ContextProposal& combined);

  ContextIds& ids_;
  std::uint64_t key_;
  ContextProposal proposal_;
  std::uint32_t held_;
  unsigned rounds_ = 0;
  int sweeps_ = 0;
  int wanted_;
  std::array<std::optional<std::uint32_t>, mostIds> chosen_;
};

} // namespace mpl
