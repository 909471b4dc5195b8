// Senders of all modes. Synchronous sends end at the receive, not at the match.
#include "test/mprobe/Calls.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace mprobe {
namespace {

const std::size_t modeSizes[] = {0, 8, 200, 8192, 50000, 300000};

using Sender = std::function<int(const Bytes& data, int to, int tag, MPI_Comm comm)>;

/// A blocking send for a thread of control of its own: rank 0 receives from all others.
void sentBy(Context& context, const Sender& sender) {
  for (const std::size_t size : modeSizes) {
    int tag = 0;
    for (const Path path : allPaths()) {
      ++tag;
      if (context.rank() != 0)
        context.ok(sender(makeData(size, seedOf(context.rank(), tag)), 0, tag, context.comm()), "the send");
      for (int source = 1; context.rank() == 0 && source < context.size(); ++source)
        takeData(context, path, source, tag, size, seedOf(source, tag));
    }
  }
}

/// A buffer for buffered sends as long as the object lives.
class BsendBuffer {
public:
  BsendBuffer() : storage_(12000000) {
    MPI_Buffer_attach(storage_.data(), static_cast<int>(storage_.size()));
  }
  ~BsendBuffer() {
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
  }
  BsendBuffer(const BsendBuffer&) = delete;
  BsendBuffer& operator=(const BsendBuffer&) = delete;

private:
  Bytes storage_;
};

using StartSend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

Sender nonblocking(StartSend start) {
  return [=](const Bytes& data, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    const int code = start(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, tag, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
  };
}

Sender persistent(StartSend init) {
  return [=](const Bytes& data, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    int code = init(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, tag, comm, &request);
    if (code == MPI_SUCCESS)
      code = MPI_Start(&request);
    if (code == MPI_SUCCESS)
      code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? MPI_Request_free(&request) : code;
  };
}

Sender blocking(int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm)) {
  return [=](const Bytes& data, int to, int tag, MPI_Comm comm) {
    return send(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, tag, comm);
  };
}

/// One persistent send, started again and again.
void persistentAgain(Context& context, StartSend init) {
  constexpr int rounds = 50;
  for (const std::size_t size : modeSizes) {
    if (context.rank() != 0) {
      Bytes data(size);
      MPI_Request request;
      init(data.data(), static_cast<int>(size), MPI_BYTE, 0, 4, context.comm(), &request);
      for (int i = 0; i < rounds; ++i) {
        // Into the same place: the request knows the address.
        const Bytes next = makeData(size, seedOf(context.rank(), 4, static_cast<std::uint64_t>(i)));
        std::copy(next.begin(), next.end(), data.begin());
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&request);
    }
    for (int i = 0; context.rank() == 0 && i < rounds; ++i)
      for (int source = 1; source < context.size(); ++source)
        takeData(context, {ProbeCall::improbe, ReceiveCall::imrecv}, source, 4, size,
                 seedOf(source, 4, static_cast<std::uint64_t>(i)));
  }
}

/// A send that began with Sendrecv, whose own receive is elsewhere.
void sendrecv(Context& context, bool replace) {
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  for (const std::size_t size : modeSizes) {
    // Rank 0 sends what it must before it takes anything: the others wait in Sendrecv.
    const Bytes data = makeData(size, seedOf(context.rank(), 4));
    if (context.rank() != 0) {
      Bytes buffer = data;
      Bytes received(size);
      MPI_Status status{};
      if (replace)
        MPI_Sendrecv_replace(buffer.data(), static_cast<int>(size), MPI_BYTE, to, 4, from, 4, context.comm(),
                             &status);
      else
        MPI_Sendrecv(data.data(), static_cast<int>(size), MPI_BYTE, to, 4, received.data(),
                     static_cast<int>(size), MPI_BYTE, from, 4, context.comm(), &status);
      context.check(isData((replace ? buffer : received).data(), size, seedOf(from, 4)),
                    "the data are wrong");
      context.statusIs(status, from, 4, static_cast<MPI_Count>(size));
    } else {
      MPI_Request request;
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, 4, context.comm(), &request);
      takeData(context, {ProbeCall::mprobe, ReceiveCall::mrecv}, from, 4, size, seedOf(from, 4));
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

/// A ready send is for a posted receive: no probe may see it.
void readySend(Context& context, ProbeCall call) {
  for (const std::size_t size : modeSizes) {
    if (context.rank() != 0) {
      context.await(0);
      const Bytes data = makeData(size, seedOf(context.rank(), 4));
      context.ok(MPI_Rsend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 4, context.comm()), "MPI_Rsend");
      continue;
    }
    for (int source = 1; source < context.size(); ++source) {
      Bytes buffer(size);
      MPI_Request request;
      MPI_Status status{};
      int done = 0;
      MPI_Irecv(buffer.data(), static_cast<int>(size), MPI_BYTE, source, 4, context.comm(), &request);
      context.signal(source);
      while (!done) {
        Found found;
        if (!context.check(!look(context, call, source, 4, context.comm(), found),
                           "a probe saw a ready send"))
          return;
        MPI_Test(&request, &done, &status);
      }
      context.statusIs(status, source, 4, static_cast<MPI_Count>(size));
      context.check(isData(buffer.data(), size, seedOf(source, 4)), "the data are wrong");
    }
  }
}

/// An Issend that was found, or even matched, has not ended; it ends once the receive has begun.
void endsAtReceive(Context& context, Path path) {
  for (const std::size_t size : modeSizes) {
    if (context.rank() == 0) {
      for (int source = 1; source < context.size(); ++source) {
        Found found = find(context, path.probe, source, 4);
        context.signal(source);
        // The sender looks for a while at its send; then it says so.
        context.await(source);
        receiveData(context, path, source, 4, found, size, seedOf(source, 4));
      }
      continue;
    }
    const Bytes data = makeData(size, seedOf(context.rank(), 4));
    MPI_Request request;
    MPI_Issend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 4, context.comm(), &request);
    context.await(0);
    int flag = 0;
    for (int i = 0; i < 4 && !flag; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    context.check(!flag,
                  "a synchronous send of " + std::to_string(size) + " bytes ended before the receive began");
    context.signal(0);
    context.ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

/// Synchronous sends of which many are matched: each ends with its own receive.
void eachEndsAlone(Context& context) {
  constexpr int count = 8;
  if (context.rank() == 0) {
    for (int source = 1; source < context.size(); ++source) {
      std::vector<Found> held;
      for (int i = 0; i < count; ++i)
        held.push_back(find(context, ProbeCall::mprobe, source, i));
      for (int i = count - 1; i >= 0; --i) {
        const std::size_t size = i % 2 ? 100000 : 8;
        receiveData(context, {ProbeCall::mprobe, ReceiveCall::mrecv}, source, i,
                    held[static_cast<std::size_t>(i)], size, 1);
        context.await(source);
      }
    }
    return;
  }
  std::vector<MPI_Request> requests(count);
  const Bytes data = makeData(100000, 1);
  for (int i = 0; i < count; ++i)
    MPI_Issend(data.data(), i % 2 ? 100000 : 8, MPI_BYTE, 0, i, context.comm(),
               &requests[static_cast<std::size_t>(i)]);
  for (int i = count - 1; i >= 0; --i) {
    int index = -1;
    MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
    context.equal(index, i, "the synchronous send that ended");
    context.signal(0);
  }
}

} // namespace

void addSendModeCases(Registry& registry) {
  const Needs two = {2, 3};
  const auto add = [&](const char* what, const Sender& sender) {
    registry.add(std::string("sender.") + what, two, [=](Context& context) { sentBy(context, sender); });
  };
  const auto addBuffered = [&](const char* what, const Sender& sender) {
    registry.add(std::string("sender.") + what, two, [=](Context& context) {
      const BsendBuffer buffer;
      sentBy(context, sender);
    });
  };
  add("send", blocking(MPI_Send));
  add("ssend", blocking(MPI_Ssend));
  addBuffered("bsend", blocking(MPI_Bsend));
  add("isend", nonblocking(MPI_Isend));
  add("issend", nonblocking(MPI_Issend));
  addBuffered("ibsend", nonblocking(MPI_Ibsend));
  add("send_init", persistent(MPI_Send_init));
  add("ssend_init", persistent(MPI_Ssend_init));
  addBuffered("bsend_init", persistent(MPI_Bsend_init));
  registry.add("sender.send_init_again", two,
               [](Context& context) { persistentAgain(context, MPI_Send_init); });
  registry.add("sender.ssend_init_again", two,
               [](Context& context) { persistentAgain(context, MPI_Ssend_init); });
  registry.add("sender.sendrecv", two, [](Context& context) { sendrecv(context, false); });
  registry.add("sender.sendrecv_replace", two, [](Context& context) { sendrecv(context, true); });
  for (const ProbeCall call : {ProbeCall::iprobe, ProbeCall::improbe})
    registry.add("sender.rsend_unseen_by_" + std::string(name(call)), two,
                 [=](Context& context) { readySend(context, call); });
  for (const Path path : allPaths())
    registry.add("synchronous." + name(path) + ".ends_at_receive", two,
                 [=](Context& context) { endsAtReceive(context, path); });
  registry.add("synchronous.each_ends_alone", two, eachEndsAlone);
}

} // namespace mprobe
