#include "pt2pt/GeneralizedRequest.h"

#include "pt2pt/EngineLock.h"

namespace mpl {

namespace {

void check(int code, const char* what) {
  if (code != MPI_SUCCESS)
    fail(code, "the ", what, " function of a generalized request returned ", code);
}

class Generalized final : public Operation {
public:
  Generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
              MPI_Grequest_cancel_function* cancel, void* extraState)
      : query_(query), free_(free), cancel_(cancel), extraState_(extraState) {}

  void finished(Outcome& outcome) override {
    MPI_Status status{};
    outcome.writeTo(&status);
    status.MPI_ERROR = MPI_SUCCESS;
    const int code = query_(extraState_, &status);
    outcome.source = status.MPI_SOURCE;
    outcome.tag = status.MPI_TAG;
    outcome.bytes = statusWords::bytes(status);
    outcome.cancelled = statusWords::cancelled(status);
    check(code, "query");
  }

  void retiring() override { check(free_(extraState_), "free"); }

  void cancelProgramsWork(bool complete) { check(cancel_(extraState_, complete ? 1 : 0), "cancel"); }

  const char* description() const override { return "generalized request"; }

private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extraState_;
};

} // namespace

MPI_Request startGeneralized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                             MPI_Grequest_cancel_function* cancel, void* extraState) {
  auto operation = std::make_unique<Generalized>(query, free, cancel, extraState);
  EngineLock lock;
  Request& request = requestPool.take();
  request.begin(Request::Kind::Other);
  request.outcome = Outcome::empty();
  request.operation = std::move(operation);
  return request.handle;
}

void completeGeneralized(Request& request) {
  auto* operation = dynamic_cast<Generalized*>(request.operation.get());
  if (operation == nullptr)
    fail(MPI_ERR_REQUEST, "the request is not a generalized request");
  // Freed by the program before: its free function is due now, without the engine.
  if (request.detached)
    operation->retiring();
  EngineLock lock;
  request.complete();
}

bool cancelGeneralized(Request& request) {
  auto* operation = dynamic_cast<Generalized*>(request.operation.get());
  if (operation != nullptr)
    operation->cancelProgramsWork(request.isComplete());
  return operation != nullptr;
}

} // namespace mpl
