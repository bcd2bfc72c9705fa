// The ready queues of core on libcds's queue, which they have on hardware. RQ-I1, RQ-I2, RQ-I3.
#include <array>
#include <pto2/checker/gtest.hpp>

#include "core/ready_queues.hpp"
#include "models/support/model_policy.hpp"
#include "tests/models/checker/libcds_queue.hpp"

namespace pto2::model {
namespace {

struct OnLibcds : scenarios::Model {
  template <class T>
  class bounded_queue {
   public:
    [[nodiscard]] bool try_push(const T& value) {
      return queue_.push(static_cast<int>(value.value));
    }
    [[nodiscard]] bool try_pop(T& value) {
      const int popped = queue_.pop();
      if (popped == 0) return false;
      value = T{static_cast<uint32_t>(popped)};
      return true;
    }

   private:
    LibcdsQueue queue_;
  };
};

/// A scheduler's shard is full, so that its third task goes to that of another one, who pops there,
/// and from the queue of the orchestrator, who pushes one, and steals.
class Stealing {
 public:
  void run() {
    {
      thread owner(
          [this] {
            for (uint32_t i = 0; i < own_tasks; ++i) push(0, i);
          },
          "owner");
      thread thief(
          [this] {
            take(1);
            take(1);
          },
          "thief");
      thread orchestrator([this] { submit(own_tasks); }, "orchestrator");
      owner.join();
      thief.join();
      orchestrator.join();
    }
    sometimes("a task is stolen", stolen_);
    sometimes("nothing is stolen", !stolen_);
    for (uint32_t i = 0; i < tasks; ++i) take(0);
    for (const int taken : taken_) check(taken == 1, "each task is popped once");
  }

 private:
  static constexpr uint32_t own_tasks = 3;
  static constexpr uint32_t tasks = own_tasks + 1;
  using Queue = OnLibcds::bounded_queue<SlotId>;

  void push(uint32_t shard, uint32_t i) {
    results_[i].write(1);
    check(queues_.push(shard, make_slot(0, 1 + i)), "there is room in some shard");
  }

  void submit(uint32_t i) {
    results_[i].write(1);
    check(queues_.push_orchestrators(make_slot(0, 1 + i)), "there is room");
  }

  void take(uint32_t shard) {
    ReadyTask task;
    if (!queues_.pop(shard, task)) return;
    const uint32_t i = index_of(task.slot) - 1;
    check(results_[i].read() == 1, "the popper sees what the pusher wrote");
    ++taken_[i];
    if (shard == 1 && task.stolen) stolen_ = true;
  }

  Queue first_, second_;
  std::array<Queue*, 2> shards_{&first_, &second_};
  std::array<OrchestratorQueue<OnLibcds>::Entry, 2> entries_;
  OrchestratorQueue<OnLibcds> orchestrators_{entries_};
  ReadyQueues<OnLibcds> queues_{shards_, orchestrators_};
  std::array<cell<int>, tasks> results_;
  std::array<int, tasks> taken_{};
  bool stolen_ = false;
};

TEST(LibcdsReadyQueues, stealing_and_a_full_shard) {
  const Report report = explore({}, [] { Stealing().run(); });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.executions, 18u) << report.to_text();
}

}  // namespace
}  // namespace pto2::model
