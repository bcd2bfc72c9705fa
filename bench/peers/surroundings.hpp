/// What the machine and the environment would do to the figures of peers.
#pragma once

#include <cstdint>
#include <iosfwd>

namespace pto2::bench {

/// Throws std::runtime_error if this process may use fewer CPUs.
void expect_cpus(uint32_t count);

/// Takes variables out of the environment that tell a peer how many threads it has, where they run
/// or how they wait, so that each has the settings that it comes with, and names them in `told`.
void leave_peers_as_they_come(std::ostream& told);

}  // namespace pto2::bench
