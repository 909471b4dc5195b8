#include "pt2pt/node/NodeChannel.h"

#include "mpl/Error.h"
#include "mpl/Log.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/node/NodeReceive.h"
#include "pt2pt/node/NodeSend.h"

#include <algorithm>
#include <cstring>

namespace mpl {

NodeChannel nodeChannel;
const MailSlot NodeChannel::nothing{};

void NodeChannel::open(ProcessId self, std::string_view transportAddress) {
  try {
    memory_.emplace(transportAddress);
  } catch (const Error& error) {
    log::info("messages on this node go through UCX: ", error.message());
    return;
  }
  self_ = self;
  mailbox_.emplace(memory_->mailbox());
  chunks_.emplace(memory_->chunks());
  longSends_.emplace(TransferBoard(memory_->board()));
  lookAtNext();
}

void NodeChannel::lookAtNext() noexcept {
  next_ = &mailbox_->next();
  nextReady_ = mailbox_->nextReady();
}

Lane* NodeChannel::find(ProcessId process) const noexcept {
  const auto found = lanes_.find(process);
  return found != lanes_.end() ? found->second.get() : nullptr;
}

Lane& NodeChannel::keep(std::unique_ptr<Lane> lane) {
  Lane& kept = *(lanes_[lane->process] = std::move(lane));
  // Receives that waited to know this come before the messages that follow.
  undecided_.advance();
  return kept;
}

Lane& NodeChannel::connect(ProcessId process, const SharedSegment::Key& key) {
  if (Lane* known = find(process))
    return *known;
  return keep(process == self_ ? std::make_unique<Lane>(process, *memory_)
                               : std::make_unique<Lane>(process, key));
}

unsigned NodeChannel::takeMail() {
  // Not for ever: those who send faster than this must not keep the caller from its other work.
  constexpr unsigned most = 64;
  unsigned taken = 0;
  while (taken < most) {
    MailSlot* slot = mailbox_->front();
    if (slot == nullptr) {
      const std::int64_t stuck = dead_.empty() ? -1 : mailbox_->stuckWriter();
      if (std::find(dead_.begin(), dead_.end(), stuck) == dead_.end())
        break;
      mailbox_->skip();
      continue;
    }
    ++taken;
    take(*slot);
    mailbox_->pop();
  }
  lookAtNext();
  return taken;
}

// The memory of a process that has died since is gone: what of its data was there is lost, and who waits for
// it hears of the death.
void NodeChannel::meet(ProcessId writer, const SharedSegment::Key& key) {
  try {
    auto lane = std::make_unique<Lane>(writer, key);
    lane->isGreeted = true; // it knows this process: it has just written here
    keep(std::move(lane));
  } catch (const Error& error) {
    if (error.errorClass() != MPI_ERR_PROC_ABORTED)
      throw;
    log::debug("rank ", writer,
               " of MPI_COMM_WORLD has gone before its messages were read: ", error.message());
  }
}

void NodeChannel::take(const MailSlot& slot) {
  const ProcessId writer = slot.writer();
  Incoming message{slot.envelope, slot.length, slot.carrier(), 0, 0, slot.data.data()};
  switch (message.carrier) {
  case Carrier::Slot:
    deliver(message);
    break;
  case Carrier::Chunk: {
    std::uint32_t chunk = 0;
    std::memcpy(&chunk, slot.data.data(), sizeof chunk);
    Lane* const sender = find(writer);
    if (sender == nullptr) // it was dead already when its greeting was read
      break;
    message.data = sender->chunks.data(chunk);
    deliver(message);
    sender->chunks.giveBack(chunk);
    break;
  }
  case Carrier::Memory: {
    if (find(writer) == nullptr)
      break;
    LongMessage about{};
    std::memcpy(&about, slot.data.data(), sizeof about);
    message.transportTag = envelope::dataTag(writer, about.number);
    message.record = about.record;
    message.data = reinterpret_cast<const std::byte*>(about.address);
    deliver(message);
    break;
  }
  case Carrier::Transport: {
    std::uint64_t number = 0;
    std::memcpy(&number, slot.data.data(), sizeof number);
    message.transportTag = envelope::dataTag(writer, number);
    deliver(message);
    break;
  }
  case Carrier::Greeting:
    if (slot.length != 0 && find(writer) == nullptr) {
      SharedSegment::Key key;
      std::memcpy(&key, slot.data.data(), sizeof key);
      meet(writer, key);
    }
    break;
  }
}

void NodeChannel::deliver(const Incoming& message) {
  if (Request* receive = matching_.receiveFor(message.envelope)) {
    undecided_.leave(*receive);
    node::deposit(*receive, message);
  } else {
    matching_.keep(message);
  }
}

void NodeChannel::postpone(Lane& lane, Request& send) {
  lane.backlog.append(send);
  if (!lane.isWaiting)
    waiting_.push_back(&lane);
  lane.isWaiting = true;
  hasDuties_ = true;
}

bool NodeChannel::sendWaiting(Lane& lane) {
  while (Request* send = lane.backlog.first())
    if (!node::resume(lane, *send))
      return false;
  lane.isWaiting = false;
  return true;
}

unsigned NodeChannel::work() {
  unsigned events = takeMail();
  if (!hasDuties_)
    return events;
  std::erase_if(waiting_, [this](Lane* lane) { return sendWaiting(*lane); });
  events += undecided_.advance() + longSends_->advance() + longReceives_.advance();
  hasDuties_ = !waiting_.empty() || !undecided_.empty() || !longSends_->empty() || !longReceives_.empty() ||
               !dead_.empty();
  return events;
}

void NodeChannel::forget(ProcessId process) noexcept {
  if (!isOpen())
    return;
  takeMail();
  dead_.push_back(process);
  hasDuties_ = true; // what it was writing may come to the front later
  chunks_->takeBack(process);
  longSends_->forget(process);
  longReceives_.forget(process);
  if (Lane* lane = find(process)) {
    std::erase(waiting_, lane);
    lane->isWaiting = false;
    lane->transport = nullptr;
    while (Request* send = lane->backlog.first())
      node::failWaiting(*send);
  }
}

} // namespace mpl
