#include "bootstrap/PmixServer.h"

#include "bootstrap/PmixCompletion.h"
#include "bootstrap/PmixLoss.h"
#include "bootstrap/PmixSets.h"
#include "bootstrap/PmixStates.h"
#include "bootstrap/SignalsHeld.h"
#include "bootstrap/Watchdog.h"
#include "mpl/Config.h"
#include "mpl/Error.h"
#include "mpl/Log.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <pmix.h>
#include <set>
#include <thread>

namespace mpl {

namespace {

using Clock = std::chrono::steady_clock;

pmix_proc_t process(const std::string& jobId, pmix_rank_t rank) {
  pmix_proc_t proc;
  PMIX_PROC_LOAD(&proc, jobId.c_str(), rank);
  return proc;
}

/// Attributes of a call.
class Directives {
public:
  Directives() = default;
  Directives(const Directives&) = delete;
  Directives& operator=(const Directives&) = delete;
  ~Directives() {
    for (std::size_t i = 0; i < count_; ++i)
      PMIX_INFO_DESTRUCT(&info_[i]);
  }
  void flag(const char* key) {
    bool yes = true;
    PMIX_INFO_LOAD(&info_[count_], key, &yes, PMIX_BOOL);
    ++count_;
  }
  void number(const char* key, int value) {
    PMIX_INFO_LOAD(&info_[count_], key, &value, PMIX_INT);
    ++count_;
  }
  const pmix_info_t* data() const { return info_; }
  std::size_t size() const { return count_; }

private:
  pmix_info_t info_[2];
  std::size_t count_ = 0;
};

Bytes bytesOf(const pmix_value_t& value) {
  if (value.type != PMIX_BYTE_OBJECT)
    fail(MPI_ERR_OTHER, "the PMIx server gave a value of type ", static_cast<int>(value.type), " for bytes");
  const auto* first = reinterpret_cast<const std::byte*>(value.data.bo.bytes);
  return Bytes(first, first + value.data.bo.size);
}

std::optional<int> integerOf(const pmix_value_t& value) {
  switch (value.type) {
  case PMIX_UINT16:
    return value.data.uint16;
  case PMIX_UINT32:
    return static_cast<int>(value.data.uint32);
  case PMIX_UINT64:
    return static_cast<int>(value.data.uint64);
  case PMIX_INT:
    return value.data.integer;
  case PMIX_INT32:
    return value.data.int32;
  case PMIX_UINT:
    return static_cast<int>(value.data.uint);
  case PMIX_SIZE:
    return static_cast<int>(value.data.size);
  case PMIX_PROC_RANK:
    return static_cast<int>(value.data.rank);
  default:
    return std::nullopt;
  }
}

int wholeSeconds(std::chrono::milliseconds timeout) {
  const auto seconds = (timeout.count() + 999) / 1000;
  return static_cast<int>(std::clamp<long long>(seconds, 1, 1'000'000));
}

using Reference = std::shared_ptr<Completion>;

// PMIx 4 keeps the addresses of a question's key and directives, and looks at them even after its answer,
// when others come: these are never freed. There are few different ones.

std::mutex lastingMutex;

const char* lastingKey(const std::string& key) {
  static auto* keys = new std::set<std::string>;
  const std::lock_guard guard(lastingMutex);
  return keys->insert(key).first->c_str();
}

const Directives& lastingTimeout(int seconds) {
  static auto* timeouts = new std::map<int, Directives>;
  const std::lock_guard guard(lastingMutex);
  const auto [found, isNew] = timeouts->try_emplace(seconds);
  if (isNew)
    found->second.number(PMIX_TIMEOUT, seconds);
  return found->second;
}

void gotValue(pmix_status_t status, pmix_value_t* value, void* data) {
  const std::unique_ptr<Reference> completion(static_cast<Reference*>(data));
  Bytes bytes;
  if (status == PMIX_SUCCESS) {
    if (value != nullptr && value->type == PMIX_BYTE_OBJECT)
      bytes = bytesOf(*value);
    else
      status = PMIX_ERR_TYPE_MISMATCH;
  }
  (*completion)->end(status, std::move(bytes));
}

void gotEnd(pmix_status_t status, void* data) {
  const std::unique_ptr<Reference> completion(static_cast<Reference*>(data));
  (*completion)->end(status, {});
}

class PendingGet final : public PmixServer::Pending {
public:
  PendingGet(std::string jobId, int rank, std::string_view key, std::chrono::milliseconds timeout)
      : jobId_(std::move(jobId)), rank_(rank), key_(key), timeout_(timeout), limit_(Clock::now() + timeout) {
    ask();
  }

