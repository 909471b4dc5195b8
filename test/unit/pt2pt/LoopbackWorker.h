#pragma once

#include <gtest/gtest.h>
#include <ucp/api/ucp.h>

#include <cstdint>
#include <string>

namespace mpl {

/// A UCX worker with an endpoint to itself: messages come back without a second process.
class LoopbackWorker {
public:
  LoopbackWorker() {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG;
    EXPECT_EQ(ucp_init(&params, nullptr, &context_), UCS_OK);
    ucp_worker_params_t workerParams{};
    EXPECT_EQ(ucp_worker_create(context_, &workerParams, &worker_), UCS_OK);
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    EXPECT_EQ(ucp_worker_get_address(worker_, &address, &length), UCS_OK);
    ucp_ep_params_t endpointParams{};
    endpointParams.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    endpointParams.address = address;
    EXPECT_EQ(ucp_ep_create(worker_, &endpointParams, &endpoint_), UCS_OK);
    ucp_worker_release_address(worker_, address);
  }

  ~LoopbackWorker() {
    wait(ucp_ep_close_nb(endpoint_, UCP_EP_CLOSE_MODE_FLUSH));
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  void send(std::uint64_t tag, const std::string& text) {
    ucp_request_param_t param{};
    wait(ucp_tag_send_nbx(endpoint_, text.data(), text.size(), tag, &param));
    progress();
  }

  std::string receive(ucp_tag_message_h message, std::size_t length) {
    std::string text(length, '\0');
    ucp_request_param_t param{};
    wait(ucp_tag_msg_recv_nbx(worker_, text.data(), length, message, &param));
    return text;
  }

  void progress() {
    while (ucp_worker_progress(worker_) != 0) {
    }
  }

  ucp_worker_h worker() const { return worker_; }

private:
  void wait(void* request) {
    if (!UCS_PTR_IS_PTR(request))
      return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
      ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

} // namespace mpl
