/// Our runtime beside other task runtimes, each in processes of its own (peers/peer_main.cpp).
///
///   peers_bench [--rows FILE] [--update]    checks and measures all that are here, and prints the
///                                           tables; writes them to docs/PERFORMANCE.md as well
///
/// Exit code: 0; 3 if a runtime fails, or does not run each task once, after its predecessors: what
/// was measured is printed, the rows beside ours are in FILE, and the page stays as it is.
#include <filesystem>
#include <iostream>

#include "bench/peers/measure.hpp"
#include "bench/peers/surroundings.hpp"
#include "bench/peers/telling.hpp"
#include "bench/peers/update.hpp"
#include "bench/program.hpp"

namespace pto2::bench {
namespace {

const std::vector<PeerName> peers{{ours, "PTO2", ""},
                                  {"libgomp", "OpenMP, libgomp", "GCC as the compiler"},
                                  {"libomp", "OpenMP, libomp", "libomp-19-dev"},
                                  {"tbb_flow", "oneTBB flow graph", "libtbb-dev"},
                                  {"tbb_group", "oneTBB task_group", "libtbb-dev"},
                                  {"starpu", "StarPU", "libstarpu-dev and pkg-config"}};

constexpr std::size_t rounds = 7;

int measure(const std::string& rows, bool update) {
  const std::filesystem::path page = PTO2_SOURCE "/docs/PERFORMANCE.md";
  Results results = choose(peers, PTO2_PEERS);
  for (const PeerName& peer : results.left_out) {
    std::cerr << "peers: without " << peer.title << ", which needs " << peer.needs << '\n';
  }
  expect_cpus(2);
  if (update) check_update(page, results);
  leave_peers_as_they_come(std::cerr);
  const Programs programs(std::filesystem::read_symlink("/proc/self/exe").parent_path());
  measure_all(programs, rounds, results);
  return tell(results, rows, update ? page : std::filesystem::path());
}

int main_of(const std::vector<std::string>& arguments) {
  std::string rows;
  bool update = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--rows" && i + 1 < arguments.size()) {
      rows = arguments[++i];
    } else if (arguments[i] == "--update") {
      update = true;
    } else {
      std::cerr << "usage: peers_bench [--rows FILE] [--update]\n";
      return 2;
    }
  }
  return measure(rows, update);
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  return pto2::bench::run_program("peers", [&] {
    return pto2::bench::main_of({argv + 1, argv + argc});
  });
}
