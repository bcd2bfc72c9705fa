/// How fast the kernels' busy loop is on this machine, so that they take the time that is asked
/// for.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/peers/kernel.hpp"

namespace pto2::bench {

/// Turns of a kernel's loop that take a nanosecond, as they do on average while each of `threads`
/// CPUs runs the loop, a thread on each: what the system takes from them is no runtime's doing.
/// Takes some 50 ms. Throws std::runtime_error if the process has fewer CPUs, and std::system_error
/// if it gets no threads.
[[nodiscard]] double turns_per_ns(uint32_t threads);

/// The same of what was measured: by thread, the nanoseconds that each stretch of `turns` took. The
/// median of the stretches of a thread, in which there are a few of the system's short
/// interruptions, and few have a long one; and the mean of the threads.
[[nodiscard]] double turns_per_ns(uint64_t turns,
                                  const std::vector<std::vector<double>>& stretches_ns);

}  // namespace pto2::bench
