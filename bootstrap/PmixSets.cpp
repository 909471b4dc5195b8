#include "bootstrap/PmixSets.h"

#include "bootstrap/PmixCompletion.h"
#include "mpl/Error.h"

#include <algorithm>
#include <memory>

namespace mpl {

namespace {

/// One question about sets, with the set's name where it is about one.
struct SetQuery : Completion, std::enable_shared_from_this<SetQuery> {
  SetQuery(const char* key, std::string_view set) {
    PMIX_QUERY_CONSTRUCT(&query);
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, query.keys, key);
    if (status != PMIX_SUCCESS)
      fail(MPI_ERR_NO_MEM, "no memory for a question to the PMIx server");
    if (!set.empty()) {
      PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
      PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_PSET_NAME, std::string(set).c_str(), PMIX_STRING);
    }
  }
  ~SetQuery() { PMIX_QUERY_DESTRUCT(&query); }

  /// Whether an answer came in time.
  bool ask() {
    auto reference = std::make_unique<std::shared_ptr<SetQuery>>(shared_from_this());
    const pmix_status_t status = PMIx_Query_info_nb(&query, 1, answered, reference.get());
    if (status != PMIX_SUCCESS)
      return false;
    reference.release(); // the callback owns it
    return waitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(2));
  }

  static void answered(pmix_status_t status, pmix_info_t* info, std::size_t count, void* data,
                       pmix_release_cbfunc_t release, void* releaseData) {
    const std::unique_ptr<std::shared_ptr<SetQuery>> self(static_cast<std::shared_ptr<SetQuery>*>(data));
    if (status == PMIX_SUCCESS)
      for (std::size_t i = 0; i < count; ++i)
        (*self)->collect(info[i].value);
    if (release != nullptr)
      release(releaseData);
    (*self)->end(status, {});
  }

  void collect(const pmix_value_t& value) {
    if (value.type == PMIX_STRING && value.data.string != nullptr)
      names = value.data.string;
    if (value.type != PMIX_DATA_ARRAY || value.data.darray == nullptr)
      return;
    const pmix_data_array_t& array = *value.data.darray;
    for (std::size_t i = 0; array.type == PMIX_PROC && i < array.size; ++i)
      members.push_back(static_cast<const pmix_proc_t*>(array.array)[i]);
  }

  pmix_query_t query;
  std::string names; ///< separated by commas
  std::vector<pmix_proc_t> members;
};

} // namespace

std::vector<std::string> pmixSetNames() {
  const auto query = std::make_shared<SetQuery>(PMIX_QUERY_PSET_NAMES, "");
  std::vector<std::string> names;
  if (!query->ask())
    return names;
  for (std::size_t from = 0; from < query->names.size();) {
    const std::size_t end = std::min(query->names.find(',', from), query->names.size());
    if (end != from)
      names.push_back(query->names.substr(from, end - from));
    from = end + 1;
  }
  return names;
}

std::vector<int> pmixSetMembers(const std::string& jobId, std::string_view set) {
  const auto query = std::make_shared<SetQuery>(PMIX_QUERY_PSET_MEMBERSHIP, set);
  std::vector<int> ranks;
  if (!query->ask())
    return ranks;
  for (const pmix_proc_t& member : query->members)
    if (jobId == member.nspace)
      ranks.push_back(static_cast<int>(member.rank));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace mpl
