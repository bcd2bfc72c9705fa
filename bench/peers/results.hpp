/// What peers_bench finds out.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/granularity.hpp"
#include "bench/peers/patterns.hpp"

namespace pto2::bench {

/// A runtime, in the order of the tables; ours is the first.
struct PeerName {
  std::string name;   ///< of its program, peer_NAME, and in rows
  std::string title;  ///< in tables and plots
  std::string needs;  ///< empty: nothing that other benchmarks do not
};
inline constexpr const char* ours = "pto2";

/// A run, by the clock and by the CPUs, in seconds.
struct Sample {
  double wall = 0;
  double cpu = 0;
};

/// Medians. Per task, but for the last.
struct Cost {
  double ns = 0;
  double cpu_ns = 0;
  double ratio = 0;  ///< of our time to this one, in the same round; 0 if ours was not measured
};
using Costs = std::map<std::string, Cost>;  // by peer

/// Round i of `samples` is the same for all peers.
[[nodiscard]] Costs costs_of(const std::map<std::string, std::vector<Sample>>& samples,
                             uint32_t tasks);

/// What is run: `kernel_ns` 0 is the empty kernel.
struct Load {
  Pattern pattern;
  uint32_t tasks;
  uint32_t threads;
  double kernel_ns;
};

/// The part of the threads' time that `ns` per task leave for kernels.
[[nodiscard]] double efficiency(const Load& load, double ns);

struct LoadResult {
  Load load;
  Costs costs;
};

struct GranularityResult {
  std::string peer;
  uint32_t threads;
  std::map<double, double> curve;                  ///< efficiency by kernel duration
  std::map<int, std::optional<Granularity>> metg;  ///< by percent of it; empty: not reached
};

struct MemoryResult {
  std::string peer;
  uint32_t tasks;
  std::optional<uint64_t> peak_bytes;  ///< empty: it would have been too much
};

/// A runtime whose program failed, and which was not measured from then on.
struct Failure {
  PeerName peer;
  std::string told;
};

struct Results {
  std::string machine;             ///< what it was measured on, in a sentence
  std::vector<PeerName> peers;     ///< those that are measured
  std::vector<PeerName> left_out;  ///< those that are not here
  std::vector<Failure> failures;   ///< of those that are measured
  std::vector<LoadResult> loads;
  std::vector<GranularityResult> granularities;
  std::vector<MemoryResult> memories;
};

/// A row per peer beside ours where that was measured, as ./dev bench --json collects them.
[[nodiscard]] std::vector<nlohmann::json> rows_of(const Results& results);

}  // namespace pto2::bench
