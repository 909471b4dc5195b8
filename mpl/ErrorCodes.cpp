#include "mpl/ErrorCodes.h"

#include "mpl/Error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace mpl {

namespace {

constexpr std::size_t maxText = MPI_MAX_ERROR_STRING - 1;

struct ClassText {
  int value;
  const char* name;
  const char* text;
};

constexpr ClassText classTexts[] = {
    {MPI_SUCCESS, "MPI_SUCCESS", "no error"},
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER", "the buffer pointer is not valid"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT", "the count is not valid"},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE", "the datatype is not valid"},
    {MPI_ERR_TAG, "MPI_ERR_TAG", "the tag is not valid"},
    {MPI_ERR_COMM, "MPI_ERR_COMM", "the communicator is not valid"},
    {MPI_ERR_RANK, "MPI_ERR_RANK", "the rank is not valid"},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST", "the request is not valid"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT", "the root is not valid"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP", "the group is not valid"},
    {MPI_ERR_OP, "MPI_ERR_OP", "the reduction operation is not valid"},
    {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY", "the topology is not valid"},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS", "the dimensions are not valid"},
    {MPI_ERR_ARG, "MPI_ERR_ARG", "an argument is not valid"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE", "the message does not fit the receive buffer"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER", "an error that has no class of its own"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN", "an error inside the library"},
    {MPI_ERR_PENDING, "MPI_ERR_PENDING", "the request neither failed nor completed"},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "the error codes are in the statuses"},
    {MPI_ERR_ACCESS, "MPI_ERR_ACCESS", "permission denied"},
    {MPI_ERR_AMODE, "MPI_ERR_AMODE", "the file access mode is not valid"},
    {MPI_ERR_ASSERT, "MPI_ERR_ASSERT", "the assertion is not valid"},
    {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE", "the file name is not valid"},
    {MPI_ERR_BASE, "MPI_ERR_BASE", "the base pointer is not valid"},
    {MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION", "a data conversion function failed"},
    {MPI_ERR_DISP, "MPI_ERR_DISP", "the displacement is not valid"},
    {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP", "the data representation is defined already"},
    {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS", "the file exists"},
    {MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE", "the file is open in some process"},
    {MPI_ERR_FILE, "MPI_ERR_FILE", "the file handle is not valid"},
    {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "the info key is empty or too long"},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "the info object has no such key"},
    {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE", "the info value is too long or not valid"},
    {MPI_ERR_INFO, "MPI_ERR_INFO", "the info object is not valid"},
    {MPI_ERR_IO, "MPI_ERR_IO", "input or output failed"},
    {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL", "the attribute key is not valid"},
    {MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE", "the lock type is not valid"},
    {MPI_ERR_NAME, "MPI_ERR_NAME", "the service name is not published"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "memory is used up"},
    {MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME", "an argument differs between the processes"},
    {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE", "there is no space left"},
    {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE", "the file does not exist"},
    {MPI_ERR_PORT, "MPI_ERR_PORT", "the port name is not valid"},
    {MPI_ERR_QUOTA, "MPI_ERR_QUOTA", "the quota is used up"},
    {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY", "the file or file system can only be read"},
    {MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH", "the memory cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT", "accesses to the window conflict"},
    {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE", "the target memory is not in the window"},
    {MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED", "the memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC", "the call does not fit the state of synchronization"},
    {MPI_ERR_SERVICE, "MPI_ERR_SERVICE", "the service name is not valid for unpublishing"},
    {MPI_ERR_SIZE, "MPI_ERR_SIZE", "the size is not valid"},
    {MPI_ERR_SPAWN, "MPI_ERR_SPAWN", "processes could not be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP", "the data representation is not supported"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION", "the operation is not supported"},
    {MPI_ERR_WIN, "MPI_ERR_WIN", "the window is not valid"},
    {MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR", "the window has the wrong flavor"},
    {MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED", "a peer process has ended"},
    {MPI_ERR_VALUE_TOO_LARGE, "MPI_ERR_VALUE_TOO_LARGE", "the value does not fit its type"},
    {MPI_ERR_SESSION, "MPI_ERR_SESSION", "the session is not valid"},
    {MPI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER", "the error handler is not valid"},
    {MPI_ERR_ABI, "MPI_ERR_ABI", "an ABI setting is not valid or cannot be changed"},
    {MPI_T_ERR_CANNOT_INIT, "MPI_T_ERR_CANNOT_INIT", "the tool interface cannot be initialized"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "MPI_T_ERR_NOT_ACCESSIBLE", "the item cannot be accessed"},
    {MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED", "the tool interface is not initialized"},
    {MPI_T_ERR_NOT_SUPPORTED, "MPI_T_ERR_NOT_SUPPORTED", "the tool call is not supported"},
    {MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY", "memory is used up"},
    {MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID", "an argument of a tool call is not valid"},
    {MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX", "the index is out of range"},
    {MPI_T_ERR_INVALID_ITEM, "MPI_T_ERR_INVALID_ITEM", "the item index is out of range"},
    {MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION", "the tool session is not valid"},
    {MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE", "the tool handle is not valid"},
    {MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME", "there is no variable or category of this name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "MPI_T_ERR_OUT_OF_HANDLES", "no more tool handles are available"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "MPI_T_ERR_OUT_OF_SESSIONS", "no more tool sessions are available"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "MPI_T_ERR_CVAR_SET_NOT_NOW", "the variable cannot be set at this moment"},
    {MPI_T_ERR_CVAR_SET_NEVER, "MPI_T_ERR_CVAR_SET_NEVER", "the variable cannot be set"},
    {MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE", "the variable cannot be written"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "MPI_T_ERR_PVAR_NO_STARTSTOP", "the variable cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "MPI_T_ERR_PVAR_NO_ATOMIC", "the variable cannot be read and reset at once"},
};
static_assert(std::ranges::is_sorted(classTexts, {}, &ClassText::value));

const ClassText* standardClass(int code) noexcept {
  const auto* found = std::ranges::lower_bound(classTexts, code, {}, &ClassText::value);
  return found != std::end(classTexts) && found->value == code ? found : nullptr;
}

/// A class or code that the program added.
struct Added {
  int errorClass;
  int codes = 0; ///< of a class: how many codes belong to it
  std::optional<std::string> text;
};

/// Never destroyed: codes may be asked for in exit handlers.
struct Registry {
  std::mutex mutex;
  std::unordered_map<int, Added> added;
  int lastUsed = MPI_ERR_LASTCODE;

  Added* find(int code) {
    const auto found = added.find(code);
    return found != added.end() ? &found->second : nullptr;
  }

  int add(int errorClass) {
    if (lastUsed == INT32_MAX)
      fail(MPI_ERR_OTHER, "all numbers for error classes and codes are used up");
    const int code = lastUsed + 1;
    added.emplace(code, Added{.errorClass = errorClass != 0 ? errorClass : code, .codes = 0, .text = {}});
    lastUsed = code;
    return code;
  }
};

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

/// The last failure of a thread. Plain memory, so that keeping it cannot fail.
struct LastError {
  int code = MPI_SUCCESS;
  std::size_t length = 0;
  std::array<char, maxText> text;
};
thread_local LastError lastError;

[[noreturn]] void failUnknown(int code) {
  fail(MPI_ERR_ARG, "error code ", code, " is neither a class nor a code");
}

[[noreturn]] void failNotAdded(const char* what, int code) {
  fail(MPI_ERR_ARG, what, " ", code, " was not added by the program");
}

} // namespace

const char* errorClassName(int mpiClass) noexcept {
  const ClassText* found = standardClass(mpiClass);
  return found != nullptr ? found->name : "unknown error class";
}

int errorClass(int code) {
  if (standardClass(code) != nullptr)
    return code;
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  const Added* added = all.find(code);
  if (added == nullptr)
    failUnknown(code);
  return added->errorClass;
}

bool isErrorCode(int code) {
  if (standardClass(code) != nullptr)
    return true;
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  return all.find(code) != nullptr;
}

std::string errorString(int code) {
  if (const ClassText* found = standardClass(code)) {
    if (code != MPI_SUCCESS && code == lastError.code)
      return {lastError.text.data(), lastError.length};
    return text(found->name, ": ", found->text);
  }
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  const Added* added = all.find(code);
  if (added == nullptr)
    failUnknown(code);
  return added->text.value_or("");
}

void setLastError(int code, std::string_view text) noexcept {
  const std::string_view name = standardClass(code) != nullptr ? errorClassName(code) : "";
  lastError.code = code;
  lastError.length = 0;
  const auto append = [](std::string_view part) {
    const std::size_t size = std::min(part.size(), maxText - lastError.length);
    std::memcpy(lastError.text.data() + lastError.length, part.data(), size);
    lastError.length += size;
  };
  append(name);
  append(name.empty() ? "" : ": ");
  append(text);
}

int addErrorClass() {
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  return all.add(0);
}

int addErrorCode(int errorClass) {
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  Added* parent = all.find(errorClass);
  if (parent != nullptr ? parent->errorClass != errorClass : standardClass(errorClass) == nullptr)
    fail(MPI_ERR_ARG, "error class ", errorClass, " does not exist");
  const int code = all.add(errorClass);
  if (Added* grown = all.find(errorClass))
    ++grown->codes;
  return code;
}

void addErrorString(int code, std::string_view text) {
  if (text.size() > maxText)
    fail(MPI_ERR_ARG, "the text for error code ", code, " has ", text.size(), " bytes, more than ", maxText);
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  Added* added = all.find(code);
  if (added == nullptr)
    failNotAdded("error code", code);
  added->text = text;
}

void removeErrorClass(int errorClass) {
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  const Added* added = all.find(errorClass);
  if (added == nullptr || added->errorClass != errorClass)
    failNotAdded("error class", errorClass);
  if (added->codes != 0)
    fail(MPI_ERR_OTHER, "error class ", errorClass, " still has ", added->codes, " error codes");
  all.added.erase(errorClass);
}

void removeErrorCode(int code) {
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  const Added* added = all.find(code);
  if (added == nullptr || added->errorClass == code)
    failNotAdded("error code", code);
  if (added->text)
    fail(MPI_ERR_OTHER, "error code ", code, " still has its text");
  if (Added* parent = all.find(added->errorClass))
    --parent->codes;
  all.added.erase(code);
}

void removeErrorString(int code) {
  Registry& all = registry();
  std::lock_guard guard(all.mutex);
  Added* added = all.find(code);
  if (added == nullptr || !added->text)
    failNotAdded("a text for error code", code);
  added->text.reset();
}

int* lastUsedCode() noexcept {
  return &registry().lastUsed;
}

} // namespace mpl
