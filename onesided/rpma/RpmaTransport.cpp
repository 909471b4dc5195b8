#include "onesided/rpma/RpmaTransport.h"

#include "mpl/Config.h"
#include "mpl/Log.h"
#include "onesided/RmaLock.h"
#include "onesided/Window.h"
#include "onesided/rpma/RegistrationCache.h"
#include "onesided/rpma/RpmaCounters.h"
#include "pt2pt/Runtime.h"

#include <utility>

namespace mpl {

static_assert(WindowTransport<RpmaTransport>);

RpmaTransport& rpmaTransport = *new RpmaTransport;

RpmaLink::~RpmaLink() {
  connection_.removeWindow(window_);
  connection_.forgetAnswer(window_);
  connection_.forget(lost_);
  if (lookup_ && !lookup_->pending.isComplete())
    lookup_.release(); // the device still writes there
  if (region_ != nullptr)
    rpma_mr_remote_delete(&region_);
}

LinkState RpmaLink::state() {
  switch (connection_.advance()) {
  case RpmaConnection::State::connecting:
    return LinkState::connecting;
  case RpmaConnection::State::dead:
    return LinkState::dead;
  case RpmaConnection::State::broken:
    connection_.restart(window_);
    return LinkState::connecting;
  case RpmaConnection::State::refused:
    if (state_ == LinkState::connecting) {
      rpmaTransport.tellRefusal(connection_);
      state_ = LinkState::refused;
    }
    return state_;
  case RpmaConnection::State::ready:
    break;
  }
  if (state_ != LinkState::connecting)
    return state_;
  if (const auto answer = connection_.takeAnswer(window_))
    return state_ = accept(*answer);
  if (!lookup_) {
    lookup_ = std::make_unique<Lookup>();
    startLookup();
    return state_;
  }
  return lookup_->pending.isComplete() ? finishLookup() : state_;
}

void RpmaLink::startLookup() {
  ++rpmaCounters.lookups;
  ++lookup_->attempts;
  connection_.queue().get(connection_.directory(), WindowDirectory::probeOffset(window_),
                          lookup_->probe.data(), lookup_->probe.size(), lookup_->pending);
  rpmaTransport.watch(connection_);
}

LinkState RpmaLink::finishLookup() {
  if (lookup_->pending.takeError() != MPI_SUCCESS)
    return state_ = LinkState::refused;
  const DirectoryAnswer answer = searchDirectory(lookup_->probe, window_, connection_.secret());
  constexpr int most = 100; // an entry is written in no time
  if (answer.kind == DirectoryAnswer::Kind::unreadable && lookup_->attempts < most) {
    startLookup();
    return state_;
  }
  state_ = answer.kind == DirectoryAnswer::Kind::found ? accept(answer.record) : LinkState::refused;
  lookup_.reset();
  return state_;
}

LinkState RpmaLink::accept(const WindowRecord& record) {
  remote_ = {record.base, record.bytes, record.dispUnit};
  if (record.bytes == 0)
    return LinkState::ready;
  const std::span<const std::byte> described = record.memory.data();
  std::size_t size = 0;
  if (described.empty() || rpma_mr_remote_from_descriptor(described.data(), described.size(), &region_) != 0)
    return LinkState::refused;
  if (rpma_mr_remote_get_size(region_, &size) != 0 || size != record.bytes)
    return LinkState::refused;
  return LinkState::ready;
}

bool RpmaLink::makeUsable(Pending& pending) {
  using State = RpmaConnection::State;
  if (connection_.advance() == State::ready)
    connection_.poll();
  if (connection_.advance() == State::broken)
    connection_.restart(window_);
  const State state = connection_.waitForAnswer();
  if (state != State::ready)
    pending.fail(state == State::dead ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER);
  return state == State::ready;
}

void RpmaLink::put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (!isUsable(pending))
    return;
  connection_.queue().put(region_, remote - remote_.base, from, bytes, pending, lost_);
  dirty_ = true;
  rpmaTransport.watch(connection_);
}

bool RpmaLink::store(const void* from, std::uint64_t remote, Pending& pending) {
  if (remote % RPMA_ATOMIC_WRITE_ALIGNMENT != 0 || (remote - remote_.base) % RPMA_ATOMIC_WRITE_ALIGNMENT != 0)
    return false;
  if (isUsable(pending)) {
    connection_.queue().store(region_, remote - remote_.base, from, pending, lost_);
    dirty_ = true;
    rpmaTransport.watch(connection_);
  }
  return true;
}

