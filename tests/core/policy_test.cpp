/// The seam is what it says: core compiles for a policy with the documented members alone.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "core/every_file.hpp"  // written when CMake runs
#include "tests/core/documented_policy.hpp"

namespace pto2 {

using Documented = DocumentedPolicy;
static_assert(Policy<Documented>);
static_assert(FanOut<TaskWord<Documented>, Documented>);
static_assert(FanOut<FanOutLock<Documented>, Documented>);

using WordSlot = TaskSlot<Documented, TaskWord>;
using LockSlot = TaskSlot<Documented, FanOutLock>;

// Every member that is no template itself.
template class Admission<Documented, WordSlot>;
template class Admission<Documented, LockSlot>;
template class AwaitedMark<Documented>;
template class BlockParts<Documented>;
template class ClusterPool<Documented>;
template class CoreMailbox<Documented, uint64_t>;
template class Doorbell<Documented>;
template class FanIn<Documented>;
template class FanOutLock<Documented>;
template class FatalLatch<Documented, uint64_t>;
template class FiberHost<Documented>;
template class Flag<Documented>;
template class HostPair<Documented>;
template class HostTeam<Documented>;
template class HostedFiber<Documented>;
template class KernelWaits<Documented>;
template class OrchestratorQueue<Documented>;
template class ParkedSchedulers<Documented>;
template class PinnedInbox<Documented>;
template class ReadyQueues<Documented>;
template class StallDetector<Documented>;
template class StartGate<Documented>;
template class Startup<Documented>;
template class TaskLifeCycle<Documented, WordSlot>;
template class TaskLifeCycle<Documented, LockSlot>;
template class TaskWord<Documented>;
template class Watermark<Documented>;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The class templates over the policy that a header defines.
std::vector<std::string> classes_of(const std::string& header) {
  static const std::regex of_policy(
      R"(\ntemplate <(?:Memory)?Policy P[^\n]*>\nclass (?:alignas\(\w+\) )?(\w+)[^;\n]*\{)");
  std::vector<std::string> names;
  for (std::sregex_iterator at(header.begin(), header.end(), of_policy), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

TEST(PolicyTest, EveryClassOfCoreIsInstantiatedForIt) {
  const std::string here = text_of("tests/core/policy_test.cpp");
  uint32_t classes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("core")) {
    if (entry.path().extension() != ".hpp") continue;
    for (const std::string& name : classes_of(text_of(entry.path()))) {
      ++classes;
      EXPECT_NE(here.find("\ntemplate class " + name + "<Documented"), std::string::npos)
          << name << " is missing above";
    }
  }
  EXPECT_GT(classes, 15u);
}

// The members that are templates.

template <class Slot>
void run_a_pair() {
  std::array<Slot, 4> slots;
  std::array<DependencyNode<Documented>, 5> nodes;
  std::array<uint64_t, 4> ends{};
  std::array<uint64_t, 4> marks{};
  std::array<RingMemory<Documented, Slot>, 1> memory{{{slots, nodes, ends, marks, 4096}}};
  Admission<Documented, Slot> admission(memory);
  std::vector<TaskId> tasks;
  uint64_t retries = 0;
  uint32_t claims = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    const std::vector<TaskId> producers = tasks;
    const auto task = admission.admit({0, 0, producers, {}}, retries, [&](uint32_t, Claim claim) {
      EXPECT_EQ(claim, Claim::linked);
      ++claims;
    });
    EXPECT_EQ(admission.release(task), i == 0);
    tasks.push_back(task.id);
  }
  EXPECT_EQ(claims, 1u);
  std::vector<TaskId> reclaimed;
  for (const TaskId task : tasks) {
    std::array<TaskId, 4> scratch;
    auto& life = admission.life();
    typename TaskLifeCycle<Documented, Slot>::Completion done(life, life.slot_id(task), scratch);
    uint32_t ready = 0;
    done.notify_consumers([&](SlotId) { ++ready; });
    EXPECT_EQ(ready, task == tasks[0] ? 1u : 0u);
    const auto advance = [&](TaskId consumed) {
      life.advance(consumed, [&](TaskId passed) { reclaimed.push_back(passed); });
    };
    if (life.drop_scope(life.slot_of(task))) advance(task);
    done.drop_producers(advance);
  }
  EXPECT_EQ(reclaimed, tasks);
}

TEST(PolicyTest, AdmissionAndCompletionRunOnIt) {
  run_a_pair<WordSlot>();
  run_a_pair<LockSlot>();
}

TEST(PolicyTest, AHostRunsItsFibersOnIt) {
  std::array<HostedFiber<Documented>, 2> fibers{HostedFiber<Documented>(0),
                                                HostedFiber<Documented>(1)};
  std::array<HostedFiber<Documented>*, 2> list{&fibers[0], &fibers[1]};
  std::array<Documented::atomic<uint64_t>, 1> runnable, inbox;
  std::array<FiberHost<Documented>*, 1> hosts{};
  HostTeam<Documented> team(list, hosts);
  FiberHost<Documented> host(team, {runnable, inbox});
  hosts[0] = &host;
  for (auto& fiber : fibers) {
    fiber.set_home(&host);
    fiber.ring(nullptr);
  }
  std::vector<uint32_t> ran;
  host.run(
      [&](HostedFiber<Documented>& fiber) {
        ran.push_back(fiber.number());
        return true;
      },
      [] { return false; });
  EXPECT_EQ(ran, (std::vector<uint32_t>{0, 1}));
}

TEST(PolicyTest, SchedulersBehindAreRungOnIt) {
  ParkedSchedulers<Documented> parked;
  parked.fall_behind(3);
  std::vector<uint32_t> rung;
  parked.for_each_behind([&](SchedulerId s) { rung.push_back(s.value); });
  EXPECT_EQ(rung, std::vector<uint32_t>{3});
}

}  // namespace
}  // namespace pto2
