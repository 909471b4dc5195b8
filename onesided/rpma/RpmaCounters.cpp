#include "onesided/rpma/RpmaCounters.h"

#include "mpl/Error.h"
#include "onesided/RmaLock.h"

#include <numeric>

namespace mpl {

RpmaCounters rpmaCounters;

namespace {

using Kind = PerformanceVariable::Kind;

struct CounterRow {
  std::uint64_t RpmaCounters::*counter;
  const char* name;
  const char* meaning;
  Kind kind = Kind::counter;
};

constexpr std::array rows{
    CounterRow{&RpmaCounters::connections, "connections_made", "connections that this process made"},
    CounterRow{&RpmaCounters::refused, "connections_refused",
               "connections of this process that the other side did not accept"},
    CounterRow{&RpmaCounters::accepted, "connections_accepted",
               "connections of other processes that were accepted"},
    CounterRow{&RpmaCounters::writes, "writes", "RDMA writes"},
    CounterRow{&RpmaCounters::writtenBytes, "written_bytes", "bytes that these wrote", Kind::aggregate},
    CounterRow{&RpmaCounters::atomicWrites, "atomic_writes", "RDMA writes of 8 bytes that are atomic"},
    CounterRow{&RpmaCounters::reads, "reads", "RDMA reads"},
    CounterRow{&RpmaCounters::readBytes, "read_bytes", "bytes that these read", Kind::aggregate},
    CounterRow{&RpmaCounters::flushes, "flushes", "RDMA flushes"},
    CounterRow{&RpmaCounters::lookups, "directory_lookups",
               "RDMA reads of another process's directory of windows"},
    CounterRow{&RpmaCounters::requestBytesSent, "request_bytes_sent",
               "bytes of private data in connection requests of this process", Kind::aggregate},
    CounterRow{&RpmaCounters::requestBytesReceived, "request_bytes_received",
               "bytes of private data in connection requests of others, padding included", Kind::aggregate},
    CounterRow{&RpmaCounters::replyBytesSent, "reply_bytes_sent",
               "bytes of private data in answers to connection requests", Kind::aggregate},
    CounterRow{&RpmaCounters::replyBytesReceived, "reply_bytes_received",
               "bytes of private data in answers of others, padding included", Kind::aggregate},
    CounterRow{&RpmaCounters::registrations, "registrations",
               "registrations of memory that is put from or got to"},
    CounterRow{&RpmaCounters::registrationHits, "registration_hits",
               "transfers whose memory was found registered"},
    CounterRow{&RpmaCounters::throttled, "waits_for_room",
               "operations that waited for a place in a send queue"},
};

} // namespace

std::uint64_t RpmaCounters::rejectedInAll() const noexcept {
  return std::accumulate(rejected.begin(), rejected.end(), std::uint64_t{0});
}

std::string RpmaCounters::describe() const {
  if (connections + refused + accepted + rejectedInAll() == 0)
    return {};
  return text("rpma device: ", connections, " connections made, ", refused, " refused, ", accepted,
              " accepted, ", rejectedInAll(), " rejected; ", writes, " writes of ", writtenBytes, " bytes, ",
              atomicWrites, " atomic, ", reads, " reads of ", readBytes, " bytes, ", flushes, " flushes, ",
              lookups, " directory lookups; private data: requests of ", requestBytesSent, " bytes sent, ",
              requestBytesReceived, " received, replies of ", replyBytesSent, " bytes sent, ",
              replyBytesReceived, " received; ", registrations, " registrations, ", registrationHits,
              " found, ", throttled, " waits for room");
}

VariableCategory rpmaVariables() {
  VariableCategory all{"rpma", "RDMA connections of windows, and what went over them", {}, {}};
  for (const CounterRow& row : rows)
    all.variables.push_back({text("rpma_", row.name), row.meaning, row.kind, [counter = row.counter] {
                               const RmaLock lock;
                               return rpmaCounters.*counter;
                             }});
  all.variables.push_back({"rpma_connections_rejected",
                           "connection requests of others that were rejected, whatever the reason",
                           Kind::counter, [] {
                             const RmaLock lock;
                             return rpmaCounters.rejectedInAll();
                           }});
  return all;
}

} // namespace mpl
