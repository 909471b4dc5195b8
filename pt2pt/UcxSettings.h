#pragma once

#include <ucp/api/ucp.h>

#include <vector>

namespace mpl {

/// UCX settings that MPL needs, in force as long as the object lives: UCX reads them when context and worker
/// are made. A user's own UCX_* setting wins. They stand in the environment meanwhile; ucp_config_modify
/// would do, but UCX warns about a setting of a transport that is not in use, so settings of transports are
/// made when it is known which are.
class UcxSettings {
public:
  /// Settings for any context. localRanks: processes of this job on the node.
  explicit UcxSettings(int localRanks);
  ~UcxSettings();
  UcxSettings(const UcxSettings&) = delete;
  UcxSettings& operator=(const UcxSettings&) = delete;

  /// Settings for the workers of a context, by the transports that it uses. Whether these use memory that
  /// processes share.
  bool addFor(ucp_context_h context);

private:
  void add(const char* variable, const char* value);

  std::vector<const char*> ours_;
};

} // namespace mpl
