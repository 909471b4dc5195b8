#pragma once

#include "mpl/PerformanceVariable.h"

namespace mpl {

/// What is counted of windows (Statistics.h, RpmaCounters.h), for tools.
VariableCategory windowVariables();

} // namespace mpl
