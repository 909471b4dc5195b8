#include "onesided/rpma/Dial.h"

#include "bootstrap/SignalsHeld.h"
#include "mpl/Error.h"
#include "onesided/rpma/SendQueue.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace mpl {

namespace {

std::atomic<unsigned> threads{0};
constexpr int resolveMilliseconds = 3000;

} // namespace

struct Dial::State {
  std::mutex mutex;
  bool over = false;
  bool givenUp = false;
  rpma_conn* connection = nullptr;
  std::string why;

  rpma_peer* peer = nullptr;
  std::string address;
  std::string port;
  std::vector<std::byte> privateData;

  void run() {
    const RpmaConnConfig config(SendQueue::queueSize, resolveMilliseconds);
    rpma_conn_req* request = nullptr;
    rpma_conn* made = nullptr;
    int error = rpma_conn_req_new(peer, address.c_str(), port.c_str(), config.config, &request);
    const char* step = "no way to it";
    if (error == 0) {
      rpma_conn_private_data data{privateData.data(), static_cast<std::uint8_t>(privateData.size())};
      error = rpma_conn_req_connect(&request, &data, &made);
      step = "connecting";
    }
    std::unique_lock lock(mutex);
    over = true;
    if (error != 0)
      why = text(step, ": ", rpma_err_2str(error));
    connection = error == 0 ? made : nullptr;
    if (givenUp)
      discard();
  }

  void discard() {
    if (connection != nullptr)
      rpma_conn_delete(&connection);
    connection = nullptr;
  }
};

Dial::Dial(RpmaDevice& device, const Contact& contact, std::vector<std::byte> privateData)
    : state_(std::make_shared<State>()) {
  state_->peer = device.peer();
  state_->address = contact.address;
  state_->port = std::to_string(contact.port);
  state_->privateData = std::move(privateData);
  const SignalsHeld signals;
  threads.fetch_add(1);
  try {
    std::thread([state = state_] {
      state->run();
      threads.fetch_sub(1);
    }).detach();
  } catch (const std::system_error&) {
    threads.fetch_sub(1);
    state_->over = true;
    state_->why = "no thread can be made";
  }
}

Dial::~Dial() {
  const std::unique_lock lock(state_->mutex);
  state_->givenUp = true;
  if (state_->over)
    state_->discard();
}

bool Dial::isOver() const {
  const std::unique_lock lock(state_->mutex);
  return state_->over;
}

rpma_conn* Dial::take(std::string& why) {
  const std::unique_lock lock(state_->mutex);
  why = state_->why;
  return std::exchange(state_->connection, nullptr);
}

unsigned Dial::running() noexcept {
  return threads.load();
}

} // namespace mpl
