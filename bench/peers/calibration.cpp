#include "bench/peers/calibration.hpp"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <stdexcept>
#include <system_error>

#include "bench/median.hpp"

namespace pto2::bench {
namespace {

/// A stretch takes about a millisecond.
constexpr uint64_t turns_of_a_stretch = 1'000'000;
constexpr int stretches = 40;

/// Those that the process may run on.
std::vector<int> own_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void move_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_setaffinity_np");
}

std::vector<double> time_stretches(int cpu) {
  move_to(cpu);
  std::vector<double> ns;
  for (int i = 0; i < stretches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    spin(turns_of_a_stretch);
    const auto end = std::chrono::steady_clock::now();
    ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
  }
  return ns;
}

}  // namespace

double turns_per_ns(uint32_t threads) {
  const std::vector<int> cpus = own_cpus();
  if (threads == 0 || threads > cpus.size()) throw std::runtime_error("fewer CPUs than threads");
  // Their begins are some microseconds apart, which does not count.
  std::vector<std::future<std::vector<double>>> running;
  for (uint32_t i = 0; i < threads; ++i) {
    running.push_back(std::async(std::launch::async, time_stretches, cpus[i]));
  }
  std::vector<std::vector<double>> ns;
  for (auto& thread : running) ns.push_back(thread.get());
  return turns_per_ns(turns_of_a_stretch, ns);
}

double turns_per_ns(uint64_t turns, const std::vector<std::vector<double>>& stretches_ns) {
  double sum = 0;
  for (const std::vector<double>& of_thread : stretches_ns) {
    sum += static_cast<double>(turns) / median(of_thread);
  }
  return sum / static_cast<double>(stretches_ns.size());
}

}  // namespace pto2::bench
