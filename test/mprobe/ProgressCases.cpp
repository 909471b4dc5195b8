// A probe is a call that moves things on: while a rank does nothing but probe, its earlier sends and receives
// complete, and what is sent to it is found. A case that hangs here has failed.
#include "test/mprobe/Calls.h"

#include <chrono>
#include <thread>

namespace mprobe {
namespace {

constexpr std::size_t large = 700000;

ReceiveCall receiveFor(ProbeCall call) {
  return isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv;
}

void takeMarker(Context& context, ProbeCall call, int source, int tag) {
  Found found = find(context, call, source, tag);
  context.statusIs(found.status, source, tag, 0);
  context.ok(receive(context, receiveFor(call), nullptr, 0, MPI_BYTE, found, MPI_STATUS_IGNORE),
             "the receive");
}

void sendMarker(Context& context, int to, int tag) {
  context.ok(MPI_Send(nullptr, 0, MPI_BYTE, to, tag, context.comm()), "MPI_Send");
}

/// Rank 0 starts sends and then only probes for the answers, which come after the messages were received.
void drivesSend(Context& context, ProbeCall call, std::size_t size, bool synchronous) {
  if (context.rank() == 0) {
    const int peers = context.size() - 1;
    const Bytes data = makeData(size, 1);
    std::vector<MPI_Request> requests(static_cast<std::size_t>(peers));
    for (int peer = 1; peer <= peers; ++peer) {
      auto* const start = synchronous ? MPI_Issend : MPI_Isend;
      context.ok(start(data.data(), static_cast<int>(size), MPI_BYTE, peer, 1, context.comm(),
                       &requests[static_cast<std::size_t>(peer - 1)]),
                 "the send");
    }
    for (int peer = 1; peer <= peers; ++peer)
      takeMarker(context, call, peer, 2);
    MPI_Waitall(peers, requests.data(), MPI_STATUSES_IGNORE);
  } else {
    Bytes buffer(size);
    context.ok(
        MPI_Recv(buffer.data(), static_cast<int>(size), MPI_BYTE, 0, 1, context.comm(), MPI_STATUS_IGNORE),
        "MPI_Recv");
    context.check(isData(buffer.data(), size, 1), "the data are wrong");
    sendMarker(context, 0, 2);
  }
}

/// Rank 0 posts receives and then only probes for markers that are sent after the blocking sends returned.
void drivesReceive(Context& context, ProbeCall call) {
  if (context.rank() == 0) {
    const auto peers = static_cast<std::size_t>(context.size() - 1);
    std::vector<Bytes> buffers(peers, Bytes(large));
    std::vector<MPI_Request> requests(peers);
    for (std::size_t i = 0; i < peers; ++i)
      MPI_Irecv(buffers[i].data(), static_cast<int>(large), MPI_BYTE, static_cast<int>(i) + 1, 1,
                context.comm(), &requests[i]);
    for (std::size_t i = 0; i < peers; ++i)
      takeMarker(context, call, static_cast<int>(i) + 1, 2);
    MPI_Waitall(static_cast<int>(peers), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < peers; ++i)
      context.check(isData(buffers[i].data(), large, i + 1), "the data are wrong");
  } else {
    const Bytes data = makeData(large, static_cast<std::uint64_t>(context.rank()));
    context.ok(MPI_Ssend(data.data(), static_cast<int>(large), MPI_BYTE, 0, 1, context.comm()), "MPI_Ssend");
    sendMarker(context, 0, 2);
  }
}

/// The same with Imrecv of a message that was matched before.
void drivesMatchedReceive(Context& context, ProbeCall call, std::size_t size) {
  if (context.rank() == 0) {
    const auto peers = static_cast<std::size_t>(context.size() - 1);
    std::vector<Bytes> buffers(peers, Bytes(size));
    std::vector<MPI_Request> requests(peers);
    for (std::size_t i = 0; i < peers; ++i) {
      Found found = find(context, ProbeCall::improbe, static_cast<int>(i) + 1, 1);
      context.ok(
          MPI_Imrecv(buffers[i].data(), static_cast<int>(size), MPI_BYTE, &found.message, &requests[i]),
          "MPI_Imrecv");
    }
    for (std::size_t i = 0; i < peers; ++i)
      takeMarker(context, call, static_cast<int>(i) + 1, 2);
    MPI_Waitall(static_cast<int>(peers), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < peers; ++i)
      context.check(isData(buffers[i].data(), size, i + 1), "the data are wrong");
  } else {
    const Bytes data = makeData(size, static_cast<std::uint64_t>(context.rank()));
    context.ok(MPI_Ssend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 1, context.comm()), "MPI_Ssend");
    sendMarker(context, 0, 2);
  }
}

/// A sender that takes its time: the probe has long been waiting, and may have gone to sleep.
void lateSender(Context& context, ProbeCall call) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{3000}, large}) {
    if (context.rank() == 0) {
      for (int source = 1; source < context.size(); ++source)
        takeData(context, {call, receiveFor(call)}, source, 1, size, seedOf(source, 1));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      const Bytes data = makeData(size, seedOf(context.rank(), 1));
      context.ok(MPI_Send(data.data(), static_cast<int>(size), MPI_BYTE, 0, 1, context.comm()), "MPI_Send");
    }
  }
}

