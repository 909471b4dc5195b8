#include "bootstrap/PmixStates.h"

#include "bootstrap/PmixCompletion.h"
#include "mpl/Error.h"

#include <memory>

namespace mpl {

namespace {

/// Asks for the states of the processes on this node.
struct StateQuery : Completion, std::enable_shared_from_this<StateQuery> {
  explicit StateQuery(const std::string& jobId) {
    PMIX_QUERY_CONSTRUCT(&query);
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, query.keys, PMIX_QUERY_LOCAL_PROC_TABLE);
    if (status != PMIX_SUCCESS)
      fail(MPI_ERR_NO_MEM, "no memory for a question to the PMIx server");
    PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_NSPACE, jobId.c_str(), PMIX_STRING);
  }
  ~StateQuery() { PMIX_QUERY_DESTRUCT(&query); }

  void ask() {
    auto reference = std::make_unique<std::shared_ptr<StateQuery>>(shared_from_this());
    const pmix_status_t status = PMIx_Query_info_nb(&query, 1, answered, reference.get());
    if (status == PMIX_SUCCESS)
      reference.release(); // the callback owns it
    else
      end(status, {});
  }

  static void answered(pmix_status_t status, pmix_info_t* info, std::size_t count, void* data,
                       pmix_release_cbfunc_t release, void* releaseData) {
    const std::unique_ptr<std::shared_ptr<StateQuery>> self(static_cast<std::shared_ptr<StateQuery>*>(data));
    if (status == PMIX_SUCCESS)
      for (std::size_t i = 0; i < count; ++i)
        (*self)->collect(info[i].value);
    if (release != nullptr)
      release(releaseData);
    (*self)->end(status, {});
  }

  /// Servers differ in how deep they wrap the records.
  void collect(const pmix_value_t& value) {
    if (value.type == PMIX_PROC_INFO && value.data.pinfo != nullptr) {
      collect(*value.data.pinfo);
    } else if (value.type == PMIX_DATA_ARRAY && value.data.darray != nullptr) {
      const pmix_data_array_t& array = *value.data.darray;
      for (std::size_t i = 0; i < array.size; ++i) {
        if (array.type == PMIX_PROC_INFO)
          collect(static_cast<const pmix_proc_info_t*>(array.array)[i]);
        else if (array.type == PMIX_INFO)
          collect(static_cast<const pmix_info_t*>(array.array)[i].value);
      }
    }
  }
  void collect(const pmix_proc_info_t& info) {
    if (info.state == PMIX_PROC_STATE_TERMINATED ||
        (info.state >= PMIX_PROC_STATE_ERROR && info.state != PMIX_PROC_STATE_MIGRATING))
      ended.push_back(static_cast<int>(info.proc.rank));
    if (info.state == PMIX_PROC_STATE_TERMINATED || info.state == PMIX_PROC_STATE_UNDEF)
      departed.push_back(static_cast<int>(info.proc.rank));
  }

  pmix_query_t query;
  std::vector<int> ended;
  std::vector<int> departed;
};

// Null where no answer came in time.
std::shared_ptr<StateQuery> states(const std::string& jobId) {
  auto query = std::make_shared<StateQuery>(jobId);
  query->ask();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  return query->waitUntil(limit) ? query : nullptr;
}

} // namespace

std::vector<int> pmixEndedProcesses(const std::string& jobId) {
  const auto query = states(jobId);
  return query ? query->ended : std::vector<int>();
}

std::vector<int> pmixDepartedProcesses(const std::string& jobId) {
  const auto query = states(jobId);
  return query ? query->departed : std::vector<int>();
}

} // namespace mpl
