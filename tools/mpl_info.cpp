// mpl_info: what this installation is made of, and which environment variables it reads.
#include "coll/Choice.h"
#include "config.h"
#include "mpi.h"
#include "mpl/Config.h"
#include "tools/FunctionNames.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Fact {
  std::string_view key;   ///< for --parsable
  std::string_view label; ///< for people
  std::string value;
};

/// Variables of the shell scripts beside this program. The library passes them over.
constexpr std::array<std::array<std::string_view, 2>, 3> toolVariables{{
    {"MPL_CC", "mpicc: another C compiler, with options if need be"},
    {"MPL_CXX", "mpicxx, mpic++: another C++ compiler, with options if need be"},
    {"MPL_LAUNCHER", "mpiexec: the launcher to use, with options if need be"},
}};

/// The library of this installation: it lies where it lay when both were installed, seen from here, or else
/// where the dynamic linker finds one.
class Library {
public:
  Library() {
    const std::filesystem::path fromHere = std::filesystem::path(MPL_LIBDIR).lexically_relative(MPL_BINDIR);
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    const auto file = (here / fromHere / "libmpi_abi.so.1").lexically_normal();
    for (const std::string& name : {file.string(), std::string("libmpi_abi.so.1")})
      if (handle_ == nullptr && (handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) == nullptr)
        why_ = dlerror();
  }

  bool found() const { return handle_ != nullptr; }
  const std::string& why() const { return why_; }
  void* symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

  /// The file that was loaded, or "" when there is none.
  std::string path() const {
    Dl_info info{};
    for (const char* name : functionNames)
      if (void* address = symbol(name); address != nullptr && dladdr(address, &info) != 0)
        return info.dli_fname;
    return {};
  }

  std::string version() const {
    const auto ask = reinterpret_cast<decltype(&MPI_Get_library_version)>(symbol("MPI_Get_library_version"));
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    if (ask == nullptr || ask(text.data(), &length) != MPI_SUCCESS)
      return {};
    return text.data();
  }

  /// Functions of the standard that are there under both names.
  bool has(const char* name) const {
    return symbol(name) != nullptr && symbol((std::string("P") + name).c_str()) != nullptr;
  }
  long count() const {
    return std::count_if(std::begin(functionNames), std::end(functionNames),
                         [this](auto name) { return has(name); });
  }

private:
  void* handle_ = nullptr; // never closed: the program is about to end
  std::string why_;
};

std::string orNone(std::string_view text) {
  return text.empty() ? "none" : std::string(text);
}

std::vector<Fact> facts(const Library& library) {
  const std::string functions = std::to_string(library.count());
  return {
      {"version", "MPL", PACKAGE_VERSION},
      {"standard", "MPI standard", std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION)},
      {"abi", "standard ABI", std::to_string(MPI_ABI_VERSION) + "." + std::to_string(MPI_ABI_SUBVERSION)},
      {"functions", "MPI functions", functions + " of " + std::to_string(std::size(functionNames))},
      {"library", "library", library.found() ? library.path() : "not found: " + library.why()},
      {"library_version", "it calls itself", orNone(library.version())},
      {"ucx", "built with UCX", MPL_UCX_VERSION},
      {"pmix", "built with PMIx", MPL_PMIX_VERSION},
      {"hwloc", "built with hwloc", MPL_HWLOC_VERSION},
      {"rpma", "built with librpma", MPL_RPMA_VERSION},
      {"cc", "C compiler", MPL_CONFIGURE_CC},
      {"cxx", "C++ compiler", MPL_CONFIGURE_CXX},
      {"sanitizers", "sanitizers", orNone(MPL_SANITIZERS)},
      {"prefix", "configured prefix", MPL_PREFIX},
  };
}

std::string_view kindName(mpl::SettingKind kind) {
  switch (kind) {
  case mpl::SettingKind::flag:
    return "flag";
  case mpl::SettingKind::integer:
    return "integer";
  case mpl::SettingKind::bytes:
    return "bytes";
  case mpl::SettingKind::seconds:
    return "seconds";
  case mpl::SettingKind::word:
    break;
  }
  return "word";
}

