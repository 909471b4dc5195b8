#include "onesided/RmaLock.h"

namespace mpl {

constinit bool RmaLock::threaded = false;
constinit EngineMutex RmaLock::mutex;

} // namespace mpl
