#pragma once

namespace mpl {

/// From now on this process ends by SIGTERM when the launcher's server on this node goes away without a word:
/// nobody is left who would end the job, and its processes would wait for each other for ever. SIGTERM is
/// what launchers send too, so a program that saves its state on it does so here. After PMIx_Init; returns at
/// once.
void watchPmixServer();

/// From now on it does not: the process leaves its job, or ends it. Any thread.
void ignorePmixServer() noexcept;

} // namespace mpl