/// Which algorithm each collective takes.
void printChoices() {
  std::cout << "\nAlgorithms of collectives (the first line that fits; shared, direct: blocking calls among "
               "ranks of "
               "a node, direct where they may read each other's memory)\n  "
            << std::setw(16) << "collective" << std::setw(14) << "up to ranks" << std::setw(14)
            << "up to bytes"
            << "algorithm\n";
  const auto limit = [](std::size_t number, bool any) { return any ? "any" : std::to_string(number); };
  for (const mpl::ChoiceRule& rule : mpl::choiceTable())
    std::cout << "  " << std::setw(16) << mpl::collectiveName(rule.collective) << std::setw(14)
              << limit(static_cast<std::size_t>(rule.maxRanks), rule.maxRanks == mpl::anyRanks)
              << std::setw(14) << limit(rule.maxBytes, rule.maxBytes == mpl::anyBytes)
              << mpl::algorithmName(rule.algorithm)
              << (rule.least == mpl::Reach::node ? ", within a node" : "") << '\n';
}

void printForPeople(const Library& library) {
  for (const Fact& fact : facts(library))
    std::cout << std::left << std::setw(20) << fact.label << fact.value << '\n';

  const mpl::Config& config = mpl::Config::get();
  std::cout << "\nEnvironment variables of the library, with their value here\n";
  for (const mpl::SettingRow& row : mpl::settingTable()) {
    std::cout << "  " << row.name << '=' << config.text(row.setting)
              << (config.fromUser(row.setting) ? "  (set; the default is " : "  (the default");
    if (config.fromUser(row.setting))
      std::cout << row.defaultValue;
    std::cout << ")\n      " << row.meaning << "\n      "
              << (row.choices.empty() ? kindName(row.kind) : row.choices) << '\n';
  }
  for (const std::string& complaint : config.complaints())
    std::cout << "  " << complaint << '\n';
  printChoices();
  std::cout << "\nEnvironment variables of the tools\n";
  for (const auto& [name, meaning] : toolVariables)
    std::cout << "  " << name << "\n      " << meaning << '\n';
}

/// key:value, one a line; a setting has one line for each of its columns. Only the value may hold colons.
void printForPrograms(const Library& library) {
  for (const Fact& fact : facts(library))
    std::cout << fact.key << ':' << fact.value << '\n';
  const mpl::Config& config = mpl::Config::get();
  for (const mpl::SettingRow& row : mpl::settingTable()) {
    const auto line = [&](std::string_view column, std::string_view value) {
      std::cout << "setting:" << row.name << ':' << column << ':' << value << '\n';
    };
    line("value", config.text(row.setting));
    line("source", config.fromUser(row.setting) ? "environment" : "default");
    line("default", row.defaultValue);
    line("kind", kindName(row.kind));
    line("choices", row.choices);
    line("meaning", row.meaning);
  }
}

void printMissing(const Library& library) {
  for (const char* name : functionNames)
    if (!library.has(name))
      std::cout << name << '\n';
}

constexpr std::string_view usage = R"(usage: mpl_info [--parsable | --missing | --version]
Shows what this installation of MPL is made of, and the environment variables it reads.
  --parsable  the same as key:value, one a line, for programs
  --missing   the functions of the MPI standard that this version does not have
  --version   the version alone
)";

} // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && option != "--parsable" && option != "--missing" && option != "--version" &&
                   option != "--help")) {
    std::cerr << "mpl_info: " << (argc > 2 ? argv[2] : argv[1]) << " is not known\n" << usage;
    return 2;
  }
  if (option == "--help") {
    std::cout << usage;
    return 0;
  }
  if (option == "--version") {
    std::cout << PACKAGE_VERSION << '\n';
    return 0;
  }
  const Library library;
  if (option == "--missing")
    printMissing(library);
  else if (option == "--parsable")
    printForPrograms(library);
  else
    printForPeople(library);
  std::cout.flush();
  return library.found() && std::cout ? 0 : 1;
}