/// The probe waits while many messages arrive that it must not take.
void waitsPastOthers(Context& context, ProbeCall call) {
  constexpr int others = 300;
  if (context.rank() == 0) {
    for (int source = 1; source < context.size(); ++source)
      takeMarker(context, call, source, 2);
    for (int source = 1; source < context.size(); ++source) {
      for (int i = 0; i < others; ++i) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, source, 1, context.comm(), MPI_STATUS_IGNORE);
        context.equal(value, i, "the value received");
      }
    }
  } else {
    for (int i = 0; i < others; ++i)
      MPI_Send(&i, 1, MPI_INT, 0, 1, context.comm());
    sendMarker(context, 0, 2);
  }
}

/// A token goes round; every rank only probes for it, while a large send of its own is under way.
void tokenRing(Context& context, ProbeCall call) {
  const int next = (context.rank() + 1) % context.size();
  const int previous = (context.rank() + context.size() - 1) % context.size();
  const Bytes data = makeData(large, seedOf(context.rank(), 8));
  MPI_Request request;
  MPI_Isend(data.data(), static_cast<int>(large), MPI_BYTE, next, 8, context.comm(), &request);
  for (int round = 0; round < 20; ++round) {
    if (context.rank() == 0)
      sendMarker(context, next, round + 10);
    takeMarker(context, call, previous, round + 10);
    if (context.rank() != 0)
      sendMarker(context, next, round + 10);
  }
  takeData(context, {call, receiveFor(call)}, previous, 8, large, seedOf(previous, 8));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// One look at each of several communicators, tags and sources in turn finds every message.
void looksRound(Context& context, ProbeCall call) {
  constexpr int comms = 4;
  constexpr int tags = 5;
  MPI_Comm comm[comms];
  for (MPI_Comm& one : comm)
    MPI_Comm_dup(context.comm(), &one);
  if (context.rank() == 0) {
    int left = comms * tags * (context.size() - 1);
    for (unsigned turn = 0; left > 0; ++turn) {
      const int source = 1 + static_cast<int>(turn) % (context.size() - 1);
      const int tag = static_cast<int>(turn / 3) % tags;
      const int which = static_cast<int>(turn / 16) % comms;
      Found found;
      if (!look(context, call, source, tag, comm[which], found))
        continue;
      context.statusIs(found.status, source, tag, sizeof(int));
      int value = -1;
      context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
                 "the receive");
      context.equal(value, (source * comms + which) * tags + tag, "the value received");
      --left;
    }
  } else {
    for (int which = comms - 1; which >= 0; --which)
      for (int tag = 0; tag < tags; ++tag) {
        const int value = (context.rank() * comms + which) * tags + tag;
        MPI_Send(&value, 1, MPI_INT, 0, tag, comm[which]);
      }
  }
  context.barrier();
  for (MPI_Comm& one : comm)
    MPI_Comm_free(&one);
}

/// A probe that did not take the message finds it again, and a matching one still gets it.
void foundAgain(Context& context, ProbeCall call) {
  const int sender = context.size() - 1;
  const Bytes data = makeData(large, 3);
  MPI_Request request = MPI_REQUEST_NULL;
  if (context.rank() == sender)
    MPI_Isend(data.data(), static_cast<int>(large), MPI_BYTE, 0, 3, context.comm(), &request);
  if (context.rank() == 0) {
    for (int i = 0; i < 50; ++i) {
      const Found found = find(context, call, i % 2 ? sender : MPI_ANY_SOURCE, i % 3 ? 3 : MPI_ANY_TAG);
      context.statusIs(found.status, sender, 3, static_cast<MPI_Count>(large));
    }
    takeData(context, {ProbeCall::improbe, ReceiveCall::mrecv}, sender, 3, large, 3);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

} // namespace

void addProgressCases(Registry& registry) {
  for (const ProbeCall call : allProbeCalls()) {
    const std::string prefix = "progress." + std::string(name(call)) + ".";
    const Needs two = {2, 4};
    const auto add = [&](const char* what, std::function<void(Context&)> body) {
      registry.add(prefix + what, two, std::move(body));
    };
    add("drives_large_send", [=](Context& context) { drivesSend(context, call, large, false); });
    add("drives_synchronous_send", [=](Context& context) {
      drivesSend(context, call, 8, true);
      drivesSend(context, call, large, true);
    });
    add("drives_receive", [=](Context& context) { drivesReceive(context, call); });
    add("drives_matched_receive", [=](Context& context) {
      drivesMatchedReceive(context, call, 8);
      drivesMatchedReceive(context, call, large);
    });
    add("late_sender", [=](Context& context) { lateSender(context, call); });
    add("waits_past_others", [=](Context& context) { waitsPastOthers(context, call); });
    add("token_ring", [=](Context& context) { tokenRing(context, call); });
    if (call == ProbeCall::iprobe || call == ProbeCall::improbe)
      add("looks_round", [=](Context& context) { looksRound(context, call); });
    if (!isMatching(call))
      registry.add(prefix + "found_again", {}, [=](Context& context) { foundAgain(context, call); });
  }
}

} // namespace mprobe
