// What MPI_Put with MPI_Win_flush costs beyond ucp_put_nbx with ucp_ep_flush_nbx: both in one process, to the
// same kind of memory of the same process, in turns of short blocks (turns.h has the columns).
//   MPL_ONESIDED=ucx mpirun -n 2 ucx_put_flush [-m SMALLEST:LARGEST] [-i ITERATIONS] [-x WARM-UP] [-W PUTS]
// -W: puts before each flush. The target makes progress for both, in turns.
#include "bench.h"
#include "turns.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <string>
#include <ucp/api/ucp.h>
#include <vector>

namespace {

[[noreturn]] void giveUp(const std::string& what) {
  std::fprintf(stderr, "ucx_put_flush: %s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void need(ucs_status_t status, const char* call) {
  if (status != UCS_OK)
    giveUp(std::string(call) + ": " + ucs_status_string(status));
}

void sendBytes(const void* bytes, std::size_t length, int to) {
  MPI_Send(bytes, static_cast<int>(length), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

std::vector<char> receiveBytes(int from) {
  MPI_Status status;
  MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
  int length = 0;
  MPI_Get_count(&status, MPI_BYTE, &length);
  std::vector<char> bytes(static_cast<std::size_t>(length));
  MPI_Recv(bytes.data(), length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return bytes;
}

// As an application of UCX's would have it: one worker that one thread drives.
class Worker {
public:
  Worker() {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_RMA;
    need(ucp_init(&params, nullptr, &context_), "ucp_init");
    ucp_worker_params_t workerParams{};
    workerParams.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    workerParams.thread_mode = UCS_THREAD_MODE_SINGLE;
    need(ucp_worker_create(context_, &workerParams, &worker_), "ucp_worker_create");
  }
  ~Worker() {
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  ucp_context_h context() const { return context_; }
  ucp_worker_h get() const { return worker_; }
  void progress() const { ucp_worker_progress(worker_); }

private:
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
};

// The target: memory that the origin may write to.
class Server {
public:
  explicit Server(std::size_t bytes) : memory_(static_cast<char*>(benchMemory(bytes)), std::free) {
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    params.address = memory_.get();
    params.length = bytes;
    need(ucp_mem_map(worker_.context(), &params, &region_), "ucp_mem_map");
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    need(ucp_worker_get_address(worker_.get(), &address, &length), "ucp_worker_get_address");
    sendBytes(address, length, 0);
    ucp_worker_release_address(worker_.get(), address);
    void* key = nullptr;
    need(ucp_rkey_pack(worker_.context(), region_, &key, &length), "ucp_rkey_pack");
    sendBytes(key, length, 0);
    ucp_rkey_buffer_release(key);
    const auto base = reinterpret_cast<std::uint64_t>(memory_.get());
    sendBytes(&base, sizeof base, 0);
  }
  ~Server() { ucp_mem_unmap(worker_.context(), region_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void progress() const { worker_.progress(); }
  const void* memory() const { return memory_.get(); }

private:
  Worker worker_;
  std::unique_ptr<char, void (*)(void*)> memory_;
  ucp_mem_h region_ = nullptr;
};

// The origin.
class Client {
public:
  Client() {
    const std::vector<char> address = receiveBytes(1);
    const std::vector<char> key = receiveBytes(1);
    std::memcpy(&base_, receiveBytes(1).data(), sizeof base_);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(address.data());
    need(ucp_ep_create(worker_.get(), &params, &endpoint_), "ucp_ep_create");
    need(ucp_ep_rkey_unpack(endpoint_, key.data(), &key_), "ucp_ep_rkey_unpack");
  }
  ~Client() {
    ucp_rkey_destroy(key_);
    const ucp_request_param_t param{};
    finish(ucp_ep_close_nbx(endpoint_, &param));
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void putAndFlush(const void* data, std::size_t bytes, int puts) const {
    const ucp_request_param_t param{};
    for (int i = 0; i < puts; ++i) {
      const ucs_status_ptr_t request = ucp_put_nbx(endpoint_, data, bytes, base_, key_, &param);
      if (UCS_PTR_IS_ERR(request))
        need(UCS_PTR_STATUS(request), "ucp_put_nbx");
      if (request != nullptr)
        ucp_request_free(request); // the flush waits for it
    }
    finish(ucp_ep_flush_nbx(endpoint_, &param));
  }

private:
  void finish(ucs_status_ptr_t request) const {
    if (request == nullptr)
      return;
    if (UCS_PTR_IS_ERR(request))
      need(UCS_PTR_STATUS(request), "a flush");
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
      worker_.progress();
    need(ucp_request_check_status(request), "a flush");
    ucp_request_free(request);
  }

  Worker worker_;
  ucp_ep_h endpoint_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  std::uint64_t base_ = 0;
};

void measure(const BenchOptions& options, MPI_Win win) {
  auto client = std::make_unique<const Client>();
  const std::vector<char> data(options.largest + 1, 'p');
  turns::header("UCX");
  for (std::size_t bytes = options.smallest; bytes <= options.largest; bytes = benchNext(bytes)) {
    const auto count = static_cast<int>(bytes);
    turns::compare(
        options, bytes,
        [&] {
          for (int i = 0; i < options.window; ++i)
            MPI_Put(data.data(), count, MPI_BYTE, 1, 0, count, MPI_BYTE, win);
          MPI_Win_flush(1, win);
        },
        [&] { client->putAndFlush(data.data(), bytes, options.window); });
  }
  client.reset(); // the end of its connection needs the target
  MPI_Request over;
  MPI_Ibarrier(MPI_COMM_WORLD, &over);
  MPI_Wait(&over, MPI_STATUS_IGNORE);
}

/// True where everything has arrived.
bool serve(const BenchOptions& options, const char* base) {
  const Server server(turns::memoryBytes(options));
  MPI_Request over;
  MPI_Ibarrier(MPI_COMM_WORLD, &over);
  for (int done = 0; !done;) {
    server.progress();
    MPI_Test(&over, &done, MPI_STATUS_IGNORE);
  }
  return turns::hasArrived(options, server.memory()) && turns::hasArrived(options, base);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  BenchOptions options{};
  options.letters = "W";
  options.smallest = 1;
  options.largest = 64 << 10;
  options.window = 1;
  options.defaultIterations = 20000;
  options.defaultWarmup = 100;
  if (const int status = benchOptions(argc, argv, rank, &options); status >= 0) {
    MPI_Finalize();
    return status;
  }
  if (size != 2)
    giveUp("needs 2 ranks");
  options.smallest = std::max<std::size_t>(options.smallest, 1);

  bool arrived = true;
  {
    const turns::Window window(options);
    if (rank == 0)
      measure(options, window.get());
    else
      arrived = serve(options, window.base());
  }
  if (!arrived)
    giveUp("the data is not what was put");
  MPI_Finalize();
  return 0;
}
