/// Our runtime beside other task runtimes, each in processes of its own (peers/peer_main.cpp).
///
///   peers_bench [--rows FILE] [--update]    checks and measures all that are here, and prints the
///                                           tables; writes them to docs/PERFORMANCE.md as well
///
/// Exit code: 0; 3 if a runtime fails, or does not run each task once, after its predecessors.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "bench/peers/measure.hpp"
#include "bench/peers/page.hpp"
#include "bench/program.hpp"

namespace pto2::bench {
namespace {

const std::vector<PeerName> peers{{ours, "PTO2", ""},
                                  {"libgomp", "OpenMP, libgomp", ""},
                                  {"libomp", "OpenMP, libomp", "libomp-19-dev"},
                                  {"tbb_flow", "oneTBB flow graph", "libtbb-dev"},
                                  {"tbb_group", "oneTBB task_group", "libtbb-dev"},
                                  {"starpu", "StarPU", "libstarpu-dev"}};

void write_page(const Results& results) {
  const std::filesystem::path docs = PTO2_SOURCE "/docs";
  const std::filesystem::path file = docs / "PERFORMANCE.md";
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  const std::string changed = with_generated(page.str(), tables_of(results, true));
  write_plots(docs / "performance", results);
  std::ofstream out(file);
  if (!(out << changed << std::flush)) throw std::runtime_error("cannot write " + file.string());
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
  const Programs programs(std::filesystem::read_symlink("/proc/self/exe").parent_path());
  const Results results = measure_all(programs, peers);
  std::cout << tables_of(results, false);
  if (update) {
    write_page(results);
  }
  if (rows.empty()) return 0;
  std::ofstream out(rows, std::ios::app);
  for (const nlohmann::json& row : rows_of(results)) out << row.dump() << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + rows);
  return 0;
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  return pto2::bench::run_program("peers", [&] {
    return pto2::bench::main_of({argv + 1, argv + argc});
  });
}
