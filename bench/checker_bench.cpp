// Speed of the checker: the exhaustive search on the families with known counts. The reference is
// the least time an interpreting optimal checker needed for the same program on a machine whose
// calibration loop (5 x 10^8 dependent multiply-adds) takes 0.545 s; the counter "speedup" scales
// by this machine's. "two_jobs" compares one and two OS threads in turns; "walk" samples a program
// of 10^5 steps.
//   checker_bench                google-benchmark's own output and flags
//   checker_bench --rows FILE    appends subject, work, executions, seconds; "-" is stdout
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <pto2/checker.hpp>
#include <string>
#include <utility>
#include <vector>

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

/// Large enough that the start of the threads does not count.
const Work two_job_work[] = {
    {"adds(9)", litmus::adds(9), true, 0},
    {"casrot(13)", litmus::cas_rotation(13), true, 0},
    {"lastzero(16)", litmus::last_zero(16), true, 0},
    {"ticket(8)", litmus::counter_under<litmus::TicketLock>(8, 1, {}), false, 0},
    {"michael_scott_queue(3,1)",
     litmus::through_michael_scott_queue(3, 1, std::memory_order_release), false, 0},
};

const std::pair<const char*, model::Strategy> walks[] = {
    {"random", model::Strategy::random_walk},
    {"pct", model::Strategy::pct},
    {"bursts", model::Strategy::bursts},
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

model::Report run(const Work& work, unsigned jobs = 1) {
  model::Options options;
  options.name = work.name;
  options.jobs = jobs;
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

/// Seconds of one search shared by two OS threads, against one alone: the median of the ratios.
double ratio_of_jobs(const Work& work) {
  std::vector<double> ratios;
  for (int pair = 0; pair < 5; ++pair) {
    const double one = run(work, 1).seconds;
    ratios.push_back(one / run(work, 2).seconds);
  }
  std::nth_element(ratios.begin(), ratios.begin() + 2, ratios.end());
  return ratios[2];
}

void measure_jobs(benchmark::State& state, const Work& work) {
  for (auto _ : state) state.counters["ratio"] = ratio_of_jobs(work);
}

/// Four threads on eight atomics: loads, stores, additions and compare-exchanges, 10^5 in all.
void long_program() {
  constexpr int rounds = 5'000;
  std::deque<model::atomic<int>> places(8);
  std::vector<model::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&places, t] {
      for (int i = 0; i < rounds; ++i) {
        auto& first = places[static_cast<std::size_t>(t + i) % 8];
        auto& second = places[static_cast<std::size_t>(3 * t + 5 * i) % 8];
        int expected = first.load(std::memory_order_acquire);
        second.store(i, std::memory_order_release);
        first.fetch_add(1, std::memory_order_acq_rel);
        second.load(std::memory_order_relaxed);
        first.compare_exchange_strong(expected, t, std::memory_order_acq_rel);
      }
    });
  }
  for (model::thread& thread : threads) thread.join();
}

/// Visible operations per second.
double walk(model::Strategy strategy) {
  model::Options options;
  options.strategy = strategy;
  options.samples = 10;
  const model::Report report = model::explore(options, long_program);
  return static_cast<double>(report.steps) / report.seconds;
}

void measure_walk(benchmark::State& state, model::Strategy strategy, double scale) {
  for (auto _ : state) state.counters["steps_per_second"] = walk(strategy) * scale;
}

/// One JSON object per line.
void write_rows(std::ostream& out, double scale) {
  for (const Work& work : two_job_work) {
    out << "{\"subject\": \"checker\", \"work\": \"two_jobs/" << work.name
        << "\", \"ratio\": " << ratio_of_jobs(work) << "}\n";
  }
  for (const auto& [name, strategy] : walks) {
    out << "{\"subject\": \"checker\", \"work\": \"walk/" << name
        << "\", \"steps_per_second\": " << walk(strategy) * scale
        << ", \"calibration_scale\": " << scale << "}\n";
  }
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
  for (const Work& work : two_job_work) {
    const std::string name = std::string("two_jobs/") + work.name;
    benchmark::RegisterBenchmark(name.c_str(), measure_jobs, work)->Iterations(1);
  }
  for (const auto& [name, strategy] : walks) {
    const std::string full = std::string("walk/") + name;
    benchmark::RegisterBenchmark(full.c_str(), measure_walk, strategy, scale)->Iterations(1);
  }
  benchmark::RunSpecifiedBenchmarks();
}
