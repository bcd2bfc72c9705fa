/// One runtime, measured or checked.
///
///   peer_NAME GRAPH THREADS RUNS (TASKS KERNEL_NS)...
///       prints wall time and CPU time in seconds of RUNS runs with these kernels, which take whole
///       turns, and the time that those take; and then with the next, and the peak memory of the
///       process
///   peer_NAME --check GRAPH THREADS TASKS
///       prints how many kernels ran in two runs, and whether each task ran once in each, after its
///       predecessors
///
/// The process has as many CPUs as the runtime has threads: one that waits on a CPU beside them
/// does not get it for nothing.
#include <sched.h>
#include <time.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "bench/peers/calibration.hpp"
#include "bench/peers/peer.hpp"
#include "bench/program.hpp"
#include "runtime/output/peak_memory.hpp"

namespace pto2::bench {
namespace {

void expect_zero(int result, const char* call) {
  if (result != 0) throw std::system_error(errno, std::generic_category(), call);
}

void keep_cpus(uint32_t count) {
  cpu_set_t cpus;
  expect_zero(sched_getaffinity(0, sizeof cpus, &cpus), "sched_getaffinity");
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    if (count == 0) CPU_CLR(cpu, &cpus);
    if (count != 0) --count;
  }
  if (count != 0) throw std::runtime_error("fewer CPUs than threads");
  expect_zero(sched_setaffinity(0, sizeof cpus, &cpus), "sched_setaffinity");
}

timespec read_clock(clockid_t clock) {
  timespec time{};
  expect_zero(clock_gettime(clock, &time), "clock_gettime");
  return time;
}

/// Of all threads that are and were. To the process's clock a thread that runs on another CPU
/// counts as of its last tick, some milliseconds ago, unless its own is read.
double cpu_seconds() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto id = static_cast<unsigned>(std::stoul(thread.path().filename()));
    // The clock of a thread by its id, as pthread_getcpuclockid() makes it; it may have ended.
    timespec time{};
    (void)clock_gettime(static_cast<clockid_t>(~id << 3 | 6), &time);
  }
  const timespec time = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

uint32_t number(const std::string& text) {
  return static_cast<uint32_t>(std::stoul(text));
}

nlohmann::json time_runs(Peer& peer, Pattern pattern, uint32_t tasks, int runs) {
  std::vector<double> wall, cpu;
  for (int i = 0; i < runs; ++i) {
    const double cpu_begin = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    peer.run(pattern, tasks);
    const auto end = std::chrono::steady_clock::now();
    wall.push_back(std::chrono::duration<double>(end - begin).count());
    cpu.push_back(cpu_seconds() - cpu_begin);
  }
  return {{"wall", wall}, {"cpu", cpu}};
}

/// The loop is calibrated before the runtime has threads, and when they are gone: a machine may be
/// slower for a second.
nlohmann::json measure(Pattern pattern, uint32_t threads, std::span<const std::string> arguments) {
  const double before = turns_per_ns(threads);
  std::unique_ptr<Peer> peer = make_peer(threads);
  std::vector<uint64_t> turns;
  nlohmann::json loads = nlohmann::json::array();
  for (std::size_t i = 3; i < arguments.size(); i += 2) {
    turns.push_back(set_kernel_ns(std::stod(arguments[i + 1]), before));
    loads.push_back(time_runs(*peer, pattern, number(arguments[i]), std::stoi(arguments[2])));
  }
  peer.reset();
  const uint64_t peak_bytes = pto2::peak_memory();
  const double rate = (before + turns_per_ns(threads)) / 2;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    loads[i]["kernel_ns"] = static_cast<double>(turns[i]) / rate;
  }
  return {{"loads", loads}, {"peak_bytes", peak_bytes}};
}

nlohmann::json check(Peer& peer, Pattern pattern, uint32_t tasks) {
  uint64_t runs = 0;
  bool correct = true;
  for (int run = 0; run < 2; ++run) {
    Record record(pattern, tasks);
    kernel.record = &record;
    peer.run(pattern, tasks);
    runs += record.runs();
    correct = correct && record.correct();
  }
  return {{"runs", runs}, {"correct", correct}};
}

int main_of(const std::vector<std::string>& arguments) {
  const bool checks = arguments.size() == 4 && arguments[0] == "--check";
  if (!checks && (arguments.size() < 5 || arguments.size() % 2 == 0)) {
    std::cerr << "usage: peer_NAME GRAPH THREADS RUNS (TASKS KERNEL_NS)... | --check GRAPH THREADS"
                 " TASKS\n";
    return 2;
  }
  const Pattern pattern = pattern_of(arguments[checks ? 1 : 0].c_str());
  const uint32_t threads = number(arguments[checks ? 2 : 1]);
  keep_cpus(threads);
  if (checks) {
    std::cout << check(*make_peer(threads), pattern, number(arguments[3])) << '\n';
    return 0;
  }
  std::cout << measure(pattern, threads, arguments) << '\n';
  return 0;
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  return pto2::bench::run_program(argv[0], [&] {
    return pto2::bench::main_of({argv + 1, argv + argc});
  });
}
