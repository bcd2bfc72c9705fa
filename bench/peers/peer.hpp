/// A task runtime that is measured. Each is a program of its own, peer_NAME, which peer_main.cpp
/// and one source with make_peer() make: so none meets the threads, the memory or the symbols of
/// another.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/peers/kernel.hpp"
#include "bench/peers/patterns.hpp"

namespace pto2::bench {

class Peer {
 public:
  virtual ~Peer() = default;
  /// Hands the runtime tasks 0 to `tasks` - 1 of the pattern with their dependences, and returns
  /// when run_kernel() has been called for each.
  virtual void run(Pattern pattern, uint32_t tasks) = 0;
};

/// With its threads started, if it has any between two runs.
[[nodiscard]] std::unique_ptr<Peer> make_peer(uint32_t threads);

}  // namespace pto2::bench
