// The ping-pong and the bandwidth stream written straight on UCX, as a user of UCX would: one worker that one
// thread drives, tags with a full mask, spinning progress. The loops, sizes, options and output are those of
// osu_latency.c and osu_bw.c, so that what an MPI library adds can be read off. Start-up is PMIx, so Open
// MPI's mpirun launches it:
//   mpirun -n 2 ucp_pingpong latency|bandwidth [OPTION...]
#include "bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <pmix.h>
#include <string>
#include <ucp/api/ucp.h>
#include <vector>

namespace {

[[noreturn]] void giveUp(const std::string& what) {
  std::fprintf(stderr, "ucp_pingpong: %s\n", what.c_str());
  std::exit(1);
}

void need(ucs_status_t status, const char* call) {
  if (status != UCS_OK)
    giveUp(std::string(call) + ": " + ucs_status_string(status));
}

void needPmix(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS)
    giveUp(std::string(call) + ": " + PMIx_Error_string(status));
}

// The other process of a job of two, and its worker's address.
class Job {
public:
  Job() {
    needPmix(PMIx_Init(&me_, nullptr, 0), "PMIx_Init (was this started by mpirun?)");
    pmix_proc_t all = me_;
    all.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* size = nullptr;
    needPmix(PMIx_Get(&all, PMIX_JOB_SIZE, nullptr, 0, &size), "PMIx_Get of the job's size");
    if (size->data.uint32 != 2)
      giveUp("needs 2 processes, has " + std::to_string(size->data.uint32));
    PMIX_VALUE_RELEASE(size);
  }
  ~Job() {
    fence();
    PMIx_Finalize(nullptr, 0);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int rank() const { return static_cast<int>(me_.rank); }

  void fence() { needPmix(PMIx_Fence(nullptr, 0, nullptr, 0), "PMIx_Fence"); }

  std::vector<char> exchange(const void* mine, std::size_t bytes) {
    pmix_value_t value;
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = static_cast<char*>(const_cast<void*>(mine));
    value.data.bo.size = bytes;
    needPmix(PMIx_Put(PMIX_GLOBAL, "ucp_pingpong.address", &value), "PMIx_Put");
    needPmix(PMIx_Commit(), "PMIx_Commit");
    // The server gives up on a peer that is late.
    fence();
    pmix_proc_t other = me_;
    other.rank = 1 - me_.rank;
    pmix_value_t* theirs = nullptr;
    needPmix(PMIx_Get(&other, "ucp_pingpong.address", nullptr, 0, &theirs), "PMIx_Get of the address");
    std::vector<char> address(theirs->data.bo.bytes, theirs->data.bo.bytes + theirs->data.bo.size);
    PMIX_VALUE_RELEASE(theirs);
    return address;
  }

private:
  pmix_proc_t me_;
};

class Link {
public:
  explicit Link(Job& job) : job_(job) {
    ucp_params_t params = {};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG;
    need(ucp_init(&params, nullptr, &context_), "ucp_init");
    ucp_worker_params_t workerParams = {};
    workerParams.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    workerParams.thread_mode = UCS_THREAD_MODE_SINGLE;
    need(ucp_worker_create(context_, &workerParams, &worker_), "ucp_worker_create");
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    need(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
    const std::vector<char> theirs = job.exchange(address, length);
    ucp_worker_release_address(worker_, address);
    ucp_ep_params_t epParams = {};
    epParams.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    epParams.address = reinterpret_cast<const ucp_address_t*>(theirs.data());
    need(ucp_ep_create(worker_, &epParams, &endpoint_), "ucp_ep_create");
  }
  ~Link() {
    const ucp_request_param_t param = {};
    finish(ucp_ep_close_nbx(endpoint_, &param));
    job_.fence();
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  ucs_status_ptr_t startSend(const void* buffer, std::size_t bytes, ucp_tag_t tag) {
    ucp_request_param_t param;
    param.op_attr_mask = 0;
    return ucp_tag_send_nbx(endpoint_, buffer, bytes, tag, &param);
  }
  ucs_status_ptr_t startReceive(void* buffer, std::size_t bytes, ucp_tag_t tag) {
    ucp_request_param_t param;
    param.op_attr_mask = 0;
    return ucp_tag_recv_nbx(worker_, buffer, bytes, tag, ~ucp_tag_t{0}, &param);
  }
  void finish(ucs_status_ptr_t request) {
    if (request == nullptr)
      return;
    if (UCS_PTR_IS_ERR(request))
      giveUp(ucs_status_string(UCS_PTR_STATUS(request)));
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
      ucp_worker_progress(worker_);
    need(ucp_request_check_status(request), "a message");
    ucp_request_free(request);
  }
  void send(const void* buffer, std::size_t bytes, ucp_tag_t tag) { finish(startSend(buffer, bytes, tag)); }
  void receive(void* buffer, std::size_t bytes, ucp_tag_t tag) { finish(startReceive(buffer, bytes, tag)); }

private:
  Job& job_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

void pingPong(Link& link, int rank, char* out, char* in, std::size_t bytes, long trips) {
  if (rank == 0) {
    for (long i = 0; i < trips; ++i) {
      link.send(out, bytes, 1);
      link.receive(in, bytes, 1);
    }
  } else {
    for (long i = 0; i < trips; ++i) {
      link.receive(in, bytes, 1);
      link.send(out, bytes, 1);
    }
  }
}

void stream(Link& link, int rank, char* buffer, std::size_t bytes, std::vector<ucs_status_ptr_t>& requests,
            long windows) {
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    for (ucs_status_ptr_t& request : requests)
      request = rank == 0 ? link.startSend(buffer, bytes, 100) : link.startReceive(buffer, bytes, 100);
    for (ucs_status_ptr_t request : requests)
      link.finish(request);
    if (rank == 0)
      link.receive(&answer, 1, 101);
    else
      link.send(&answer, 1, 101);
  }
}

void check(const char* buffer, std::size_t bytes, unsigned seed) {
  if (const std::size_t wrong = benchDiffers(buffer, 0, bytes, seed))
    giveUp(std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes are wrong");
}

void latency(Link& link, Job& job, const BenchOptions& options, char* out, char* in, std::size_t size) {
  const int rank = job.rank();
  BenchSeries series = benchSeries(&options, size);
  if (options.check) {
    benchFill(out, size, static_cast<unsigned>(rank));
    benchFill(in, size, 99);
    pingPong(link, rank, out, in, size, 1);
    check(in, size, static_cast<unsigned>(1 - rank));
  }
  pingPong(link, rank, out, in, size, 1 + benchWarmup(&options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    pingPong(link, rank, out, in, size, series.perBlock);
    series.values[block] = (benchSeconds() - start) * 1e6 / (2.0 * static_cast<double>(series.perBlock));
  }
  if (rank == 0)
    benchRow(&options, size, &series);
  benchSeriesFree(&series);
}

void bandwidth(Link& link, Job& job, const BenchOptions& options, char* buffer, std::size_t size) {
  const int rank = job.rank();
  BenchSeries series = benchSeries(&options, size);
  std::vector<ucs_status_ptr_t> requests(static_cast<std::size_t>(options.window));
  if (options.check) {
    benchFill(buffer, size, rank == 0 ? 5 : 99);
    stream(link, rank, buffer, size, requests, 1);
    check(buffer, size, 5);
  }
  stream(link, rank, buffer, size, requests, 1 + benchWarmup(&options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    stream(link, rank, buffer, size, requests, series.perBlock);
    const double messages = static_cast<double>(series.perBlock) * options.window;
    series.values[block] = static_cast<double>(size) * messages / 1e6 / (benchSeconds() - start);
  }
  if (rank == 0)
    benchRow(&options, size, &series);
  benchSeriesFree(&series);
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "latency" && what != "bandwidth")
    giveUp("the first argument is latency or bandwidth");
  const bool isLatency = what == "latency";
  BenchOptions options = {};
  options.letters = "W";
  options.smallest = 1;
  options.largest = 4 << 20;
  options.window = isLatency ? 1 : 64;
  options.defaultIterations = isLatency ? 10000 : 200;
  options.defaultWarmup = isLatency ? 1000 : 10;

  Job job;
  argv[1] = argv[0];
  if (const int status = benchOptions(argc - 1, argv + 1, job.rank(), &options); status >= 0)
    return status;
  const auto memory = [&] {
    return std::unique_ptr<char, void (*)(void*)>(static_cast<char*>(benchMemory(options.largest)),
                                                  std::free);
  };
  const auto out = memory();
  const auto in = memory();
  Link link(job);
  if (job.rank() == 0)
    benchHeader(&options, isLatency ? "UCX latency" : "UCX bandwidth",
                isLatency ? "Latency (us)" : "Bandwidth (MB/s)");
  for (std::size_t size = options.smallest; size <= options.largest; size = benchNext(size)) {
    if (isLatency)
      latency(link, job, options, out.get(), in.get(), size);
    else
      bandwidth(link, job, options, out.get(), size);
  }
}
