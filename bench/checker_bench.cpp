// Speed of the checker: the exhaustive search on the families with known counts. The reference is
// the least time an interpreting optimal checker needed for the same program on a machine whose
// calibration loop (5 x 10^8 dependent multiply-adds) takes 0.545 s; the counter "speedup" scales
// by this machine's. "memory" is a search of 27 million executions, "events" the cost of one
// execution by its length, "two_jobs" compares one and two OS threads in turns, beside what two
// searches that share nothing get from the machine, "walk" samples a program of 10^5 steps.
// A search that finds something, or has another count, ends the program with exit code 3.
//   checker_bench [--rows FILE]    beside google-benchmark's own options; rows have the counters
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <future>
#include <limits>
#include <pto2/checker.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/expect_report.hpp"
#include "bench/median.hpp"
#include "bench/rows.hpp"
#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"
#include "models/litmus/structures.hpp"
#include "runtime/output/peak_memory.hpp"

namespace {

namespace bench = pto2::bench;
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

/// Of five times as many steps as one part has, by the quickest part: while the machine is busy
/// with something else, it would pass for a slow one, and the checker for a quick one.
double calibration_seconds() {
  constexpr int parts = 5;
  double least = std::numeric_limits<double>::max();
  std::uint64_t value = 1;
  for (int part = 0; part < parts; ++part) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100'000'000; ++i) {
      value = value * 6364136223846793005u + 1442695040888963407u;
      benchmark::DoNotOptimize(value);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return parts * least;
}

model::Report run(const Work& work, unsigned jobs = 1) {
  model::Options options;
  options.name = work.name;
  options.jobs = jobs;
  options.isolated_threads = work.isolated;
  return bench::expect(model::explore(options, work.body), work.executions);
}

bench::Rows rows;

/// A row with these figures, which are numbers; google-benchmark prints them as counters.
void tell(benchmark::State& state, const std::string& work, const nlohmann::json& figures) {
  for (const auto& [name, value] : figures.items()) state.counters[name] = value.get<double>();
  rows.push_back({{"subject", "checker"}, {"work", work}});
  rows.back().update(figures);
}

void measure(benchmark::State& state, const Work& work, double scale) {
  double sum = 0;
  model::Report report;
  for (auto _ : state) {
    report = run(work);
    sum += report.seconds;
  }
  const double seconds = sum / static_cast<double>(state.iterations());
  const double reference_seconds = work.reference_seconds * scale;
  tell(state, work.name,
       {{"executions", report.executions},
        {"blocked", report.blocked},
        {"seconds", seconds},
        {"calibration_scale", scale},
        {"reference_seconds", reference_seconds},
        {"speedup", reference_seconds / seconds}});
}

const Work memory_work = {"casrot(14)", litmus::cas_rotation(14), true, cas_rotations(14), 0};

/// Of the search, and the most that was ever resident: nothing else may be measured before.
void measure_memory(benchmark::State& state) {
  for (auto _ : state) {
    const model::Report report = run(memory_work);
    tell(state, std::string("memory/") + memory_work.name,
         {{"executions", report.executions},
          {"seconds", report.seconds},
          {"graphs_kib", static_cast<double>(report.peak_memory_bytes) / 1024},
          {"process_kib", pto2::peak_memory() / 1024}});
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
      const model::Report report = bench::expect(model::explore({}, body), executions_of_length);
      least[i] = std::min(least[i], report.seconds / static_cast<double>(report.executions));
    }
  }
  return least;
}

void measure_events(benchmark::State& state) {
  for (auto _ : state) {
    const std::vector<double> seconds = seconds_by_length();
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const std::string events = std::to_string(events_of(own_steps[i]));
      state.counters["us_" + events] = seconds[i] * 1e6;
      rows.push_back({{"subject", "checker"},
                      {"work", "events/" + events},
                      {"seconds_per_execution", seconds[i]}});
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

/// How many times as fast two jobs finish one search as one job does, and, as a ceiling, how many
/// searches two CPUs of this machine do in the time of one search: medians of eleven rounds,
/// measured in turns.
void measure_two_jobs(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    std::vector<double> ratios, ceilings;
    for (int round = 0; round < 11; ++round) {
      const double one = run(work, 1).seconds;
      ratios.push_back(one / run(work, 2).seconds);
      ceilings.push_back(2 * one / seconds_of_two_searches(work));
    }
    tell(state, std::string("two_jobs/") + work.name,
         {{"ratio", pto2::bench::median(ratios)}, {"ceiling", pto2::bench::median(ceilings)}});
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

void measure_walk(benchmark::State& state, const char* name, model::Strategy strategy,
                  double scale) {
  for (auto _ : state) {
    tell(state, std::string("walk/") + name,
         {{"steps_per_second", walk(strategy) * scale}, {"calibration_scale", scale}});
  }
}

void register_all(double scale) {
  const auto add = [](const std::string& name, const auto& function, int iterations) {
    benchmark::RegisterBenchmark(name.c_str(), function)
        ->Iterations(iterations)
        ->Unit(benchmark::kMillisecond);
  };
  add(std::string("memory/") + memory_work.name, measure_memory, 1);
  add("events", measure_events, 1);
  for (const Work& work : two_job_work) {
    add(
        std::string("two_jobs/") + work.name,
        [&](benchmark::State& state) { measure_two_jobs(state, work); }, 1);
  }
  for (const auto& [name, strategy] : walks) {
    add(
        std::string("walk/") + name,
        [=, name = name, strategy = strategy](benchmark::State& state) {
          measure_walk(state, name, strategy, scale);
        },
        1);
  }
  for (const Work& work : all_work) {
    add(
        work.name, [&work, scale](benchmark::State& state) { measure(state, work, scale); }, 3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all(calibration_seconds() / 0.545);
  return pto2::bench::run_with_rows(argc, argv, rows);
}
