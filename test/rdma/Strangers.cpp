// Who connects to a process with private data that does not check out is turned away, counted by the reason,
// and does no harm to those who are in. Rank 1 plays the strangers, straight on librpma, against rank 0.
// Looks into the library, so it is linked with its objects. Needs two ranks and MPL_ONESIDED=rpma on a
// machine with an RDMA device.
#include "onesided/RmaLock.h"
#include "onesided/Window.h"
#include "onesided/rpma/Contact.h"
#include "onesided/rpma/RpmaCounters.h"
#include "pt2pt/Runtime.h"
#include "test/mpi/Check.h"

#include <librpma.h>
#include <poll.h>

namespace {

using mpl::Refusal;

MPI_Win theWin = MPI_WIN_NULL;
std::vector<int> memory(16, 0);

mpl::RpmaCounters now() {
  const mpl::RmaLock lock;
  return mpl::rpmaCounters;
}

// The member's own access, which must go on working whatever strangers do.
void access(int value) {
  if (check::rank() != 1)
    return;
  int back = 0;
  MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, theWin);
  MPI_Win_flush(0, theWin);
  MPI_Get(&back, 1, MPI_INT, 0, 3, 1, MPI_INT, theWin);
  MPI_Win_flush(0, theWin);
  CHECK_EQ(back, value);
}

class Stranger {
public:
  Stranger() : contact_(*mpl::Contact::parse(mpl::runtime.process().get(0, mpl::Contact::key))) {
    ibv_context* context = nullptr;
    CHECK_EQ(rpma_utils_get_ibv_context(contact_.address.c_str(), RPMA_UTIL_IBV_CONTEXT_REMOTE, &context), 0);
    CHECK_EQ(rpma_peer_new(context, &peer_), 0);
  }
  ~Stranger() { rpma_peer_delete(&peer_); }

  const mpl::Secret& secret() const { return contact_.secret; }

  // What the origin sees.
  rpma_conn_event dial(const std::vector<std::byte>& said) const {
    rpma_conn_req* request = nullptr;
    rpma_conn* connection = nullptr;
    std::vector<std::byte> copy = said;
    rpma_conn_private_data data{copy.data(), static_cast<uint8_t>(copy.size())};
    const std::string port = std::to_string(contact_.port);
    CHECK_EQ(rpma_conn_req_new(peer_, contact_.address.c_str(), port.c_str(), nullptr, &request), 0);
    CHECK_EQ(rpma_conn_req_connect(&request, said.empty() ? nullptr : &data, &connection), 0);
    int descriptor = -1;
    rpma_conn_get_event_fd(connection, &descriptor);
    pollfd waiting{descriptor, POLLIN, 0};
    constexpr int generous = 60000;
    rpma_conn_event event = RPMA_CONN_UNDEFINED;
    if (poll(&waiting, 1, generous) == 1)
      rpma_conn_next_event(connection, &event);
    if (event == RPMA_CONN_ESTABLISHED)
      rpma_conn_disconnect(connection);
    rpma_conn_delete(&connection);
    return event;
  }

private:
  mpl::Contact contact_;
  rpma_peer* peer_ = nullptr;
};

std::vector<std::byte> bytesOf(const mpl::ConnectRequest& request, const mpl::Secret& secret) {
  const auto data = request.encode(secret);
  return {data.begin(), data.end()};
}

// All of rank 1's attempts, which rank 0 expects to count under these reasons.
struct Attempt {
  const char* what;
  std::vector<Refusal> reasons; // any of them
  std::vector<std::byte> data;
};

