// Speed of the exhaustive search on the families with known counts. The reference is the least time
// an interpreting optimal checker needed for the same program on a machine whose calibration loop
// (5 x 10^8 dependent multiply-adds) takes 0.545 s; the counter "speedup" scales by this machine's.
//   checker_bench                google-benchmark's own output and flags
//   checker_bench --rows FILE    appends subject, work, executions, seconds; "-" is stdout
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <pto2/checker.hpp>
#include <string>

#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"
#include "models/litmus/structures.hpp"

namespace {

namespace model = pto2::model;
namespace litmus = pto2::model::litmus;

struct Work {
  const char* name;
  litmus::Body body;
  bool isolated;             ///< the threads share atomics only
  double reference_seconds;  ///< of the interpreting checker
};

const Work all_work[] = {
    {"adds(9)", litmus::adds(9), true, 10.2},
    {"readers(16)", litmus::readers(16), true, 1.05},
    {"lastzero(15)", litmus::last_zero(15), true, 5.2},
    {"casrot(12)", litmus::cas_rotation(12), true, 5.3},
    {"fib(5)", litmus::fibonacci(5), true, 2.2},
    {"indexer(15)", litmus::indexer(15), true, 0.96},
    {"ttas(5)", litmus::counter_under<litmus::TtasLock>(5, 1, {}), false, 0.9},
    {"ticket(7)", litmus::counter_under<litmus::TicketLock>(7, 1, {}), false, 7.5},
    // The reference's programs are not these to the letter: about 9 x 10^4 and 3 x 10^4 executions.
    {"treiber_stack(4,1)", litmus::through_treiber_stack(4, 1, std::memory_order_release), false,
     4.4},
    {"michael_scott_queue(3,1)",
     litmus::through_michael_scott_queue(3, 1, std::memory_order_release), false, 1.0},
};

double calibration_seconds() {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t value = 1;
  for (int i = 0; i < 500'000'000; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    benchmark::DoNotOptimize(value);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

model::Report run(const Work& work) {
  model::Options options;
  options.name = work.name;
  options.isolated_threads = work.isolated;
  return model::explore(options, work.body);
}

void measure(benchmark::State& state, const Work& work, double scale) {
  double seconds = 0;
  model::Report report;
  for (auto _ : state) {
    report = run(work);
    seconds += report.seconds;
  }
  state.counters["executions"] = static_cast<double>(report.executions);
  state.counters["blocked"] = static_cast<double>(report.blocked);
  state.counters["speedup"] =
      work.reference_seconds * scale * static_cast<double>(state.iterations()) / seconds;
}

/// One JSON object per line.
void write_rows(std::ostream& out, double scale) {
  for (const Work& work : all_work) {
    const model::Report report = run(work);
    out << "{\"subject\": \"checker\", \"work\": \"" << work.name
        << "\", \"executions\": " << report.executions << ", \"blocked\": " << report.blocked
        << ", \"seconds\": " << report.seconds << ", \"calibration_scale\": " << scale
        << ", \"reference_seconds\": " << work.reference_seconds * scale << "}\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double scale = calibration_seconds() / 0.545;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") != 0) continue;
    if (i + 1 == argc) {
      std::cerr << "checker_bench: --rows needs a file name, or - for stdout\n";
      return 2;
    }
    if (std::strcmp(argv[i + 1], "-") == 0) {
      write_rows(std::cout, scale);
      return 0;
    }
    std::ofstream file(argv[i + 1], std::ios::app);
    write_rows(file, scale);
    if (file.flush()) return 0;
    std::cerr << "checker_bench: cannot write " << argv[i + 1] << "\n";
    return 3;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Work& work : all_work) {
    benchmark::RegisterBenchmark(work.name, measure, work, scale)->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
