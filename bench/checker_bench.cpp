// Speed of the checker: the exhaustive search on the families with known counts. The reference is
// the least time an interpreting optimal checker needed for the same program on a machine whose
// calibration loop (5 x 10^8 dependent multiply-adds) takes 0.545 s; the counter "speedup" scales
// by this machine's. "memory" is a search of 27 million executions, "events" the cost of one
// execution by its length, "two_jobs" compares one and two OS threads in turns, beside what two
// searches that share nothing get from the machine, "walk" samples a program of 10^5 steps.
// A search that finds something, or has another count, ends the program with exit code 3.
//   checker_bench                google-benchmark's own output and flags
//   checker_bench --rows FILE    appends subject, work, executions, seconds; "-" is stdout
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <future>
#include <iostream>
#include <pto2/checker.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/program.hpp"
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
  std::uint64_t executions;  ///< that there are
  double reference_seconds;  ///< of the interpreting checker
};

constexpr std::uint64_t factorial(int n) {
  return n == 0 ? 1 : static_cast<std::uint64_t>(n) * factorial(n - 1);
}

/// Of cas_rotation(n). The first `k` threads exchange, each what the one before has stored. The
/// next does not, so it reads one of the k values before that of k; each further one reads any.
constexpr std::uint64_t cas_rotations(int n) {
  std::uint64_t sum = 1;
  for (int k = 1; k < n; ++k) {
    auto ways = static_cast<std::uint64_t>(k);
    for (int i = k + 2; i <= n; ++i) ways *= static_cast<std::uint64_t>(k) + 1;
    sum += ways;
  }
  return sum;
}

/// Of last_zero(15) and the like.
constexpr std::uint64_t last_zeros(int n) {
  return static_cast<std::uint64_t>(n + 3) << (n - 2);
}

