#include "coll/Calls.h"
#include "comm/Agreement.h"
#include "mpl/Op.h"
#include "onesided/RmaProgress.h"
#include "onesided/Window.h"
#include "onesided/WindowHints.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/Transfer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <unistd.h>

namespace mpl {

/// Makes one window. The members of a node share memory that the first of them makes; then all members agree
/// that all have succeeded. Costs the same for any number of nodes: two all-reductions.
class WindowBuilder {
public:
  WindowBuilder(Communicator& parent, const Window::Wish& wish) : parent_(parent), wish_(wish) {}

  Ref<Window> make() {
    rmaProgress::prepare();
    ContextLease lease = agreeOnContext(parent_);
    window_ = Ref<Window>(new Window(Communicator::create(parent_.groupRef(), {}, lease.take()),
                                     parent_.groupRef(), wish_.flavor));
    // Whatever goes wrong here alone must not leave the others waiting: it is told to all.
    attempt([&] { check(); });
    attempt([&] { shareNode(); });
    attempt([&] { placeMemory(); });
    attempt([&] { openTransports(); });
    agree();
    window_->node_.closeDescriptor();
    setAttributes();
    return window_;
  }

private:
  // What a member tells the first one of its node, and what that answers.
  struct Part {
    std::uint64_t bytes;
    std::int64_t dispUnit;
    std::int64_t failed;
  };
  struct Shared {
    std::int64_t creator;
    std::int64_t descriptor;
    std::uint64_t bytes; // 0: there is none
    std::uint64_t offset;
  };

  template <class Step> void attempt(Step&& step) {
    try {
      step();
    } catch (const Error& error) {
      if (!error_)
        error_ = error;
    } catch (const std::bad_alloc&) {
      if (!error_)
        error_ = Error(MPI_ERR_NO_MEM, "out of memory");
    }
  }

  bool hasMemory() const { return wish_.flavor != Window::Flavor::dynamic; }

  void check() {
    if (wish_.bytes < 0)
      fail(MPI_ERR_SIZE, "size is ", wish_.bytes, ", which is negative");
    if (hasMemory() && wish_.dispUnit <= 0)
      fail(MPI_ERR_DISP, "disp_unit is ", wish_.dispUnit, ", which is not positive");
    if (wish_.flavor == Window::Flavor::create && wish_.base == nullptr && wish_.bytes != 0)
      fail(MPI_ERR_BASE, "base is a null pointer, but size is ", wish_.bytes);
    window_->hints_ = recognizedWindowHints(wish_.hints);
    window_->memory_.dispUnit = wish_.dispUnit;
    window_->memory_.bytes = static_cast<std::uint64_t>(wish_.bytes);
  }

  bool shared() const { return wish_.flavor == Window::Flavor::shared; }

  void findNode() {
    const Group& group = window_->comm().group();
    for (int process : runtime.process().localPeers())
      if (const int rank = group.rankOf(process); rank != MPI_UNDEFINED)
        window_->nodeRanks_.push_back(rank);
    std::sort(window_->nodeRanks_.begin(), window_->nodeRanks_.end());
  }

  /// Memory of the node for the blocks of its members, and for the window's own where it is allocated.
  void shareNode() {
    findNode();
    const bool wanted = shared() || !isSharingAvoided();
    if (!wanted || (window_->nodeRanks_.size() < 2 && !shared())) {
      window_->nodeRanks_.clear();
      return;
    }
    const int first = window_->nodeRanks_.front();
    const Part mine{error_ || !isInNode() ? 0 : window_->memory_.bytes, window_->memory_.dispUnit,
                    error_ ? 1 : 0};
    if (window_->comm().rank() == first)
      createNode(mine);
    else
      joinNode(first, mine);
  }

  bool isInNode() const {
    return wish_.flavor == Window::Flavor::allocate || wish_.flavor == Window::Flavor::shared;
  }
  bool isContiguous() const {
    const auto hint = window_->hints_.get("alloc_shared_noncontig");
    return shared() && !(hint && *hint == "true");
  }

  static std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

