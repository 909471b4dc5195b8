#pragma once

#include <map>
#include <string>

namespace mpl {

/// Decides from the environment whether a process that has no PMIx server was started by itself, or is one of
/// several copies that a launcher started with which this library cannot speak.
class LauncherDiagnosis {
public:
  enum class Verdict {
    pmixClient,  ///< a PMIx server has prepared this process
    alone,       ///< a singleton: no launcher, or one process only
    unspeakable, ///< one of several processes of a launcher without PMIx
  };
  using Environment = std::map<std::string, std::string, std::less<>>;

  explicit LauncherDiagnosis(const Environment& environment);
  static Environment currentEnvironment();

  Verdict verdict() const noexcept { return verdict_; }
  /// The launcher seen, "" when none.
  const std::string& launcher() const noexcept { return launcher_; }
  /// For `unspeakable`: what was seen, and what the user can do.
  const std::string& message() const noexcept { return message_; }

private:
  Verdict verdict_ = Verdict::alone;
  std::string launcher_;
  std::string message_;
};

} // namespace mpl
