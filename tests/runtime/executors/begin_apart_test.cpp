#include "runtime/executors/begin_apart.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <future>
#include <set>
#include <thread>
#include <vector>

#include "runtime/executors/hardware.hpp"

namespace pto2::executors {
namespace {

cpu_set_t own_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  return cpus;
}

/// Keeps the calling thread to as many of its CPUs while it lives.
class FewerCpus {
 public:
  explicit FewerCpus(int count) : before_(own_cpus()) {
    cpu_set_t fewer;
    CPU_ZERO(&fewer);
    for (int cpu = 0; cpu < CPU_SETSIZE && count != 0; ++cpu) {
      if (!CPU_ISSET(cpu, &before_)) continue;
      CPU_SET(cpu, &fewer);
      --count;
    }
    sched_setaffinity(0, sizeof fewer, &fewer);
  }
  ~FewerCpus() { sched_setaffinity(0, sizeof before_, &before_); }
  FewerCpus(const FewerCpus&) = delete;
  FewerCpus& operator=(const FewerCpus&) = delete;

 private:
  cpu_set_t before_;
};

struct Seen {
  cpu_set_t placed;
  cpu_set_t released;
};

/// What `threads` others may use, before and after they are released.
std::vector<Seen> seen_of(std::size_t threads) {
  const BeginApart apart(threads);
  std::promise<void> placed;
  const std::shared_future<void> gate = placed.get_future().share();
  std::vector<Seen> seen(threads);
  std::vector<std::jthread> others;
  for (std::size_t i = 0; i < threads; ++i) {
    others.emplace_back([&, i] {
      gate.wait();
      seen[i].placed = own_cpus();
      apart.release();
      seen[i].released = own_cpus();
    });
    apart.place(i, others.back().native_handle());
  }
  placed.set_value();
  others.clear();
  return seen;
}

/// The maker is on this CPU.
void expect_apart_from(int maker) {
  const cpu_set_t all = own_cpus();
  const auto cpus = static_cast<std::size_t>(CPU_COUNT(&all));
  {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(maker, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setaffinity(0, sizeof all, &all);
  }
  const std::vector<Seen> others = seen_of(cpus - 1);
  const bool has_moved = sched_getcpu() != maker;
  std::set<int> taken;
  for (const Seen& seen : others) {
    EXPECT_EQ(CPU_COUNT(&seen.placed), 1);
    EXPECT_TRUE(CPU_EQUAL(&seen.released, &all)) << "it may go wherever its maker may";
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &seen.placed)) taken.insert(cpu);
    }
  }
  EXPECT_EQ(taken.size(), others.size());
  EXPECT_TRUE(has_moved || !taken.contains(maker));
}

TEST(BeginApart, EachThreadBeginsOnACpuOfItsOwn) {
  const cpu_set_t all = own_cpus();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one CPU";
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all)) expect_apart_from(cpu);
  }
}

TEST(BeginApart, ThereMustBeACpuForEach) {
  const FewerCpus two(2);
  const cpu_set_t all = own_cpus();
  for (const Seen& seen : seen_of(2)) {
    EXPECT_TRUE(CPU_EQUAL(&seen.placed, &all));
    EXPECT_TRUE(CPU_EQUAL(&seen.released, &all));
  }
}

TEST(BeginApart, TheHostsOfATeamMayGoWhereItsMakerMay) {
  const cpu_set_t all = own_cpus();
  cpu_set_t first;
  cpu_set_t second;
  Team team({.executor = Executor::packed, .host_threads = 2});
  team.add("first", 0, [&first] { first = own_cpus(); });
  team.add("second", 1, [&second] { second = own_cpus(); });
  team.run();
  EXPECT_TRUE(CPU_EQUAL(&first, &all));
  EXPECT_TRUE(CPU_EQUAL(&second, &all));
}

}  // namespace
}  // namespace pto2::executors
