// What MPI_Put with MPI_Win_flush costs beyond rpma_write with rpma_flush: both in one process, over the same
// device, in turns of short blocks (turns.h has the columns).
//   MPL_ONESIDED=rpma mpirun -n 2 rpma_put_flush [-m SMALLEST:LARGEST] [-i ITERATIONS] [-x WARM-UP]
// An iteration copies the data into registered memory, writes and flushes it, and waits.
#include "bench.h"
#include "turns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <infiniband/verbs.h>
#include <librpma.h>
#include <mpi.h>
#include <poll.h>
#include <string>
#include <vector>

namespace {

[[noreturn]] void giveUp(const std::string& what) {
  std::fprintf(stderr, "rpma_put_flush: %s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void need(int status, const char* call) {
  if (status != 0)
    giveUp(std::string(call) + ": " + rpma_err_2str(status));
}

struct Invitation {
  char address[64];
  int port;
  std::uint64_t descriptorBytes;
  std::array<char, 64> descriptor;
};

constexpr unsigned queueSize = 16;

rpma_conn_event nextEvent(rpma_conn* connection) {
  rpma_conn_event event = RPMA_CONN_UNDEFINED;
  need(rpma_conn_next_event(connection, &event), "rpma_conn_next_event");
  return event;
}

rpma_peer* openPeer(const char* address, rpma_util_ibv_context_type type) {
  ibv_context* context = nullptr;
  rpma_peer* peer = nullptr;
  need(rpma_utils_get_ibv_context(address, type, &context), "rpma_utils_get_ibv_context");
  need(rpma_peer_new(context, &peer), "rpma_peer_new");
  return peer;
}

// The target: memory that one origin may write to.
class Server {
public:
  Server(const char* address, std::size_t bytes) : memory_(benchMemory(bytes)) {
    peer_ = openPeer(address, RPMA_UTIL_IBV_CONTEXT_LOCAL);
    need(rpma_mr_reg(peer_, memory_, bytes,
                     RPMA_MR_USAGE_WRITE_DST | RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY,
                     &region_),
         "rpma_mr_reg");
    Invitation invitation{};
    std::snprintf(invitation.address, sizeof invitation.address, "%s", address);
    for (invitation.port = 17000; invitation.port < 17100; ++invitation.port)
      if (rpma_ep_listen(peer_, address, std::to_string(invitation.port).c_str(), &endpoint_) == 0)
        break;
    if (endpoint_ == nullptr)
      giveUp("no port is free");
    std::size_t described = 0;
    need(rpma_mr_get_descriptor_size(region_, &described), "rpma_mr_get_descriptor_size");
    if (described > invitation.descriptor.size())
      giveUp("the descriptor is too long");
    need(rpma_mr_get_descriptor(region_, invitation.descriptor.data()), "rpma_mr_get_descriptor");
    invitation.descriptorBytes = described;
    MPI_Send(&invitation, sizeof invitation, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    rpma_conn_req* request = nullptr;
    need(rpma_ep_next_conn_req(endpoint_, nullptr, &request), "rpma_ep_next_conn_req");
    need(rpma_conn_req_connect(&request, nullptr, &connection_), "rpma_conn_req_connect");
    if (nextEvent(connection_) != RPMA_CONN_ESTABLISHED)
      giveUp("the connection was not made");
  }
  ~Server() {
    rpma_conn_disconnect(connection_);
    rpma_conn_delete(&connection_);
    rpma_ep_shutdown(&endpoint_);
    rpma_mr_dereg(&region_);
    rpma_peer_delete(&peer_);
    std::free(memory_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const void* memory() const { return memory_; }

private:
  void* memory_;
  rpma_peer* peer_ = nullptr;
  rpma_mr_local* region_ = nullptr;
  rpma_ep* endpoint_ = nullptr;
  rpma_conn* connection_ = nullptr;
};

// The origin.
class Client {
public:
  explicit Client(std::size_t bytes) : memory_(static_cast<char*>(benchMemory(bytes))) {
    Invitation invitation{};
    MPI_Recv(&invitation, sizeof invitation, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    peer_ = openPeer(invitation.address, RPMA_UTIL_IBV_CONTEXT_REMOTE);
    need(rpma_mr_reg(peer_, memory_, bytes, RPMA_MR_USAGE_WRITE_SRC, &local_), "rpma_mr_reg");
    need(rpma_mr_remote_from_descriptor(invitation.descriptor.data(), invitation.descriptorBytes, &remote_),
         "rpma_mr_remote_from_descriptor");
    rpma_conn_cfg* config = nullptr;
    need(rpma_conn_cfg_new(&config), "rpma_conn_cfg_new");
    rpma_conn_cfg_set_sq_size(config, queueSize);
    rpma_conn_cfg_set_cq_size(config, queueSize);
    rpma_conn_req* request = nullptr;
    need(rpma_conn_req_new(peer_, invitation.address, std::to_string(invitation.port).c_str(), config,
                           &request),
         "rpma_conn_req_new");
    need(rpma_conn_req_connect(&request, nullptr, &connection_), "rpma_conn_req_connect");
    rpma_conn_cfg_delete(&config);
    if (nextEvent(connection_) != RPMA_CONN_ESTABLISHED)
      giveUp("the connection was not made");
    need(rpma_conn_get_cq(connection_, &completions_), "rpma_conn_get_cq");
  }
  ~Client() {
    rpma_conn_disconnect(connection_);
    rpma_conn_delete(&connection_);
    rpma_mr_remote_delete(&remote_);
    rpma_mr_dereg(&local_);
    rpma_peer_delete(&peer_);
    std::free(memory_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void putAndFlush(const void* data, std::size_t bytes) {
    std::memcpy(memory_, data, bytes);
    need(rpma_write(connection_, remote_, 0, local_, 0, bytes, RPMA_F_COMPLETION_ON_ERROR, nullptr),
         "rpma_write");
    need(rpma_flush(connection_, remote_, 0, bytes, RPMA_FLUSH_TYPE_VISIBILITY, RPMA_F_COMPLETION_ALWAYS,
                    nullptr),
         "rpma_flush");
    ibv_wc completion{};
    int status = RPMA_E_NO_COMPLETION;
    while ((status = rpma_cq_get_wc(completions_, 1, &completion, nullptr)) == RPMA_E_NO_COMPLETION)
      ;
    need(status, "rpma_cq_get_wc");
    if (completion.status != IBV_WC_SUCCESS)
      giveUp(ibv_wc_status_str(completion.status));
  }

private:
  char* memory_;
  rpma_peer* peer_ = nullptr;
  rpma_mr_local* local_ = nullptr;
  rpma_mr_remote* remote_ = nullptr;
  rpma_conn* connection_ = nullptr;
  rpma_cq* completions_ = nullptr;
};

/// RDMA writes of this process, as the library counts them.
class Writes {
public:
  Writes() {
    int provided = 0;
    int index = 0;
    int elements = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_pvar_get_index("rpma_writes", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS ||
        MPI_T_pvar_session_create(&session_) != MPI_SUCCESS ||
        MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &elements) != MPI_SUCCESS ||
        MPI_T_pvar_start(session_, handle_) != MPI_SUCCESS)
      giveUp("RDMA writes are not counted");
  }
  ~Writes() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;

  unsigned long long count() const {
    unsigned long long value = 0;
    if (MPI_T_pvar_read(session_, handle_, &value) != MPI_SUCCESS)
      giveUp("RDMA writes are not counted");
    return value;
  }

private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

void measure(const BenchOptions& options, MPI_Win win, Client& client) {
  const std::vector<char> data(options.largest + 1, 'p');
  turns::header("librpma");
  for (std::size_t bytes = options.smallest; bytes <= options.largest; bytes = benchNext(bytes)) {
    const auto count = static_cast<int>(bytes);
    const Writes writes;
    turns::compare(
        options, bytes,
        [&] {
          MPI_Put(data.data(), count, MPI_BYTE, 1, 0, count, MPI_BYTE, win);
          MPI_Win_flush(1, win);
        },
        [&] { client.putAndFlush(data.data(), bytes); });
    if (writes.count() < static_cast<unsigned long long>(turns::calls(options, bytes)))
      giveUp("MPI_Put does not go over RDMA (MPL_ONESIDED=rpma?)");
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  BenchOptions options{};
  options.letters = "";
  options.smallest = 64;
  options.largest = 64;
  options.defaultIterations = 4000;
  options.defaultWarmup = 50;
  if (const int status = benchOptions(argc, argv, rank, &options); status >= 0) {
    MPI_Finalize();
    return status;
  }
  options.smallest = std::max<std::size_t>(options.smallest, 1);
  const char* address = std::getenv("RPMA_ADDRESS"); // of the target's device
  if (size != 2 || (rank == 1 && address == nullptr))
    giveUp("needs 2 ranks, and RPMA_ADDRESS, the address of an RDMA device");
  rpma_log_set_threshold(RPMA_LOG_THRESHOLD, RPMA_LOG_DISABLED);

  bool arrived = true;
  {
    const turns::Window window(options);
    if (rank == 0) {
      Client client(turns::memoryBytes(options));
      measure(options, window.get(), client);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      const Server server(address, turns::memoryBytes(options));
      MPI_Barrier(MPI_COMM_WORLD);
      arrived = turns::hasArrived(options, server.memory()) && turns::hasArrived(options, window.base());
    }
  }
  if (!arrived)
    giveUp("the data is not what was put");
  MPI_Finalize();
  return 0;
}
