#include "test/mprobe/Case.h"

#include <cstdio>
#include <cstring>
#include <thread>

namespace mprobe {

Context::Context(std::string name, MPI_Comm comm, MPI_Comm control)
    : name_(std::move(name)), comm_(comm), control_(control) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

Context::~Context() {
  MPI_Comm_free(&control_);
  MPI_Comm_free(&comm_);
}

bool Context::check(bool condition, const std::string& what, int line, const char* file) {
  if (condition)
    return true;
  const char* base = std::strrchr(file, '/');
  std::ostringstream text;
  text << (base ? base + 1 : file) << ':' << line << ": rank " << rank_ << ": " << what;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty())
    failure_ = text.str();
  // Said at once, because a rank that waits for this one may keep the case from ending.
  if (++failures_ <= 3)
    std::fprintf(stderr, "# %s: %s\n", name_.c_str(), text.str().c_str());
  return false;
}

bool Context::ok(int code, const char* call, int line, const char* file) {
  if (code == MPI_SUCCESS)
    return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return check(false, std::string(call) + " failed: " + text, line, file);
}

bool Context::hasClass(int code, int errorClass, const char* call, int line, const char* file) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  if (found == errorClass)
    return true;
  std::ostringstream text;
  text << call << " gave error class " << found << ", not " << errorClass;
  return check(false, text.str(), line, file);
}

bool Context::statusIs(const MPI_Status& status, int source, int tag, MPI_Count bytes, int line,
                       const char* file) {
  MPI_Count elements = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &elements);
  if (status.MPI_SOURCE == source && status.MPI_TAG == tag && elements == bytes)
    return true;
  std::ostringstream text;
  text << "status says source " << status.MPI_SOURCE << ", tag " << status.MPI_TAG << ", " << elements
       << " bytes, not source " << source << ", tag " << tag << ", " << bytes << " bytes";
  return check(false, text.str(), line, file);
}

void Context::skip(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  skipReason_ = reason;
}

void Context::barrier() {
  MPI_Barrier(control_);
}

void Context::signal(int peer) {
  MPI_Send(nullptr, 0, MPI_BYTE, peer, 0, control_);
}

void Context::await(int peer) {
  MPI_Recv(nullptr, 0, MPI_BYTE, peer, 0, control_, MPI_STATUS_IGNORE);
}

void Registry::add(std::string name, Needs needs, std::function<void(Context&)> body) {
  cases_.push_back({std::move(name), needs, std::move(body)});
}

void runThreads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(body, i);
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace mprobe
