#include "comm/Session.h"

#include "pt2pt/BsendBuffer.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/Runtime.h"

#include <algorithm>

namespace mpl {

constinit Immortal<HandleTable<Session, MPI_Session>> sessions;

namespace {

constexpr std::string_view worldSet = "mpi://WORLD";
constexpr std::string_view selfSet = "mpi://SELF";
constexpr std::string_view threadKey = "thread_level";

struct Level {
  std::string_view name;
  int value;
};
constexpr Level levels[] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                            {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                            {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                            {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};

const Level& levelNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(levels), std::end(levels),
                                   [&](const Level& level) { return level.name == name; });
  if (found == std::end(levels))
    fail(MPI_ERR_INFO_VALUE, "the value of ", threadKey, " is '", name, "', which is no thread level");
  return *found;
}

// Set names are compared without regard to case (section 11.3.2: they are URIs).
bool sameName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

} // namespace

Session::Session(Info info, Ref<Errhandler> handler)
    : info_(std::move(info)), scope_(std::make_shared<SessionScope>(std::move(handler))) {}

MPI_Session Session::open(const Info* hints, Ref<Errhandler> handler) {
  const auto wanted = hints != nullptr ? hints->get(threadKey) : std::nullopt;
  const Level& level = wanted ? levelNamed(*wanted) : levels[0];
  runtime.openSession(level.value);
  Info info;
  info.set(threadKey, level.name);
  auto* const session = new Session(std::move(info), std::move(handler));
  return session->scope_->handle = sessions->insert(session);
}

void Session::close(MPI_Session handle) {
  Session& session = sessionOf(handle);
  if (session.scope_->bsendBuffer)
    detachBsendBuffer({nullptr, session.scope_.get()});
  session.scope_->handle = MPI_SESSION_NULL;
  sessions->erase(handle);
  delete &session;
  runtime.closeSession();
}

std::vector<std::string> Session::psetNames() {
  std::vector<std::string> known = runtime.process().processSets();
  const std::lock_guard guard(mutex_);
  for (std::string& name : known)
    if (std::find(launcherSets_.begin(), launcherSets_.end(), name) == launcherSets_.end())
      launcherSets_.push_back(std::move(name));
  std::vector<std::string> all{std::string(worldSet), std::string(selfSet)};
  all.insert(all.end(), launcherSets_.begin(), launcherSets_.end());
  return all;
}

Ref<Group> Session::group(std::string_view pset) {
  Process& process = runtime.process();
  Ref<Group> members;
  if (sameName(pset, worldSet)) {
    members = Group::strided(0, 1, process.size());
  } else if (sameName(pset, selfSet)) {
    members = Group::strided(process.rank(), 1, 1);
  } else {
    const std::vector<int> ranks = process.membersOf(pset);
    if (ranks.empty())
      fail(MPI_ERR_ARG, "there is no process set named '", pset, "'");
    members = Group::of({ranks.begin(), ranks.end()});
  }
  members->setOrigin(scope_);
  return members;
}

Session& sessionOf(MPI_Session handle) {
  Session* session = sessions->find(handle);
  if (session == nullptr) {
    if (handle == MPI_SESSION_NULL)
      fail(MPI_ERR_SESSION, "session is MPI_SESSION_NULL");
    fail(MPI_ERR_SESSION, "session is no session, or was finalised: ", static_cast<const void*>(handle));
  }
  return *session;
}

} // namespace mpl
