/// Runs the programs of the peers.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/results.hpp"

namespace pto2::bench {

/// Runs of a load. How long kernels of whole turns took is not quite what was wanted.
struct Measured {
  double kernel_ns;
  std::vector<Sample> samples;
};

class Programs {
 public:
  /// The programs peer_NAME in `folder`.
  explicit Programs(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Throws std::runtime_error unless each task of the pattern runs once, in order.
  void check(const std::string& peer, Pattern pattern, uint32_t threads) const;
  /// Runs of each of the loads, in one process; without the first of each, which finds memory cold.
  /// The loads have one pattern and one number of threads.
  [[nodiscard]] std::vector<Measured> measure(const std::string& peer, std::span<const Load> loads,
                                              std::size_t runs) const;
  /// The peak memory of a process with one run.
  [[nodiscard]] uint64_t peak_bytes(const std::string& peer, const Load& load) const;

 private:
  /// Throws std::runtime_error with what the program said if it fails.
  [[nodiscard]] nlohmann::json answer(const std::string& peer, const std::string& arguments) const;

  std::filesystem::path folder_;
};

/// Whether the runtime can be told the dependences of the pattern.
[[nodiscard]] bool takes(const PeerName& peer, Pattern pattern);

/// Which of the peers there are in `built`, names with spaces between; nothing is measured yet. A
/// program that was built before may lie where it was, so nobody looks for that.
[[nodiscard]] Results choose(const std::vector<PeerName>& peers, const std::string& built);

/// Checks the chosen peers, then measures them in so many rounds; says meanwhile on stderr how far
/// it is. One whose program fails, or computes something else, is among the failures, with what it
/// had until then.
void measure_all(const Programs& programs, std::size_t rounds, Results& results);

}  // namespace pto2::bench