const Work all_work[] = {
    {"adds(9)", litmus::adds(9), true, factorial(9), 10.2},
    {"readers(16)", litmus::readers(16), true, 1 << 16, 1.05},
    {"lastzero(15)", litmus::last_zero(15), true, last_zeros(15), 5.2},
    {"casrot(12)", litmus::cas_rotation(12), true, cas_rotations(12), 5.3},
    {"fib(5)", litmus::fibonacci(5), true, 525'630, 2.2},
    {"indexer(15)", litmus::indexer(15), true, 4'096, 0.96},
    {"ttas(5)", litmus::counter_under<litmus::TtasLock>(5, 1, {}), false,
     factorial(5) * factorial(5), 0.9},
    {"ticket(7)", litmus::counter_under<litmus::TicketLock>(7, 1, {}), false, factorial(7), 7.5},
    // The reference's programs are not these to the letter: about 9 x 10^4 and 3 x 10^4 executions.
    {"treiber_stack(4,1)", litmus::through_treiber_stack(4, 1, std::memory_order_release), false,
     88'656, 4.4},
    {"michael_scott_queue(3,1)",
     litmus::through_michael_scott_queue(3, 1, std::memory_order_release), false, 39'264, 1.0},
};

/// Large enough that the start of the threads does not count.
const Work two_job_work[] = {
    {"adds(9)", litmus::adds(9), true, factorial(9), 0},
    {"casrot(13)", litmus::cas_rotation(13), true, cas_rotations(13), 0},
    {"lastzero(16)", litmus::last_zero(16), true, last_zeros(16), 0},
    {"ticket(8)", litmus::counter_under<litmus::TicketLock>(8, 1, {}), false, factorial(8), 0},
    {"treiber_stack(4,1)", litmus::through_treiber_stack(4, 1, std::memory_order_release), false,
     88'656, 0},
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

/// Throws unless the search came to its end, found nothing, and counted `executions`.
model::Report expect(model::Report report, std::uint64_t executions) {
  if (report.ok() && report.complete && report.executions == executions) return report;
  throw std::runtime_error("expected " + std::to_string(executions) + " executions of " +
                           report.to_text());
}

model::Report run(const Work& work, unsigned jobs = 1) {
  model::Options options;
  options.name = work.name;
  options.jobs = jobs;
  options.isolated_threads = work.isolated;
  return expect(model::explore(options, work.body), work.executions);
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

const Work memory_work = {"casrot(14)", litmus::cas_rotation(14), true, cas_rotations(14), 0};

struct Memory {
  model::Report report;
  double graphs_kib;   ///< of the search
  double process_kib;  ///< most that was ever resident
};

Memory measure_memory() {
  Memory result{run(memory_work), 0, 0};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.graphs_kib = static_cast<double>(result.report.peak_memory_bytes) / 1024;
  result.process_kib = static_cast<double>(usage.ru_maxrss);
  return result;
}

void report_memory(benchmark::State& state) {
  for (auto _ : state) {
    const Memory memory = measure_memory();
    state.counters["executions"] = static_cast<double>(memory.report.executions);
    state.counters["graphs_kib"] = memory.graphs_kib;
    state.counters["process_kib"] = memory.process_kib;
  }
}

/// Of program_of_length(): whether each load of the shared location reads the other's store, its
/// own if that is the later one, and which is.
constexpr std::uint64_t executions_of_length = 4;
constexpr int own_steps[] = {200, 400, 800, 1600};

/// Events of one execution of program_of_length().
constexpr int events_of(int steps) {
  return 4 * steps + 8;
}

/// Two threads, each with `steps` stores and loads of its own, then a sequentially consistent store
/// and load of one location.
void program_of_length(int steps) {
  model::atomic<int> shared{0}, first{0}, second{0};
  const auto work = [&](model::atomic<int>& own, int value) {
    for (int i = 0; i < steps; ++i) {
      own.store(i, std::memory_order_release);
      own.load(std::memory_order_acquire);
    }
    shared.store(value, std::memory_order_seq_cst);
    shared.load(std::memory_order_seq_cst);
  };
  model::thread a([&] { work(first, 1); });
  model::thread b([&] { work(second, 2); });
  a.join();
  b.join();
}

/// Seconds per execution for each of own_steps: the least of five, measured in turns.
std::vector<double> seconds_by_length() {
  std::vector<double> least(std::size(own_steps), 1e9);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < std::size(own_steps); ++i) {
      const auto body = [i] { program_of_length(own_steps[i]); };
      const model::Report report = expect(model::explore({}, body), executions_of_length);
      least[i] = std::min(least[i], report.seconds / static_cast<double>(report.executions));
    }
  }
  return least;
}

void report_events(benchmark::State& state) {
  for (auto _ : state) {
    const std::vector<double> seconds = seconds_by_length();
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      state.counters["us_" + std::to_string(events_of(own_steps[i]))] = seconds[i] * 1e6;
    }
  }
}

/// Wall time of two searches that share nothing, side by side.
double seconds_of_two_searches(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  std::future<void> other = std::async(std::launch::async, [&] { run(work); });
  run(work);
  other.get();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct TwoJobs {
  double ratio;    ///< how many times as fast two jobs finish one search as one job does
  double ceiling;  ///< how many searches two CPUs of this machine do in the time of one search
};

/// Medians of eleven rounds, measured in turns.
TwoJobs measure_two_jobs(const Work& work) {
  std::vector<double> ratios, ceilings;
  for (int round = 0; round < 11; ++round) {
    const double one = run(work, 1).seconds;
    ratios.push_back(one / run(work, 2).seconds);
    ceilings.push_back(2 * one / seconds_of_two_searches(work));
  }
  return {median(ratios), median(ceilings)};
}

void report_two_jobs(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    const TwoJobs jobs = measure_two_jobs(work);
    state.counters["ratio"] = jobs.ratio;
    state.counters["ceiling"] = jobs.ceiling;
  }
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
  if (report.violation || report.executions != options.samples) {
    throw std::runtime_error("a walk: " + report.to_text());
  }
  return static_cast<double>(report.steps) / report.seconds;
}

void measure_walk(benchmark::State& state, model::Strategy strategy, double scale) {
  for (auto _ : state) state.counters["steps_per_second"] = walk(strategy) * scale;
}

/// One JSON object per line.
void write_rows(std::ostream& out, double scale) {
  const Memory memory = measure_memory();
  out << "{\"subject\": \"checker\", \"work\": \"memory/" << memory_work.name
      << "\", \"executions\": " << memory.report.executions
      << ", \"seconds\": " << memory.report.seconds << ", \"graphs_kib\": " << memory.graphs_kib
      << ", \"process_kib\": " << memory.process_kib << "}\n";
  const std::vector<double> seconds = seconds_by_length();
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    out << "{\"subject\": \"checker\", \"work\": \"events/" << events_of(own_steps[i])
        << "\", \"seconds_per_execution\": " << seconds[i] << "}\n";
  }
  for (const Work& work : two_job_work) {
    const TwoJobs jobs = measure_two_jobs(work);
    out << "{\"subject\": \"checker\", \"work\": \"two_jobs/" << work.name
        << "\", \"ratio\": " << jobs.ratio << ", \"ceiling\": " << jobs.ceiling << "}\n";
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

int main_of(int argc, char** argv) {
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
  benchmark::RegisterBenchmark("memory/casrot(14)", report_memory)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("events", report_events)->Iterations(1);
  for (const Work& work : two_job_work) {
    const std::string name = std::string("two_jobs/") + work.name;
    benchmark::RegisterBenchmark(name.c_str(), report_two_jobs, work)->Iterations(1);
  }
  for (const auto& [name, strategy] : walks) {
    const std::string full = std::string("walk/") + name;
    benchmark::RegisterBenchmark(full.c_str(), measure_walk, strategy, scale)->Iterations(1);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return pto2::bench::run_program("checker_bench", [&] { return main_of(argc, argv); });
}
