#pragma once

#include "mpl/BasicType.h"
#include "mpl/Op.h"
#include "onesided/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// What processes ask of each other's windows by active messages. Each message is one fragment of UCX's, so
/// that those of one process are executed in the order in which they were sent.
enum class MessageKind : std::uint8_t {
  describe,       ///< where is the window? Answer: description
  put,            ///< data follows, for `address`
  get,            ///< `count` bytes from `address` on. Answer: data
  update,         ///< `count` runs (UpdateRun) follow, then their packed operands. Answer, if wanted: data
  compareAndSwap, ///< compare and value follow, of one element. Answer: data
  lock,           ///< Answer, when it is had: done
  unlock,
  fence,       ///< Answer when everything sent before is done: done
  description, ///< WindowDescription and UCX's key of the memory follow
  data,        ///< bytes follow, for the offset `address` of what was asked for
  done,
  failed, ///< a message without answer could not be executed: `error`
};

/// In front of every message; both sides are of one job, so in the bytes of the machine.
struct MessageHeader {
  MessageKind kind = MessageKind::done;
  Op::Kind op = Op::Kind::noOp;
  ElementType element;
  std::uint32_t window = 0; ///< Window::id()
  std::int64_t sender = 0;  ///< ProcessId
  std::uint64_t address = 0;
  std::uint64_t count = 0;
  std::uint64_t token = 0;        ///< of the asking process, given back in the answer; 0: no answer is wanted
  std::uint32_t answerOffset = 0; ///< update, get: where the answer's data begin, in units of bytes
  std::int32_t error = MPI_SUCCESS;
};

struct UpdateRun {
  std::uint64_t address;
  std::uint64_t count; ///< elements
};

struct WindowDescription {
  std::uint64_t base;
  std::uint64_t bytes;
  std::int64_t dispUnit;
};

/// Bytes that follow a header at most: what fits one fragment of each of UCX's transports.
constexpr std::size_t largestPayload = 7168;

} // namespace mpl
