#include "onesided/rpma/RpmaConnection.h"

#include "mpl/Error.h"
#include "onesided/rpma/Directory.h"
#include "onesided/rpma/RpmaCounters.h"
#include "pt2pt/Runtime.h"

#include <thread>
#include <utility>

namespace mpl {

RpmaConnection::RpmaConnection(RpmaContext& context, ProcessId process, std::uint32_t window)
    : context_(context), process_(process) {
  request_.job = context.job;
  request_.origin = context.self;
  request_.target = static_cast<std::uint32_t>(process);
  request_.window = window;
  if (request_.target == context.self) {
    contact_ = context.contact;
    dial();
  } else {
    fetch_ = runtime.process().startFetch(static_cast<int>(process), Contact::key);
  }
}

RpmaConnection::~RpmaConnection() {
  close(State::refused, MPI_ERR_OTHER);
  if (directory_ != nullptr)
    rpma_mr_remote_delete(&directory_);
}

RpmaConnection::State RpmaConnection::refuse(std::string why) {
  why_ = std::move(why);
  ++rpmaCounters.refused;
  close(State::refused, MPI_ERR_OTHER);
  return state_;
}

// Who has answered before and does not now has ended.
RpmaConnection::State RpmaConnection::giveUp(std::string why) {
  if (!queue_)
    return refuse(std::move(why));
  why_ = std::move(why);
  close(State::dead, MPI_ERR_PROC_ABORTED);
  return state_;
}

RpmaConnection::State RpmaConnection::advance() {
  if (state_ != State::connecting)
    return state_;
  if (fetch_) {
    if (fetch_->done())
      findContact();
  } else if (dial_) {
    if (dial_->isOver())
      awaitAnswer();
  }
  if (state_ == State::connecting && !fetch_ && std::chrono::steady_clock::now() > deadline_)
    return giveUp(text("no answer from ", contact_.address));
  return state_;
}

void RpmaConnection::restart(std::uint32_t window) {
  state_ = State::connecting;
  answer_.reset();
  request_.window = window;
  dial();
}

RpmaConnection::State RpmaConnection::waitForAnswer() {
  while (advance() == State::connecting) {
    // The other side may be waiting for this one in the same way.
    if (context_.events.poll() == 0)
      std::this_thread::yield();
  }
  return state_;
}

void RpmaConnection::findContact() {
  std::optional<Contact> found;
  try {
    found = Contact::parse(fetch_->take());
  } catch (const Error&) {
    // The next transport finds out why.
  }
  fetch_.reset();
  if (!found || !found->hasDevice()) {
    refuse("it has no RDMA device");
    return;
  }
  contact_ = *found;
  dial();
}

void RpmaConnection::dial() {
  request_.nonce = ++context_.nonce;
  const auto data = request_.encode(contact_.secret);
  deadline_ = std::chrono::steady_clock::now() + patience;
  rpmaCounters.requestBytesSent += data.size();
  dial_.emplace(*context_.device, contact_, std::vector<std::byte>(data.begin(), data.end()));
}

void RpmaConnection::awaitAnswer() {
  std::string why;
  connection_ = dial_->take(why);
  dial_.reset();
  if (connection_ == nullptr) {
    giveUp(std::move(why));
    return;
  }
  if (rpma_conn_get_event_fd(connection_, &descriptor_) != 0 || !context_.events.add(descriptor_, *this))
    refuse("its events cannot be watched");
}

void RpmaConnection::ready() {
  rpma_conn_event event = RPMA_CONN_UNDEFINED;
  if (rpma_conn_next_event(connection_, &event) != 0)
    return;
  if (state_ == State::connecting) {
    if (event == RPMA_CONN_ESTABLISHED)
      establish();
    else
      giveUp(text("it answers ", rpma_utils_conn_event_2str(event)));
  } else if (event == RPMA_CONN_CLOSED || event == RPMA_CONN_LOST) {
    why_ = "it has closed the connection";
    close(State::dead, MPI_ERR_PROC_ABORTED);
  }
}

void RpmaConnection::establish() {
  rpma_conn_private_data data{};
  std::optional<ConnectReply> reply;
  if (rpma_conn_get_private_data(connection_, &data) == 0 && data.ptr != nullptr) {
    rpmaCounters.replyBytesReceived += data.len;
    reply = parseReply({static_cast<const std::byte*>(data.ptr), data.len}, contact_.secret, request_);
  }
  if (!reply) {
    refuse("its answer does not check out");
    return;
  }
  if (directory_ != nullptr)
    rpma_mr_remote_delete(&directory_);
  std::size_t size = 0;
  const std::span<const std::byte> described = reply->directory.data();
  if (rpma_mr_remote_from_descriptor(described.data(), described.size(), &directory_) != 0 ||
      rpma_mr_remote_get_size(directory_, &size) != 0 || size < WindowDirectory::totalBytes) {
    refuse("its answer describes no directory of windows");
    return;
  }
  try {
    auto queue = std::make_unique<SendQueue>(*context_.device, connection_);
    if (queue_) // its target lives: the error was what it seemed to be
      queue_->endAll(MPI_ERR_OTHER);
    queue_ = std::move(queue);
  } catch (const Error& error) {
    refuse(error.message());
    return;
  }
  ++rpmaCounters.connections;
  answer_ = reply->window;
  state_ = State::ready;
}

std::optional<WindowRecord> RpmaConnection::takeAnswer(std::uint32_t window) {
  if (!answer_ || answer_->window != window)
    return std::nullopt;
  return std::exchange(answer_, std::nullopt);
}

void RpmaConnection::forgetAnswer(std::uint32_t window) noexcept {
  // One that has not come yet is not taken either.
  if (request_.window == window)
    answer_.reset();
}

// A dying target's device refuses what it has allowed before: what is under way ends when it is known whether
// the target is there.
unsigned RpmaConnection::breakOff() {
  const int failure = queue_->failure();
  why_ = text("the connection broke: ", errorClassName(failure));
  if (failure == MPI_ERR_PROC_ABORTED) {
    close(State::dead, failure);
  } else if (windows_.empty()) {
    close(State::broken, MPI_ERR_OTHER);
  } else {
    disconnect();
    restart(windows_.front());
  }
  return 1;
}

void RpmaConnection::close(State state, int errorClass) noexcept {
  state_ = state;
  fetch_.reset();
  dial_.reset();
  disconnect();
  if (queue_)
    queue_->endAll(errorClass);
}

void RpmaConnection::disconnect() noexcept {
  if (descriptor_ >= 0)
    context_.events.remove(descriptor_);
  descriptor_ = -1;
  if (connection_ != nullptr) {
    // From here on the device touches none of this process's memory for it.
    rpma_conn_disconnect(connection_);
    rpma_conn_delete(&connection_);
    connection_ = nullptr;
  }
}

} // namespace mpl
