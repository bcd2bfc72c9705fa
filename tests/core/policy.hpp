/// The policy of the unit tests: real atomics and cells, in one thread.
#pragma once

#include "runtime/executors/hardware.hpp"

namespace pto2 {
using TestPolicy = executors::Hardware;
}
