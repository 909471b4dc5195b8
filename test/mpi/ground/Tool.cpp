// The tool interface: initialization apart from MPI, enumerations, control variables, categories; every
// function and every error. Performance variables have a program of their own.
#include "test/mpi/ground/ToolCalls.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tool;

namespace {

// Before MPI_Init: everything but what counts.
void initialization() {
  int provided = -1;
  int count = 0;
  CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_category_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_init_thread(-5, &provided), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, nullptr), MPI_T_ERR_INVALID);
  for (int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_MULTIPLE}) {
    CHECK_EQ(MPI_T_init_thread(level, &provided), MPI_SUCCESS);
    CHECK(provided >= level);
  }
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS); // one is left
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle pvar = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_cvar_handle cvar = MPI_T_CVAR_HANDLE_NULL;
  CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, 0, nullptr, &pvar, &count), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_handle_alloc(0, nullptr, &cvar, &count), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  // What was left over from before means nothing any more.
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  unsigned long long value = 0;
  CHECK_EQ(MPI_T_pvar_read(session, pvar, &value), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_cvar_read(cvar, &value), MPI_T_ERR_INVALID_HANDLE);
}

void enumeration(MPI_T_enum values, const std::set<std::string>& wanted) {
  int count = 0;
  Text name;
  CHECK_EQ(MPI_T_enum_get_info(values, &count, name.text, &name.length), MPI_SUCCESS);
  CHECK(!name.get().empty());
  std::set<std::string> found;
  for (int i = 0; i < count; ++i) {
    Text item;
    int value = -1;
    CHECK_EQ(MPI_T_enum_get_item(values, i, &value, item.text, &item.length), MPI_SUCCESS);
    CHECK_EQ(value, i);
    found.insert(item.get());
  }
  CHECK_EQ(found.size(), static_cast<size_t>(count));
  for (const std::string& one : wanted)
    CHECK(found.count(one) == 1);
  for (int bad : {-1, count})
    CHECK_EQ(MPI_T_enum_get_item(values, bad, &count, nullptr, nullptr), MPI_T_ERR_INVALID_ITEM);
}

std::string itemOf(MPI_T_enum values, int item) {
  Text name;
  int value = 0;
  CHECK_EQ(MPI_T_enum_get_item(values, item, &value, name.text, &name.length), MPI_SUCCESS);
  return name.get();
}

struct Cvar {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  int index = -1;
};

std::map<std::string, Cvar> allCvars() {
  std::map<std::string, Cvar> found;
  int count = 0;
  CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    Text name;
    Text meaning;
    Cvar one;
    int verbosity = 0;
    int bind = -1;
    int scope = -1;
    int index = -1;
    CHECK_EQ(MPI_T_cvar_get_info(i, name.text, &name.length, &verbosity, &one.type, &one.values, meaning.text,
                                 &meaning.length, &bind, &scope),
             MPI_SUCCESS);
    CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
    CHECK_EQ(scope, MPI_T_SCOPE_CONSTANT);
    CHECK_EQ(MPI_T_cvar_get_index(name.text, &index), MPI_SUCCESS);
    CHECK_EQ(index, i);
    one.index = i;
    found[name.get()] = one;
  }
  CHECK_EQ(found.size(), static_cast<size_t>(count));
  return found;
}

template <class T> T readCvar(const Cvar& cvar) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  T value{};
  CHECK_EQ(MPI_T_cvar_handle_alloc(cvar.index, nullptr, &handle, &count), MPI_SUCCESS);
  CHECK_EQ(count, 1);
  CHECK_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
  CHECK_EQ(MPI_T_cvar_read(handle, nullptr), MPI_T_ERR_INVALID);
  const MPI_T_cvar_handle stale = handle;
  CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
  CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_read(stale, &value), MPI_T_ERR_INVALID_HANDLE);
  return value;
}

