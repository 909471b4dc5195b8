#pragma once

#include "mpi.h"

#include "mpl/Errhandler.h"
#include "mpl/Group.h"
#include "mpl/HandleTable.h"
#include "mpl/Info.h"
#include "pt2pt/SessionScope.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpl {

/// A session (MPI-5.0, section 11.3): the library in use, from MPI_Session_init to MPI_Session_finalize.
/// Owned by its handle. Any thread may use it.
class Session {
public:
  /// Joins the job where this is the first use. Of the hints "thread_level" is known. Errors: those of
  /// MPI_Init; MPI_ERR_INFO_VALUE for a thread level that is none.
  static MPI_Session open(const Info* hints, Ref<Errhandler> handler);
  /// Waits for buffered messages. Takes the handle out of use.
  static void close(MPI_Session handle);

  Ref<Errhandler> errhandler() const { return scope_->errhandler.get(); }
  void setErrhandler(Ref<Errhandler> handler) { scope_->errhandler.set(std::move(handler)); }
  /// The hints in force.
  const Info& info() const noexcept { return info_; }
  SessionScope& scope() const noexcept { return *scope_; }

  /// The names of process sets that this process may belong to: "mpi://WORLD", "mpi://SELF", then those of
  /// the launcher. Those that were found keep their places as long as the session lives.
  std::vector<std::string> psetNames();
  /// The members. Errors: MPI_ERR_ARG for a name that is none.
  Ref<Group> group(std::string_view pset);

private:
  Session(Info info, Ref<Errhandler> handler);

  mutable std::mutex mutex_;
  Info info_;
  std::shared_ptr<SessionScope> scope_;
  std::vector<std::string> launcherSets_;
};

extern constinit Immortal<HandleTable<Session, MPI_Session>> sessions;

/// The object of a handle that the program gave. Errors: MPI_ERR_SESSION.
Session& sessionOf(MPI_Session handle);

} // namespace mpl