std::vector<Attempt> attempts(const mpl::Secret& secret) {
  // What this process has sent when it connected.
  mpl::ConnectRequest real;
  real.job = mpl::jobNumber(mpl::runtime.process().jobId());
  real.origin = 1;
  real.target = 0;
  real.window = mpl::windowOf(theWin).id();
  real.nonce = 1;
  mpl::ConnectRequest fresh = real;
  fresh.nonce = 2;
  const std::vector<std::byte> good = bytesOf(fresh, secret);

  std::vector<Attempt> all;
  all.push_back({"nothing", {Refusal::length, Refusal::version}, {}});
  all.push_back({"zeros", {Refusal::version}, std::vector<std::byte>(56)});
  all.push_back({"ones", {Refusal::version, Refusal::length}, std::vector<std::byte>(56, std::byte{0xff})});
  all.push_back({"short", {Refusal::mac, Refusal::length}, {good.begin(), good.begin() + 20}});
  all.push_back({"head alone", {Refusal::mac, Refusal::length}, {good.begin(), good.begin() + 4}});
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{1});
  all.push_back({"long", {Refusal::padding}, longer});
  longer.resize(56, std::byte{0x5a});
  all.push_back({"longest", {Refusal::padding}, longer});
  for (const size_t at : {size_t{5}, size_t{17}, size_t{30}, size_t{47}}) {
    std::vector<std::byte> wrong = good;
    wrong[at] ^= std::byte{0x10};
    all.push_back({"one bit changed", {Refusal::mac}, wrong});
  }
  all.push_back({"another secret", {Refusal::mac}, bytesOf(fresh, mpl::Secret::random())});
  mpl::ConnectRequest other = fresh;
  other.job ^= 1;
  all.push_back({"another job", {Refusal::job}, bytesOf(other, secret)});
  other = fresh;
  other.target = 1;
  all.push_back({"another target", {Refusal::target}, bytesOf(other, secret)});
  other = fresh;
  other.origin = static_cast<std::uint32_t>(check::size());
  all.push_back({"no member", {Refusal::origin}, bytesOf(other, secret)});
  all.push_back({"replayed", {Refusal::replayed}, bytesOf(real, secret)});
  other = fresh;
  other.window = real.window + 12345;
  all.push_back({"no such window", {Refusal::window}, bytesOf(other, secret)});
  all.push_back({"replayed after another", {Refusal::replayed}, good});
  return all;
}

// After a request, rank 0 has counted one rejection more, for one of the reasons.
void strangers() {
  access(11);
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<Attempt> all;
  std::optional<Stranger> stranger;
  if (check::rank() == 1)
    stranger.emplace();
  const mpl::Secret secret = stranger ? stranger->secret() : mpl::Secret{};
  all = attempts(secret); // rank 0 looks at the reasons only
  for (const Attempt& attempt : all) {
    const mpl::RpmaCounters before = now();
    MPI_Barrier(MPI_COMM_WORLD);
    if (stranger) {
      const rpma_conn_event event = stranger->dial(attempt.data);
      if (event != RPMA_CONN_REJECTED)
        check::fail(std::string(attempt.what) + ": " + rpma_utils_conn_event_2str(event), __FILE__, __LINE__);
      ++check::state().checks;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check::rank() == 0) {
      const mpl::RpmaCounters after = now();
      std::uint64_t found = 0;
      for (Refusal reason : attempt.reasons)
        found += after.rejected[static_cast<size_t>(reason)] - before.rejected[static_cast<size_t>(reason)];
      if (found != 1)
        check::fail(std::string(attempt.what) + " was not counted", __FILE__, __LINE__);
      CHECK_EQ(after.rejectedInAll() - before.rejectedInAll(), 1U);
      CHECK_EQ(after.accepted, 1U);
    }
  }
  access(12);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int),
                 MPI_INFO_NULL, MPI_COMM_WORLD, &theWin);
  if (check::rank() == 1)
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, theWin);
  const int status = check::run(
      argc, argv,
      {{"strangers", strangers, 2}, {"and later", [] { access(13); }, 2}, {"the end", [] {
                                                                             if (check::rank() == 1)
                                                                               MPI_Win_unlock(0, theWin);
                                                                             MPI_Win_free(&theWin);
                                                                           }}});
  return status;
}