  void createNode(const Part& mine) {
    constexpr std::uint64_t line = 64;
    constexpr std::uint64_t page = 4096;
    Communicator& comm = window_->comm();
    const std::vector<int>& ranks = window_->nodeRanks_;
    std::vector<Part> parts(ranks.size());
    parts[0] = mine;
    for (std::size_t i = 1; i < ranks.size(); ++i)
      receive(comm, &parts[i], sizeof(Part), ranks[i]);

    std::vector<std::uint64_t> offsets(ranks.size(), MemberBlock::notShared);
    std::uint64_t end = roundUp(sizeof(MemberBlock) * ranks.size(), page);
    bool failed = false;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      failed = failed || parts[i].failed != 0;
      if (!isInNode())
        continue;
      if (!isContiguous())
        end = roundUp(end, parts[i].bytes >= page ? page : line);
      offsets[i] = end;
      failed = failed || __builtin_add_overflow(end, parts[i].bytes, &end) || end > INT64_MAX;
    }
    Shared answer{::getpid(), -1, 0, 0};
    std::optional<Error> refused;
    if (!failed) {
      try {
        window_->node_ = NodeMemory::create(end);
        answer.descriptor = window_->node_.descriptor();
        answer.bytes = end;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          auto* block = reinterpret_cast<MemberBlock*>(window_->node_.data()) + i;
          block->bytes = parts[i].bytes;
          block->dispUnit = parts[i].dispUnit;
          block->offset = offsets[i];
        }
      } catch (const Error& error) {
        refused = error;
      }
    } else if (!error_ && end > INT64_MAX) {
      refused = Error(MPI_ERR_NO_MEM, "the sizes of the members add up to more than 64 bits hold");
    }
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      answer.offset = offsets[i];
      send(comm, &answer, sizeof answer, ranks[i]);
    }
    offset_ = offsets[0];
    if (refused)
      throw *refused;
  }

  void joinNode(int first, const Part& mine) {
    Communicator& comm = window_->comm();
    send(comm, &mine, sizeof mine, first);
    Shared answer{};
    receive(comm, &answer, sizeof answer, first);
    offset_ = answer.offset;
    if (answer.bytes == 0)
      return; // that member's error is told to all
    window_->node_ = NodeMemory::attach(static_cast<pid_t>(answer.creator),
                                        static_cast<int>(answer.descriptor), answer.bytes);
    unmapped_ = !window_->node_;
  }

  static constexpr int setUpTag = 2;

  void send(Communicator& comm, const void* data, std::size_t bytes, int rank) {
    Request* request = nullptr;
    {
      EngineLock lock;
      request = transfer::sendBytes(comm, comm.messageContext(), data, bytes, rank, setUpTag);
    }
    if (request != nullptr)
      finish(*request);
  }
  void receive(Communicator& comm, void* data, std::size_t bytes, int rank) {
    Request* request = nullptr;
    {
      EngineLock lock;
      request = transfer::receiveBytes(comm, comm.messageContext(), data, bytes, rank, setUpTag);
    }
    finish(*request);
  }
  static void finish(Request& request) {
    waitUntil([&] { return request.isComplete(); });
    EngineLock lock;
    const int error = request.outcome.error;
    requestPool.release(request);
    if (error != MPI_SUCCESS)
      fail(error, "a member of the new window has died");
  }

  void placeBlocks() {
    Window& window = *window_;
    MemberBlock* blocks = nullptr;
    std::size_t count = 1;
    std::size_t own = 0;
    if (window.node_) {
      const auto& ranks = window.nodeRanks_;
      blocks = reinterpret_cast<MemberBlock*>(window.node_.data());
      count = ranks.size();
      own = static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), window.comm().rank()) -
                                     ranks.begin());
    } else {
      window.ownBlock_ = std::make_unique<MemberBlock>();
      blocks = window.ownBlock_.get();
    }
    window.localBlock_ = blocks + own;
    window.localBlock_->process = ::getpid();
    window.updater_ = Updater(blocks, count, own, Updater::Role::program);
    window.serviceUpdater_ = Updater(blocks, count, own, Updater::Role::service);
  }

  void placeMemory() {
    Window& window = *window_;
    Window::Memory& memory = window.memory_;
    placeBlocks();
    switch (wish_.flavor) {
    case Window::Flavor::create:
      memory.base = static_cast<std::byte*>(wish_.base);
      describeTo(*window.localBlock_);
      break;
    case Window::Flavor::shared:
      if (window.node_)
        memory.base = window.node_.data() + offset_;
      break;
    case Window::Flavor::allocate:
      if (window.node_)
        memory.base = window.node_.data() + offset_;
      else if (!unmapped_)
        allocate();
      break;
    case Window::Flavor::dynamic:
      memory = {nullptr, 0, 1};
      break;
    }
  }

  void describeTo(MemberBlock& block) {
    std::random_device random;
    window_->proof_ = std::uint64_t{random()} << 32 | random();
    block.bytes = window_->memory_.bytes;
    block.base = reinterpret_cast<std::uint64_t>(wish_.base);
    block.proofAddress = reinterpret_cast<std::uint64_t>(&window_->proof_);
    block.proof = window_->proof_;
  }

  void allocate() {
    constexpr std::size_t line = 64;
    Window& window = *window_;
    void* memory = nullptr;
    const std::size_t bytes = std::max<std::size_t>(window.memory_.bytes, 1);
    if (posix_memalign(&memory, line, bytes) != 0)
      fail(MPI_ERR_NO_MEM, "no memory for a window of ", window.memory_.bytes, " bytes");
    window.allocated_ = static_cast<std::byte*>(memory);
    window.memory_.base = window.allocated_;
  }

  /// Others may come by messages unless all members map this one's memory.
  bool needsMessages() const {
    if (isSharingAvoided())
      return true;
    if (window_->size() == 1)
      return !hasMemory();
    return !isInNode() || window_->nodeRanks_.size() != static_cast<std::size_t>(window_->size()) ||
           unmapped_;
  }

  void openTransports() {
    if (shared() && window_->nodeRanks_.size() != static_cast<std::size_t>(window_->size()))
      fail(MPI_ERR_RMA_SHARED, "the ", window_->size(), " ranks are not all on one node (",
           window_->nodeRanks_.size(), " are on this one)");
    if (needsMessages())
      startMessages();
    forEachTransport([&](auto& transport) { transport.opened(*window_); });
    opened_ = true;
  }

  std::int64_t highest(std::int64_t mine) {
    std::int64_t all = 0;
    const Datatype& type = datatypeOf(MPI_INT64_T);
    // Not the window's own communicator, which would make shared memory for its collectives.
    run(AllreduceCall{{&parent_, Block::of(&mine, 1, type), &all, &opOf(MPI_MAX)}});
    return all;
  }

  /// All succeed, or all fail alike.
  void agree() {
    // The class of the error, and who has it; below any error, that memory of the node could not be mapped.
    const auto rank = static_cast<std::int64_t>(window_->comm().rank());
    std::int64_t mine = error_ ? (std::int64_t{error_->errorClass()} << 32 | rank) : unmapped_ ? 1 : 0;
    std::int64_t worst = highest(mine);
    if (worst == 1) {
      attempt([&] { dropNode(); });
      mine = error_ ? (std::int64_t{error_->errorClass()} << 32 | rank) : 0;
      worst = highest(mine);
    }
    if (worst == 0)
      return;
    std::array<char, 512> message{};
    const int who = static_cast<int>(worst & INT32_MAX);
    if (who == window_->comm().rank())
      error_->message().copy(message.data(), message.size() - 1);
    run(BroadcastCall{&parent_, Block::ofBytes(message.data(), message.size()), who});
    if (opened_)
      forEachTransport([&](auto& transport) { transport.closing(*window_); });
    const int errorClass = static_cast<int>(worst >> 32);
    if (who == window_->comm().rank())
      throw Error(errorClass, message.data());
    if (error_)
      throw *error_;
    fail(errorClass, "rank ", who, ": ", message.data());
  }

  /// Some process may not map memory of another: nobody does.
  void dropNode() {
    Window& window = *window_;
    if (shared())
      fail(MPI_ERR_RMA_SHARED, "processes of this node may not map each other's memory");
    window.node_ = NodeMemory();
    window.nodeRanks_.clear();
    placeBlocks();
    if (wish_.flavor == Window::Flavor::allocate)
      allocate();
    startMessages();
  }

  void startMessages() {
    if (window_->needsMessages_)
      return;
    rmaProgress::start();
    window_->needsMessages_ = true;
  }

  void setAttributes() {
    Window& window = *window_;
    window.sizeAttribute_ = static_cast<MPI_Aint>(window.memory_.bytes);
    window.dispUnitAttribute_ =
        static_cast<int>(std::min<std::int64_t>(window.memory_.dispUnit, std::numeric_limits<int>::max()));
    constexpr std::array flavors{MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                                 MPI_WIN_FLAVOR_SHARED};
    window.flavorAttribute_ = flavors[static_cast<std::size_t>(wish_.flavor)];
    window.attributes_.setPredefined(MPI_WIN_BASE, window.memory_.base);
    window.attributes_.setPredefined(MPI_WIN_SIZE, &window.sizeAttribute_);
    window.attributes_.setPredefined(MPI_WIN_DISP_UNIT, &window.dispUnitAttribute_);
    window.attributes_.setPredefined(MPI_WIN_CREATE_FLAVOR, &window.flavorAttribute_);
    window.attributes_.setPredefined(MPI_WIN_MODEL, &window.modelAttribute_);
  }

  Communicator& parent_;
  const Window::Wish& wish_;
  Ref<Window> window_;
  std::optional<Error> error_;
  bool unmapped_ = false;
  bool opened_ = false;
  std::uint64_t offset_ = MemberBlock::notShared;
};

Ref<Window> Window::make(Communicator& parent, const Wish& wish) {
  return WindowBuilder(parent, wish).make();
}

} // namespace mpl
