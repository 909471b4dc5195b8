#pragma once

#include "onesided/rpma/Directory.h"
#include "onesided/rpma/RequestGate.h"
#include "onesided/rpma/RpmaContext.h"

#include <list>
#include <memory>
#include <unordered_map>

namespace mpl {

class Window;

/// The target's side: listens, lets in who checks out, and keeps the directory of windows. Windows are
/// registered when the first origin is let in, later ones when they are made. RmaLock held.
class RpmaService final : public EventSource {
public:
  explicit RpmaService(RpmaContext& context) : context_(context) {}
  ~RpmaService() override;

  /// Begins to listen, at a port of its own choice, which goes into the context's contact. Errors:
  /// MPI_ERR_OTHER, MPI_ERR_NO_MEM.
  void start();

  void opened(Window& window);
  void closing(Window& window) noexcept;

  void ready() override;

private:
  /// One origin that was let in.
  struct Visitor final : EventSource {
    Visitor(RpmaService& visited, rpma_conn* made) : service(visited), connection(made) {}
    void ready() override;
    RpmaService& service;
    rpma_conn* connection;
    int descriptor = -1;
    std::list<std::unique_ptr<Visitor>>::iterator self;
  };
  struct Registered {
    std::unique_ptr<RpmaMemory> memory;
    WindowRecord record;
    bool done = false;
  };

  void answer(rpma_conn_req* request);
  void turnDown(rpma_conn_req* request, Refusal refusal);
  void letIn(rpma_conn_req* request, const ConnectRequest& asked);
  void bidFarewell(Visitor& visitor) noexcept;
  void registerWindow(Window& window, Registered& registered);

  RpmaContext& context_;
  std::optional<RequestGate> gate_;
  std::optional<WindowDirectory> directory_;
  std::unique_ptr<RpmaMemory> directoryMemory_;
  rpma_ep* endpoint_ = nullptr;
  int descriptor_ = -1;
  bool visited_ = false;
  bool complained_ = false;
  std::unordered_map<Window*, Registered> windows_;
  std::list<std::unique_ptr<Visitor>> visitors_;
};

} // namespace mpl