  bool done() override {
    if (!completion_->hasEnded())
      return Clock::now() >= limit_;
    return !askAgain();
  }

  Bytes take() override {
    while (completion_->waitUntil(limit_)) {
      if (completion_->status == PMIX_SUCCESS)
        return std::move(completion_->value);
      if (!worthAsking())
        break;
      std::this_thread::sleep_until(std::min(limit_, askedAt_ + pause));
      ask();
    }
    if (!completion_->hasEnded() || completion_->status == PMIX_ERR_TIMEOUT ||
        completion_->status == PMIX_ERR_NOT_FOUND)
      fail(MPI_ERR_OTHER, "rank ", rank_, " has not published ", key_, " within ", timeout_.count(),
           " ms (MPL_CONNECT_TIMEOUT)");
    fail(MPI_ERR_OTHER, "asking for ", key_, " of rank ", rank_, " failed: PMIx says ",
         PMIx_Error_string(completion_->status));
  }

private:
  static constexpr std::chrono::milliseconds pause{10};

  void ask() {
    completion_ = std::make_shared<Completion>();
    const Directives& directives = lastingTimeout(wholeSeconds(timeout_));
    auto reference = std::make_unique<Reference>(completion_);
    const pmix_proc_t proc = process(jobId_, static_cast<pmix_rank_t>(rank_));
    const pmix_status_t status =
        PMIx_Get_nb(&proc, lastingKey(key_), directives.data(), directives.size(), gotValue, reference.get());
    askedAt_ = Clock::now();
    if (status == PMIX_SUCCESS)
      reference.release(); // the callback owns it
    else
      completion_->end(status, {});
  }

  /// A server answers "not found" at once when the peer has left the job before and joins it anew; and it
  /// lets a question end with an older one after the same peer, by the time-out of that one.
  bool worthAsking() const {
    return (completion_->status == PMIX_ERR_NOT_FOUND || completion_->status == PMIX_ERR_TIMEOUT) &&
           Clock::now() < limit_;
  }

  /// After an answer that is not the last word: whether the question runs again or will.
  bool askAgain() {
    if (!worthAsking())
      return false;
    if (Clock::now() >= askedAt_ + pause)
      ask();
    return true;
  }

  std::string jobId_;
  int rank_;
  std::string key_;
  std::chrono::milliseconds timeout_;
  Clock::time_point limit_;
  Clock::time_point askedAt_;
  Reference completion_;
};

class PendingFence final : public PmixServer::Pending {
public:
  PendingFence() : completion_(std::make_shared<Completion>()) {
    auto reference = std::make_unique<Reference>(completion_);
    const pmix_status_t status = PMIx_Fence_nb(nullptr, 0, nullptr, 0, gotEnd, reference.get());
    if (status == PMIX_SUCCESS)
      reference.release();
    else // PMIX_OPERATION_SUCCEEDED: at once, without a callback
      completion_->end(status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status, {});
  }

  bool done() override { return completion_->hasEnded(); }