void RpmaLink::get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (!isUsable(pending))
    return;
  connection_.queue().get(region_, remote - remote_.base, to, bytes, pending);
  rpmaTransport.watch(connection_);
}

void RpmaLink::flush(Pending& pending) {
  if (!dirty_)
    return;
  dirty_ = false;
  const bool usable = isUsable(pending);
  if (const int lost = std::exchange(lost_, MPI_SUCCESS); usable && lost != MPI_SUCCESS)
    return pending.fail(lost);
  if (!usable)
    return;
  // Any memory will do: a read comes behind all writes of its connection. Windows may be too small for one.
  connection_.queue().flush(connection_.directory(), pending, lost_);
  rpmaTransport.watch(connection_);
}

void RpmaLink::linger(const Pending& first, const Pending& second) {
  constexpr int polls = 2000;  // some ten microseconds
  constexpr int fewPolls = 16; // while somebody else waits for the lock
  for (int i = 0; i < polls && !(first.isComplete() && second.isComplete()); ++i) {
    connection_.poll();
    if (i >= fewPolls && RmaLock::isContended())
      return;
  }
}

void RpmaTransport::start() {
  forced_ = Config::get().word(Setting::onesided) == name;
  Process& process = runtime.process();
  std::string why;
  Contact contact;
  try {
    if (std::unique_ptr<RpmaDevice> device = RpmaDevice::open(why)) {
      context_ = std::make_unique<RpmaContext>();
      context_->device = std::move(device);
      context_->job = jobNumber(process.jobId());
      context_->self = static_cast<std::uint32_t>(process.rank());
      context_->jobSize = static_cast<std::uint32_t>(process.size());
      context_->contact.address = context_->device->address();
      context_->contact.secret = Secret::random();
      service_ = std::make_unique<RpmaService>(*context_);
      service_->start();
      registrationCache.start(*context_->device);
      contact = context_->contact;
    }
  } catch (const Error& error) {
    why = error.message();
    service_.reset();
    context_.reset();
  }
  if (!context_ && forced_ && !std::exchange(told_, true))
    log::warning("MPL_ONESIDED=rpma: ", why, "; windows go other ways");
  process.put(Contact::key, contact.encode());
}

void RpmaTransport::markDead(ProcessId process) noexcept {
  const auto found = connections_.find(process);
  if (found != connections_.end() && found->second->advance() != RpmaConnection::State::dead)
    found->second->close(RpmaConnection::State::dead, MPI_ERR_PROC_ABORTED);
}

std::string RpmaTransport::details() const {
  return rpmaCounters.describe();
}

void RpmaTransport::opened(Window& window) {
  const RmaLock lock;
  if (service_)
    service_->opened(window);
}

void RpmaTransport::closing(Window& window) noexcept {
  const RmaLock lock;
  if (service_)
    service_->closing(window);
}

bool RpmaTransport::leadsTo(Window& window, int rank) {
  if (!context_ || window.isDynamic())
    return false;
  const ProcessId process = window.comm().group().process(rank);
  if (!forced_ && runtime.process().isLocal(static_cast<int>(process)))
    return false;
  const auto found = connections_.find(process);
  return found == connections_.end() || found->second->advance() != RpmaConnection::State::refused;
}

std::unique_ptr<RpmaLink> RpmaTransport::connect(Window& window, int rank) {
  const ProcessId process = window.comm().group().process(rank);
  std::unique_ptr<RpmaConnection>& connection = connections_[process];
  if (!connection)
    connection = std::make_unique<RpmaConnection>(*context_, process, window.id());
  return std::make_unique<RpmaLink>(*connection, window.id());
}

void RpmaTransport::tellRefusal(const RpmaConnection& connection) {
  if (std::exchange(told_, true))
    return;
  const std::string line = text("no RDMA to rank ", connection.process(), " of the job: ", connection.why(),
                                "; windows go other ways (told once)");
  if (forced_)
    log::warning(line);
  else
    log::info(line);
}

unsigned RpmaTransport::progress() {
  if (!context_)
    return 0;
  unsigned events = 0;
  for (std::size_t i = 0; i < watched_.size();) {
    RpmaConnection& connection = *watched_[i];
    events += connection.poll();
    if (!connection.queue().hasUnfinished()) {
      connection.isWatched = false;
      watched_[i] = watched_.back();
      watched_.pop_back();
    } else {
      ++i;
    }
  }
  // Asking the system costs more than asking the device.
  constexpr unsigned every = 8;
  if (++turn_ % every == 0)
    events += context_->events.poll();
  return events;
}

} // namespace mpl
