#include "onesided/Window.h"

#include "mpl/Log.h"
#include "onesided/Statistics.h"
#include "onesided/ucx/TargetService.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <unordered_map>

namespace mpl {

constinit Immortal<HandleTable<Window, MPI_Win>> windows;
constinit LastRoute lastRoute;

namespace {

std::unordered_map<std::uint32_t, Window*>& byId() {
  static auto* map = new std::unordered_map<std::uint32_t, Window*>; // used by late threads
  return *map;
}

} // namespace

Window::Window(Ref<Communicator> comm, Ref<Group> group, Flavor flavor)
    : targets_(static_cast<std::size_t>(comm->size())), targetCount_(comm->size()), flavor_(flavor),
      comm_(std::move(comm)), userGroup_(std::move(group)), errhandler_(Errhandler::fatal()) {
  {
    // With a handle of its own it is told of deaths like all communicators.
    EngineLock lock;
    comm_->giveHandle();
  }
  RmaLock lock;
  byId()[id()] = this;
}

Window::~Window() {
  if (needsMessages_)
    rmaProgress::leave();
  std::free(allocated_);
  {
    RmaLock lock;
    byId().erase(id());
  }
  if (comm_->handle() != MPI_COMM_NULL) {
    EngineLock lock;
    comm_->dropHandle();
  }
}

Window* Window::findLocal(std::uint32_t id) {
  const auto found = byId().find(id);
  return found != byId().end() ? found->second : nullptr;
}

Window* Window::ofCommunicator(const Communicator& comm) {
  RmaLock lock;
  Window* window = findLocal(comm.context());
  return window != nullptr && &window->comm() == &comm ? window : nullptr;
}

std::string Window::listAlive() {
  std::string list;
  windows->forEach([&](Window& window) {
    list += text(list.empty() ? "" : "; ", window.label(),
                 window.access_ == Access::none ? "" : text(" with ", window.accessName()));
  });
  return list;
}

void Window::countAccesses() {
  RmaLock lock;
  if (Statistics::enabled())
    return;
  Statistics::enable();
  windows->forEach([](Window& window) {
    for (const std::unique_ptr<Target>& target : window.owned_)
      target->slowDown();
  });
}

MPI_Win Window::giveHandle() {
  retain();
  handle_ = windows->insert(this);
  return handle_;
}

std::string Window::label() const {
  return name_.empty() ? text("a window of ", size(), " rank", size() == 1 ? "" : "s") : name_;
}

MemberBlock* Window::blockOf(int rank) const noexcept {
  if (rank == comm_->rank())
    return localBlock_;
  const auto found = std::lower_bound(nodeRanks_.begin(), nodeRanks_.end(), rank);
  if (!node_ || found == nodeRanks_.end() || *found != rank)
    return nullptr;
  return reinterpret_cast<MemberBlock*>(node_.data()) + (found - nodeRanks_.begin());
}

bool Window::holds(std::uint64_t address, std::uint64_t bytes) const noexcept {
  if (!isDynamic()) {
    const auto base = reinterpret_cast<std::uint64_t>(memory_.base);
    return address >= base && bytes <= memory_.bytes && address - base <= memory_.bytes - bytes;
  }
  // Neighbouring regions are as good as one.
  std::uint64_t at = address;
  const std::uint64_t end = address + bytes;
  if (end < address)
    return false;
  for (auto next = attached_.upper_bound(at); next != attached_.begin(); ++next) {
    const auto& [base, length] = *std::prev(next);
    const std::uint64_t inside = at - base;
    if (inside > length || (inside == length && bytes != 0))
      return false;
    at = base + length;
    if (at >= end)
      return true;
    if (next == attached_.end() || next->first != at)
      return false;
  }
  return false;
}

void Window::attach(void* base, MPI_Aint bytes) {
  if (!isDynamic())
    fail(MPI_ERR_RMA_FLAVOR, label(), " was not made by MPI_Win_create_dynamic");
  if (bytes < 0)
    fail(MPI_ERR_SIZE, "size is ", bytes, ", which is negative");
  if (base == nullptr && bytes != 0)
    fail(MPI_ERR_BASE, "base is a null pointer, but size is ", bytes);
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  const std::uint64_t end = begin + static_cast<std::uint64_t>(bytes);
  RmaLock lock;
  const auto after = attached_.lower_bound(begin);
  const bool overlaps =
      (after != attached_.end() && (after->first < end || after->first == begin)) ||
      (after != attached_.begin() && std::prev(after)->first + std::prev(after)->second > begin);
  if (overlaps)
    fail(MPI_ERR_RMA_ATTACH, "the ", bytes, " bytes at base ", static_cast<const void*>(base),
         " overlap memory that is attached already");
  attached_.emplace(begin, static_cast<std::uint64_t>(bytes));
}

void Window::detach(const void* base) {
  if (!isDynamic())
    fail(MPI_ERR_RMA_FLAVOR, label(), " was not made by MPI_Win_create_dynamic");
  RmaLock lock;
  if (attached_.erase(reinterpret_cast<std::uint64_t>(base)) == 0)
    fail(MPI_ERR_RMA_ATTACH, "no memory is attached at base ", base);
}

Window::Memory Window::sharedQuery(int rank) {
  if (isDynamic())
    fail(MPI_ERR_RMA_FLAVOR, label(), " is a dynamic window, whose memory is not shared");
  queried_ = true;
  const auto memoryOf = [&](int member) -> Memory {
    if (member == comm_->rank())
      return memory_;
    const MemberBlock* block = blockOf(member);
    if (block == nullptr || block->offset == MemberBlock::notShared)
      return {};
    return {node_.data() + block->offset, block->bytes, block->dispUnit};
  };
  if (rank != MPI_PROC_NULL) {
    checkRank(rank);
    return memoryOf(rank);
  }
  std::vector<int> members = nodeRanks_;
  if (members.empty())
    members.push_back(comm_->rank());
  for (int member : members)
    if (const Memory found = memoryOf(member); found.bytes != 0)
      return found;
  return {};
}

void Window::checkRank(int rank) const {
  if (rank < 0 || rank >= size())
    fail(MPI_ERR_RANK, "rank is ", rank, ", which is not a rank of ", label(), " (0..", size() - 1, ")");
}

Target& Window::target(int rank) {
  RmaLock lock;
  Target*& slot = targets_[static_cast<std::size_t>(rank)];
  if (slot == nullptr) {
    owned_.push_back(std::make_unique<Target>());
    Target* made = owned_.back().get();
    made->rank = rank;
    made->block = blockOf(rank);
    slot = made;
  }
  return *slot;
}

void Window::connect(Target& target) {
  static const auto order = transportOrder();
  bool dead = false;
  rmaWait(*this, target.rank, [&] {
    if (target.ready)
      return true;
    LinkState state = LinkState::refused;
    withLink(target.link, [&](auto& link) { state = link.state(); });
    if (state == LinkState::refused) {
      if (target.link.index() != 0) {
        log::info(transportName(order[target.transport]), " does not lead to ",
                  comm_->describePeer(target.rank), " for ", label());
        target.link = {};
        ++target.transport;
      }
      for (; target.transport < transportCount && target.link.index() == 0; ++target.transport) {
        withTransport(order[target.transport], [&](auto& transport) {
          if (transport.leadsTo(*this, target.rank))
            target.link = transport.connect(*this, target.rank);
        });
        if (target.link.index() != 0)
          break;
      }
      if (target.link.index() == 0)
        fail(MPI_ERR_OTHER, "no transport leads to ", comm_->describePeer(target.rank));
      return false;
    }
    dead = state == LinkState::dead;
    if (state != LinkState::ready)
      return dead;
    withLink(target.link, [&](auto& link) {
      const RemoteWindow& remote = link.remote();
      target.base = remote.base;
      target.bytes = remote.bytes;
      target.dispUnit = remote.dispUnit;
    });
    if (std::holds_alternative<std::unique_ptr<ShmLink>>(target.link)) {
      target.mapped = reinterpret_cast<std::byte*>(target.base);
    } else if (const auto* link = std::get_if<std::unique_ptr<UcxLink>>(&target.link)) {
      target.direct = (*link)->way();
    }
    if (!target.isMapped())
      target.messages =
          std::make_unique<MessageLink>(rmaWorker.peer(comm_->group().process(target.rank)), id());
    Statistics::count(target.way(), Statistics::Counter::connections);
    target.ready = true;
    return true;
  });
  if (dead)
    fail(MPI_ERR_PROC_ABORTED, comm_->describePeer(target.rank), " of ", label(), " is dead");
}

void Window::open(Target& target) {
  RmaLock lock;
  if (target.open)
    return;
  opened_.push_back(&target);
  target.open = true;
  target.fast = !Statistics::enabled();
  target.quick = target.fast && target.isMapped() && isPassive();
}

void Window::closeTargets() noexcept {
  RmaLock lock;
  for (Target* target : opened_)
    target->close();
  opened_.clear();
}

void Window::noteFailure(ProcessId process, int errorClass) noexcept {
  const int rank = comm_->group().rankOf(process);
  if (rank == MPI_UNDEFINED)
    return;
  if (Target* target = targets_[static_cast<std::size_t>(rank)])
    target->arrival.fail(errorClass);
}

void failBadWindow(MPI_Win handle) {
  runtime.requireActive();
  if (handle == MPI_WIN_NULL)
    fail(MPI_ERR_WIN, "the window is MPI_WIN_NULL");
  fail(MPI_ERR_WIN, "the window handle ", static_cast<const void*>(handle),
       " is not valid (was the window freed?)");
}

} // namespace mpl