  Bytes take() override {
    while (!completion_->waitUntil(Clock::now() + std::chrono::hours(1))) {
    }
    if (completion_->status == PMIX_ERR_PARTIAL_SUCCESS)
      return Bytes(1); // some had died: the others have met
    if (completion_->status != PMIX_SUCCESS)
      fail(MPI_ERR_OTHER, "the fence over the job failed: PMIx says ",
           PMIx_Error_string(completion_->status));
    return {};
  }

private:
  Reference completion_;
};

/// A value that the server holds itself; never waits for another process.
struct Answer {
  pmix_value_t* value = nullptr;
  pmix_status_t status;
  Answer(const std::string& jobId, pmix_rank_t rank, const std::string& key) {
    Directives directives;
    directives.flag(PMIX_IMMEDIATE);
    const pmix_proc_t proc = process(jobId, rank);
    status = PMIx_Get(&proc, key.c_str(), directives.data(), directives.size(), &value);
  }
  ~Answer() {
    if (value != nullptr)
      PMIX_VALUE_RELEASE(value);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  bool good() const { return status == PMIX_SUCCESS && value != nullptr; }
};

std::vector<int> parseRanks(const char* list) {
  std::vector<int> ranks;
  for (const char* at = list; *at != '\0';) {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at)
      break;
    long last = first;
    if (*end == '-') {
      at = end + 1;
      last = std::strtol(at, &end, 10);
    }
    for (long rank = first; rank <= last; ++rank)
      ranks.push_back(static_cast<int>(rank));
    at = *end == ',' ? end + 1 : end;
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace

PmixServer::PmixServer() {
  pmix_proc_t self;
  pmix_status_t status = PMIX_SUCCESS;
  {
    const SignalsHeld signals; // PMIx makes a thread
    // A launcher that is busy with the death of another process may never answer, and PMIx waits for ever.
    const auto limit = Config::get().duration(Setting::connectTimeout);
    const Watchdog watchdog(limit, [limit] {
      log::error("MPI_Init: the PMIx server of the launcher has not answered for ",
                 std::chrono::duration_cast<std::chrono::seconds>(limit).count(),
                 " s (MPL_CONNECT_TIMEOUT); this process ends. Did another process of the job die?");
      std::_Exit(MPI_ERR_OTHER);
    });
    status = PMIx_Init(&self, nullptr, 0);
  }
  if (status != PMIX_SUCCESS)
    fail(MPI_ERR_OTHER, "the PMIx server of the launcher cannot be reached: PMIx says ",
         PMIx_Error_string(status), " (MPL_SINGLETON=1 runs the program as a process alone)");
  jobId_ = self.nspace;
  rank_ = static_cast<int>(self.rank);
  const auto size = number(static_cast<int>(PMIX_RANK_WILDCARD), PMIX_JOB_SIZE);
  if (!size || *size <= rank_) {
    finish();
    fail(MPI_ERR_OTHER, "the PMIx server of the launcher does not say how many processes job ", jobId_,
         " has");
  }
  jobSize_ = *size;
  watchPmixServer();
}

std::optional<int> PmixServer::number(int rank, const char* key) const {
  const Answer answer(jobId_, static_cast<pmix_rank_t>(rank), key);
  return answer.good() ? integerOf(*answer.value) : std::nullopt;
}

std::vector<int> PmixServer::localPeers() const {
  const Answer answer(jobId_, PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS);
  if (!answer.good() || answer.value->type != PMIX_STRING || answer.value->data.string == nullptr)
    return {};
  return parseRanks(answer.value->data.string);
}

std::vector<int> PmixServer::endedLocalPeers() const {
  return pmixEndedProcesses(jobId_);
}

std::vector<int> PmixServer::departedLocalPeers() const {
  return pmixDepartedProcesses(jobId_);
}

std::vector<std::string> PmixServer::processSets() const {
  return pmixSetNames();
}

std::vector<int> PmixServer::membersOf(std::string_view set) const {
  return pmixSetMembers(jobId_, set);
}

std::optional<int> PmixServer::nodeCount() const {
  return number(static_cast<int>(PMIX_RANK_WILDCARD), PMIX_NUM_NODES);
}
std::optional<int> PmixServer::universeSize() const {
  return number(static_cast<int>(PMIX_RANK_WILDCARD), PMIX_UNIV_SIZE);
}
std::optional<int> PmixServer::appNumber() const {
  return number(rank_, PMIX_APPNUM);
}

void PmixServer::put(std::string_view key, std::span<const std::byte> value) {
  pmix_value_t out;
  PMIX_VALUE_CONSTRUCT(&out);
  out.type = PMIX_BYTE_OBJECT;
  // PMIx copies the bytes and does not write to them.
  out.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(value.data()));
  out.data.bo.size = value.size();
  const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, std::string(key).c_str(), &out);
  if (status != PMIX_SUCCESS)
    fail(MPI_ERR_OTHER, "publishing ", value.size(), " bytes under ", key, " failed: PMIx says ",
         PMIx_Error_string(status));
}

void PmixServer::commit() {
  const pmix_status_t status = PMIx_Commit();
  if (status != PMIX_SUCCESS)
    fail(MPI_ERR_OTHER, "publishing to the PMIx server failed: PMIx says ", PMIx_Error_string(status));
}

std::shared_ptr<PmixServer::Pending> PmixServer::startGet(int rank, std::string_view key,
                                                          std::chrono::milliseconds timeout) {
  return std::make_shared<PendingGet>(jobId_, rank, key, timeout);
}

std::optional<Bytes> PmixServer::getIfThere(int rank, std::string_view key) {
  const Answer answer(jobId_, static_cast<pmix_rank_t>(rank), std::string(key));
  return answer.good() ? std::optional(bytesOf(*answer.value)) : std::nullopt;
}

std::shared_ptr<PmixServer::Pending> PmixServer::startFence() {
  return std::make_shared<PendingFence>();
}

void PmixServer::finish() noexcept {
  ignorePmixServer();
  if (!finished_)
    PMIx_Finalize(nullptr, 0);
  finished_ = true;
}

void PmixServer::abortJob(int status) noexcept {
  ignorePmixServer();
  PMIx_Abort(status, "", nullptr, 0);
}

} // namespace mpl
