#include "pt2pt/Request.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace mpl {
namespace {

class RequestPoolTest : public testing::Test {
protected:
  RequestPoolTest() { pool.configure(transportBytes); }

  static constexpr std::size_t transportBytes = 248;
  RequestPool pool;
};

TEST_F(RequestPoolTest, RoomForTheTransportLiesBeforeEveryRequest) {
  std::set<Request*> taken;
  for (int i = 0; i < 200; ++i) {
    Request& request = pool.take();
    ASSERT_TRUE(taken.insert(&request).second);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&request) % alignof(Request), 0U);
    std::memset(reinterpret_cast<char*>(&request) - transportBytes, 0xff, transportBytes);
  }
  for (Request* request : taken) {
    EXPECT_EQ(requests->find(request->handle), request) << "a neighbour's transport wrote into it";
    pool.release(*request);
  }
}

TEST_F(RequestPoolTest, ReleasedHandlesAreStaleAndStaySo) {
  Request& request = pool.take();
  const MPI_Request handle = request.handle;
  EXPECT_EQ(requests->find(handle), &request);
  pool.release(request);
  EXPECT_EQ(requests->find(handle), nullptr);
  Request& again = pool.take();
  EXPECT_EQ(&again, &request) << "the slot is used again, with a new handle";
  EXPECT_NE(again.handle, handle);
  EXPECT_EQ(requests->find(handle), nullptr);
  pool.release(again);
}

TEST_F(RequestPoolTest, PutBackKeepsTheHandle) {
  Request& request = pool.take();
  const MPI_Request handle = request.handle;
  pool.putBack(request);
  EXPECT_EQ(pool.take().handle, handle);
  pool.release(request);
}

TEST_F(RequestPoolTest, CompletionOfADetachedRequestGivesItBack) {
  Request& request = pool.take();
  const MPI_Request handle = request.handle;
  request.begin(Request::Kind::Send);
  EXPECT_FALSE(request.isComplete());
  request.detached = true;
  request.complete();
  EXPECT_EQ(requests->find(handle), nullptr);
}

TEST_F(RequestPoolTest, OwnerIsToldOfTheEndOnce) {
  Request& request = pool.take();
  request.begin(Request::Kind::Send);
  int told = 0;
  request.owner = &told;
  request.onComplete = [](Request& ended) { ++*static_cast<int*>(ended.owner); };
  request.detached = true;
  request.complete();
  EXPECT_EQ(told, 1);
}

TEST(SharedRequests, AreCompleteAndSurviveRelease) {
  registerSharedRequests();
  for (MPI_Request handle : {completedSend, completedNothing}) {
    ASSERT_NE(handle, MPI_REQUEST_NULL);
    Request* request = requests->find(handle);
    ASSERT_NE(request, nullptr);
    EXPECT_TRUE(request->isActive());
    EXPECT_TRUE(request->isComplete());
    requestPool.release(*request);
    EXPECT_EQ(requests->find(handle), request);
  }
  const Outcome nobody = requests->find(completedNothing)->outcome;
  EXPECT_EQ(nobody.source, MPI_PROC_NULL);
  EXPECT_EQ(nobody.tag, MPI_ANY_TAG);
  EXPECT_EQ(nobody.bytes, 0U);
}

} // namespace
} // namespace mpl
