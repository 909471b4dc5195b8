#include "onesided/rpma/RpmaEvents.h"

#include "mpl/Error.h"

#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <unistd.h>

namespace mpl {

RpmaEvents::RpmaEvents() : set_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (set_ < 0)
    fail(MPI_ERR_OTHER, "epoll_create1: ", std::strerror(errno));
}

RpmaEvents::~RpmaEvents() {
  ::close(set_);
}

bool RpmaEvents::add(int descriptor, EventSource& source) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &source;
  return ::epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void RpmaEvents::remove(int descriptor) noexcept {
  ::epoll_ctl(set_, EPOLL_CTL_DEL, descriptor, nullptr);
}

unsigned RpmaEvents::poll() {
  // One at a time: what a source does may end others.
  constexpr unsigned most = 16;
  unsigned count = 0;
  epoll_event event{};
  while (count < most && ::epoll_wait(set_, &event, 1, 0) == 1) {
    static_cast<EventSource*>(event.data.ptr)->ready();
    ++count;
  }
  return count;
}

} // namespace mpl
