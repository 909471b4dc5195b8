#include "onesided/ucx/TargetService.h"

#include "onesided/Statistics.h"
#include "onesided/Window.h"
#include "onesided/ucx/RmaWorker.h"
#include "onesided/ucx/UcxTransport.h"

#include <algorithm>
#include <cstring>

namespace mpl {

TargetService& targetService = *new TargetService;

namespace {

MessageHeader answerTo(const MessageHeader& asked, MessageKind kind) {
  MessageHeader header;
  header.kind = kind;
  header.window = asked.window;
  header.token = asked.token;
  return header;
}

RmaPeer& asker(const MessageHeader& header) {
  return rmaWorker.peer(header.sender);
}

} // namespace

void TargetService::execute(const MessageHeader& header, std::span<const std::byte> payload) {
  Window* window = Window::findLocal(header.window);
  if (window == nullptr)
    return fail(header, MPI_ERR_WIN);
  Statistics::countServed();
  switch (header.kind) {
  case MessageKind::describe:
    return describe(*window, header);
  case MessageKind::put:
    return put(*window, header, payload);
  case MessageKind::get:
    return get(*window, header);
  case MessageKind::update:
    return update(*window, header, payload);
  case MessageKind::compareAndSwap:
    return compareAndSwap(*window, header, payload);
  case MessageKind::lock:
    return lock(*window, header);
  case MessageKind::unlock:
    window->localLock().release(header.count != 0);
    return;
  case MessageKind::fence:
    return answerDone(header);
  case MessageKind::failed:
    return window->noteFailure(header.sender, header.error);
  default:
    return;
  }
}

void TargetService::fail(const MessageHeader& header, int errorClass) {
  if (header.kind == MessageKind::failed || header.kind == MessageKind::unlock)
    return;
  const bool awaited = header.token != 0;
  MessageHeader answer = answerTo(header, awaited ? MessageKind::done : MessageKind::failed);
  answer.error = errorClass;
  rmaWorker.send(asker(header), answer, {});
}

void TargetService::answerDone(const MessageHeader& header) {
  rmaWorker.send(asker(header), answerTo(header, MessageKind::done), {});
}

void TargetService::answerData(const MessageHeader& header, std::span<const std::byte> data) {
  MessageHeader answer = answerTo(header, MessageKind::data);
  for (std::size_t done = 0; done < data.size(); done += largestPayload) {
    answer.address = done;
    rmaWorker.send(asker(header), answer, data.subspan(done, std::min(largestPayload, data.size() - done)));
  }
}

void TargetService::describe(Window& window, const MessageHeader& header) {
  const WindowDescription description{reinterpret_cast<std::uint64_t>(window.memory().base),
                                      window.memory().bytes, window.memory().dispUnit};
  const std::span<const std::byte> key = ucxTransport.keyOf(window);
  rmaWorker.send(asker(header), answerTo(header, MessageKind::description),
                 std::as_bytes(std::span(&description, 1)), key);
}

void TargetService::put(Window& window, const MessageHeader& header, std::span<const std::byte> payload) {
  if (!window.holds(header.address, payload.size()))
    return fail(header, MPI_ERR_RMA_RANGE);
  std::memcpy(reinterpret_cast<void*>(header.address), payload.data(), payload.size());
}

void TargetService::get(Window& window, const MessageHeader& header) {
  if (!window.holds(header.address, header.count))
    return fail(header, MPI_ERR_RMA_RANGE);
  answerData(header, {reinterpret_cast<const std::byte*>(header.address), header.count});
}

void TargetService::update(Window& window, const MessageHeader& header, std::span<const std::byte> payload) {
  const std::size_t size = header.element.packedSize();
  const std::size_t runBytes = header.count * sizeof(UpdateRun);
  if (size == 0 || header.count > payload.size() / sizeof(UpdateRun))
    return fail(header, MPI_ERR_INTERN);
  const std::byte* operand = payload.data() + runBytes;
  std::size_t operandBytes = payload.size() - runBytes;
  results_.clear();
  for (std::size_t i = 0; i < header.count; ++i) {
    UpdateRun run;
    std::memcpy(&run, payload.data() + i * sizeof run, sizeof run);
    const std::size_t bytes = run.count * size;
    if (header.op != Op::Kind::noOp && bytes > operandBytes)
      return fail(header, MPI_ERR_INTERN);
    if (!window.holds(run.address, (run.count - 1) * header.element.extent() + size))
      return fail(header, MPI_ERR_RMA_RANGE);
    std::byte* previous = nullptr;
    if (header.token != 0) {
      results_.resize(results_.size() + bytes);
      previous = results_.data() + results_.size() - bytes;
    }
    updateAtomically(header.op, header.element,
                     {reinterpret_cast<std::byte*>(run.address), window.placeOf(run.address), run.count},
                     operand, previous, window.localGate(), window.serviceUpdater());
    if (header.op != Op::Kind::noOp) {
      operand += bytes;
      operandBytes -= bytes;
    }
  }
  if (header.token != 0)
    answerData(header, results_);
}

void TargetService::compareAndSwap(Window& window, const MessageHeader& header,
                                   std::span<const std::byte> payload) {
  const std::size_t size = header.element.packedSize();
  if (size == 0 || payload.size() != 2 * size)
    return fail(header, MPI_ERR_INTERN);
  if (!window.holds(header.address, size))
    return fail(header, MPI_ERR_RMA_RANGE);
  results_.resize(size);
  mpl::compareAndSwap(
      header.element, {reinterpret_cast<std::byte*>(header.address), window.placeOf(header.address), 1},
      payload.data(), payload.data() + size, results_.data(), window.localGate(), window.serviceUpdater());
  answerData(header, results_);
}

void TargetService::lock(Window& window, const MessageHeader& header) {
  // Behind those who wait already.
  const bool others = std::any_of(waiters_.begin(), waiters_.end(),
                                  [&](const Waiter& waiter) { return waiter.window == &window; });
  if (!others && window.localLock().tryTake(header.count != 0, static_cast<int>(header.address)))
    answerDone(header);
  else
    waiters_.push_back({&window, header});
}

unsigned TargetService::retryWaiters() {
  unsigned given = 0;
  std::vector<Window*> refused; // only the first who waits for a lock may try
  for (std::size_t i = 0; i < waiters_.size();) {
    const Waiter& waiter = waiters_[i];
    if (std::find(refused.begin(), refused.end(), waiter.window) != refused.end()) {
      ++i;
    } else if (waiter.window->localLock().tryTake(waiter.header.count != 0,
                                                  static_cast<int>(waiter.header.address))) {
      answerDone(waiter.header);
      waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
      ++given;
    } else {
      refused.push_back(waiter.window);
      ++i;
    }
  }
  return given;
}

void TargetService::forget(const Window& window) noexcept {
  std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.window == &window; });
}

} // namespace mpl
