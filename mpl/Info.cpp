#include "mpl/Info.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <span>

#include <sys/utsname.h>
#include <unistd.h>

namespace mpl {

constinit Immortal<HandleTable<Info, MPI_Info>> infos;

namespace {

constexpr std::size_t maxKey = MPI_MAX_INFO_KEY - 1;
constexpr std::size_t maxValue = MPI_MAX_INFO_VAL - 1;

void checkKey(std::string_view key) {
  if (key.empty())
    fail(MPI_ERR_INFO_KEY, "the info key is empty");
  if (key.size() > maxKey)
    fail(MPI_ERR_INFO_KEY, "the info key \"", key.substr(0, 32), "...\" has ", key.size(),
         " bytes, more than ", maxKey);
}

void checkValue(std::string_view key, std::string_view value) {
  if (value.size() > maxValue)
    fail(MPI_ERR_INFO_VALUE, "the value of info key \"", key, "\" has ", value.size(), " bytes, more than ",
         maxValue);
}

/// Never destroyed, as all that may be asked for in exit handlers.
struct SharedFacts {
  std::mutex mutex;
  StartFacts facts;
};

SharedFacts& sharedFacts() {
  static auto* shared = new SharedFacts;
  return *shared;
}

StartFacts startFacts() {
  std::lock_guard guard(sharedFacts().mutex);
  return sharedFacts().facts;
}

std::vector<std::string> commandLine(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 0; argv != nullptr && i < argc && argv[i] != nullptr; ++i)
    words.emplace_back(argv[i]);
  if (!words.empty())
    return words;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  return words;
}

std::string workingDirectory() {
  std::array<char, 4096> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

/// The facts are a service: one that is unknown or too long for an info value is cut or left out, never an
/// error.
void note(Info& info, std::string_view key, std::string_view value) {
  if (!value.empty())
    info.set(key, value.substr(0, maxValue));
}

} // namespace

Info::Info(const Info& other) {
  std::lock_guard guard(other.mutex_);
  pairs_ = other.pairs_;
}

Info::Info(Info&& other) {
  std::lock_guard guard(other.mutex_);
  pairs_ = std::move(other.pairs_);
}

Info& Info::operator=(const Info& other) {
  if (this != &other) {
    auto copy = other.pairs();
    std::lock_guard guard(mutex_);
    pairs_ = std::move(copy);
  }
  return *this;
}

const Info::Pair* Info::locate(std::string_view key) const {
  const auto found = std::ranges::find(pairs_, key, &Pair::first);
  return found != pairs_.end() ? &*found : nullptr;
}

void Info::set(std::string_view key, std::string_view value) {
  checkKey(key);
  checkValue(key, value);
  std::lock_guard guard(mutex_);
  if (const Pair* pair = locate(key))
    pairs_[static_cast<std::size_t>(pair - pairs_.data())].second = value;
  else
    pairs_.emplace_back(key, value);
}

std::optional<std::string> Info::get(std::string_view key) const {
  checkKey(key);
  std::lock_guard guard(mutex_);
  const Pair* pair = locate(key);
  return pair != nullptr ? std::optional(pair->second) : std::nullopt;
}

void Info::remove(std::string_view key) {
  checkKey(key);
  std::lock_guard guard(mutex_);
  const Pair* pair = locate(key);
  if (pair == nullptr)
    fail(MPI_ERR_INFO_NOKEY, "the info object has no key \"", key, "\"");
  pairs_.erase(pairs_.begin() + (pair - pairs_.data()));
}

std::size_t Info::size() const {
  std::lock_guard guard(mutex_);
  return pairs_.size();
}

std::string Info::key(int n) const {
  std::lock_guard guard(mutex_);
  if (n < 0 || static_cast<std::size_t>(n) >= pairs_.size())
    fail(MPI_ERR_ARG, "info key number ", n, " was asked for, the object has ", pairs_.size());
  return pairs_[static_cast<std::size_t>(n)].first;
}

std::vector<std::pair<std::string, std::string>> Info::pairs() const {
  std::lock_guard guard(mutex_);
  return pairs_;
}

Info& infoOf(MPI_Info handle) {
  Info* info = infos->find(handle);
  if (info == nullptr) {
    if (handle == MPI_INFO_NULL)
      fail(MPI_ERR_INFO, "info is MPI_INFO_NULL");
    fail(MPI_ERR_INFO, "info is no info object: ", static_cast<const void*>(handle));
  }
  return *info;
}

const Info* infoOrNull(MPI_Info handle) {
  return handle == MPI_INFO_NULL ? nullptr : &infoOf(handle);
}

MPI_Info newHandle(Info info) {
  auto object = std::make_unique<Info>(std::move(info));
  const MPI_Info handle = infos->insert(object.get());
  object.release();
  return handle;
}

void freeInfo(MPI_Info handle) {
  Info& info = infoOf(handle);
  if (info.isReadOnly())
    fail(MPI_ERR_INFO, "the predefined info object MPI_INFO_ENV cannot be freed");
  infos->erase(handle);
  delete &info;
}

void setUpEnvInfo(StartFacts facts, int argc, const char* const* argv) {
  {
    std::lock_guard guard(sharedFacts().mutex);
    sharedFacts().facts = std::move(facts);
  }
  static Info* env = new Info;
  *env = envInfo(argc, argv);
  env->makeReadOnly();
  infos->setPredefined(MPI_INFO_ENV, env);
}

Info envInfo(int argc, const char* const* argv) {
  Info info;
  const std::vector<std::string> words = commandLine(argc, argv);
  if (!words.empty()) {
    note(info, "command", words.front());
    std::string arguments;
    for (const std::string& word : std::span(words).subspan(1))
      arguments += (arguments.empty() ? "" : " ") + word;
    note(info, "argv", arguments);
  }
  const StartFacts facts = startFacts();
  if (facts.maxProcs > 0)
    note(info, "maxprocs", std::to_string(facts.maxProcs));
  utsname machine{};
  if (uname(&machine) == 0) {
    note(info, "host", machine.nodename);
    note(info, "arch", machine.machine);
  }
  note(info, "wdir", workingDirectory());
  note(info, "thread_level", facts.threadLevel);
  return info;
}

} // namespace mpl