// The run sets MPL_LOG=error, MPL_WATCH_INTERVAL=250ms, MPL_CHECK=1, MPL_COLL_NODE_RANKS=0.
void controlVariables() {
  std::map<std::string, Cvar> cvars = allCvars();
  const Cvar log = cvars.at("MPL_LOG");
  CHECK(log.type == MPI_INT);
  enumeration(log.values, {"error", "warning", "info", "debug"});
  CHECK_EQ(itemOf(log.values, readCvar<int>(log)), std::string("error"));
  const Cvar check = cvars.at("MPL_CHECK");
  CHECK(check.type == MPI_INT);
  enumeration(check.values, {"off", "on"});
  CHECK_EQ(itemOf(check.values, readCvar<int>(check)), std::string("on"));
  CHECK_EQ(readCvar<int>(cvars.at("MPL_SINGLETON")), 0);
  const Cvar interval = cvars.at("MPL_WATCH_INTERVAL");
  CHECK(interval.type == MPI_DOUBLE);
  CHECK(interval.values == MPI_T_ENUM_NULL);
  CHECK_EQ(readCvar<double>(interval), 0.25);
  const Cvar ranks = cvars.at("MPL_COLL_NODE_RANKS");
  CHECK(ranks.type == MPI_UNSIGNED_LONG_LONG);
  CHECK_EQ(readCvar<unsigned long long>(ranks), 0ULL);

  const auto count = static_cast<int>(cvars.size());
  int number = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  for (int bad : {-1, count}) {
    CHECK_EQ(MPI_T_cvar_get_info(bad, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                 nullptr),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_handle_alloc(bad, nullptr, &handle, &number), MPI_T_ERR_INVALID_INDEX);
  }
  CHECK_EQ(
      MPI_T_cvar_get_info(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
      MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_get_index("MPL_NO_SUCH_THING", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_cvar_get_index(nullptr, &number), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_get_index("MPL_LOG", nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_get_num(nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_handle_alloc(0, nullptr, nullptr, &number), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
}

// Strings are cut to the room that there is, and the length of the whole is told.
void strings() {
  const std::string whole = pvarAt(0).name;
  for (int room : {0, 1, 4, static_cast<int>(whole.size()), static_cast<int>(whole.size()) + 1}) {
    char text[many];
    std::memset(text, 'x', sizeof text);
    int length = room;
    CHECK_EQ(MPI_T_pvar_get_info(0, text, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                 nullptr, nullptr, nullptr, nullptr),
             MPI_SUCCESS);
    CHECK_EQ(length, static_cast<int>(whole.size()) + 1);
    CHECK_EQ(text[room], 'x');
    if (room > 0)
      CHECK_EQ(std::string(text), whole.substr(0, static_cast<size_t>(room) - 1));
  }
  int length = 5;
  CHECK_EQ(MPI_T_pvar_get_info(0, nullptr, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr, nullptr),
           MPI_SUCCESS);
  CHECK_EQ(length, static_cast<int>(whole.size()) + 1);
}

// All control and performance variables are in some category; the tree has no circles.
void categories() {
  int count = 0;
  CHECK_EQ(MPI_T_category_get_num(&count), MPI_SUCCESS);
  std::set<int> controls;
  std::set<int> variables;
  std::set<int> parts;
  for (int i = 0; i < count; ++i) {
    Text name;
    Text meaning;
    int numbers[3] = {-1, -1, -1};
    int index = -1;
    CHECK_EQ(MPI_T_category_get_info(i, name.text, &name.length, meaning.text, &meaning.length, &numbers[0],
                                     &numbers[1], &numbers[2]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_category_get_index(name.get().c_str(), &index), MPI_SUCCESS);
    CHECK_EQ(index, i);
    const auto list = [&](int which, int length) {
      std::vector<int> indices(static_cast<size_t>(length) + 1, -77);
      switch (which) {
      case 0:
        CHECK_EQ(MPI_T_category_get_cvars(i, length, indices.data()), MPI_SUCCESS);
        break;
      case 1:
        CHECK_EQ(MPI_T_category_get_pvars(i, length, indices.data()), MPI_SUCCESS);
        break;
      default:
        CHECK_EQ(MPI_T_category_get_categories(i, length, indices.data()), MPI_SUCCESS);
      }
      CHECK_EQ(indices.back(), -77);
      indices.pop_back();
      return indices;
    };
    std::set<int>* const all[] = {&controls, &variables, &parts};
    for (int which = 0; which < 3; ++which) {
      const std::vector<int> whole = list(which, numbers[which]);
      for (int one : whole)
        CHECK(all[which]->insert(one).second);
      if (numbers[which] > 1) {
        const std::vector<int> first = list(which, numbers[which] - 1);
        CHECK(std::equal(first.begin(), first.end(), whole.begin()));
      }
    }
  }
  int cvars = 0;
  CHECK_EQ(MPI_T_cvar_get_num(&cvars), MPI_SUCCESS);
  CHECK_EQ(controls.size(), static_cast<size_t>(cvars));
  CHECK_EQ(variables.size(), static_cast<size_t>(pvarCount()));
  CHECK(parts.count(0) == 0 && parts.size() < static_cast<size_t>(count));
  int stamp = -1;
  int again = -2;
  CHECK_EQ(MPI_T_category_changed(&stamp), MPI_SUCCESS);
  CHECK_EQ(MPI_T_category_changed(&again), MPI_SUCCESS);
  CHECK_EQ(stamp, again);

  int number = 0;
  for (int bad : {-1, count}) {
    CHECK_EQ(MPI_T_category_get_info(bad, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_category_get_cvars(bad, 1, &number), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_category_get_pvars(bad, 1, &number), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_category_get_categories(bad, 1, &number), MPI_T_ERR_INVALID_INDEX);
  }
  CHECK_EQ(MPI_T_category_get_cvars(0, -1, &number), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_category_get_cvars(0, 1, nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_category_get_index("no such thing", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_category_changed(nullptr), MPI_T_ERR_INVALID);
}

} // namespace

int main(int argc, char** argv) {
  initialization();
  controlVariables(); // before MPI_Init
  MPI_Init(&argc, &argv);
  const int status =
      check::run(argc, argv,
                 {{"strings", strings}, {"control variables", controlVariables}, {"categories", categories}});
  const long before = check::state().failures;
  controlVariables(); // after MPI_Finalize
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return check::state().failures == before ? status : 1;
}
