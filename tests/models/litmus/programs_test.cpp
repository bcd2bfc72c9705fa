// Families with known counts, locks and data structures with their wrong twins.
#include <gtest/gtest.h>

#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"
#include "models/litmus/structures.hpp"

namespace pto2::model::litmus {
namespace {

using enum std::memory_order;

std::uint64_t executions(const Body& body) {
  const Report report = explore(Options{}, body);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.blocked, 0u);
  return report.executions;
}

TEST(Families, closed_forms) {
  std::uint64_t factorial = 1;
  for (int n = 1; n <= 7; ++n) {
    factorial *= static_cast<std::uint64_t>(n);
    EXPECT_EQ(executions(adds(n)), factorial);
    EXPECT_EQ(executions(writers(n)), factorial);
    EXPECT_EQ(executions(readers(n)), std::uint64_t{1} << n);
    EXPECT_EQ(executions(independent(n)), 1u);
  }
  for (int n = 2; n <= 6; ++n) {
    EXPECT_EQ(executions(ring_of_buffers(n)), (std::uint64_t{1} << n) - 1);
  }
}

TEST(Families, known_counts) {
  EXPECT_EQ(executions(last_zero(15)), 147'456u);
  EXPECT_EQ(executions(cas_rotation(12)), 919'146u);
  EXPECT_EQ(executions(fibonacci(5)), 525'630u);
  EXPECT_EQ(executions(indexer(15)), 4'096u);
  EXPECT_EQ(executions(adds(9)), 362'880u);
  EXPECT_EQ(executions(readers(16)), 65'536u);
}

TEST(Families, isolated_threads_change_no_count) {
  Options options;
  options.isolated_threads = true;
  EXPECT_EQ(explore(options, last_zero(12)).executions, explore({}, last_zero(12)).executions);
  EXPECT_EQ(explore(options, cas_rotation(8)).executions, explore({}, cas_rotation(8)).executions);
  EXPECT_EQ(explore(options, fibonacci(4)).executions, explore({}, fibonacci(4)).executions);
  EXPECT_EQ(explore(options, adds(7)).executions, 5'040u);
  // Cells switch it off: the counter would not survive a main that runs again alone.
  EXPECT_TRUE(explore(options, counter_under<SpinLock>(3, 1, {})).ok());
}

template <class Lock>
void expect_lock(int threads, LockOrders right, LockOrders wrong, std::uint64_t count) {
  const Report fine = explore(Options{}, counter_under<Lock>(threads, 1, right));
  EXPECT_TRUE(fine.ok()) << fine.to_text();
  EXPECT_EQ(fine.executions, count);
  const Report broken = explore(Options{}, counter_under<Lock>(threads, 1, wrong));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

TEST(Locks, spin) {
  expect_lock<SpinLock>(3, {}, {relaxed, release}, 6);
  expect_lock<SpinLock>(3, {}, {acquire, relaxed}, 6);
}

TEST(Locks, ttas) {
  expect_lock<TtasLock>(2, {}, {acquire, relaxed}, 4);
}

TEST(Locks, ticket) {
  expect_lock<TicketLock>(4, {}, {acquire, relaxed}, 24);
  expect_lock<TicketLock>(4, {}, {relaxed, release}, 24);
}

TEST(Locks, known_counts) {
  EXPECT_EQ(explore(Options{}, counter_under<TtasLock>(5, 1, {})).executions, 14'400u);
  EXPECT_EQ(explore(Options{}, counter_under<TicketLock>(7, 1, {})).executions, 5'040u);
}

TEST(Locks, mcs) {
  const Report fine = explore(Options{}, counter_under<McsLock>(2, 1, {}));
  EXPECT_TRUE(fine.ok()) << fine.to_text();
  const Report broken = explore(Options{}, counter_under<McsLock>(2, 1, {relaxed, release}));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

TEST(Locks, peterson) {
  const Report fine = explore(Options{}, counter_under<PetersonLock>(2, 1, {seq_cst, release}));
  EXPECT_TRUE(fine.ok()) << fine.to_text();
  const Report broken = explore(Options{}, counter_under<PetersonLock>(2, 1, {acquire, release}));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

Body dekker(std::memory_order order) {
  return [order] {
    DekkerTryLock lock(2, {order, release});
    cell<int> inside{0, "inside"};
    const auto work = [&](int self) {
      if (lock.try_lock(self)) {
        inside.write(self);
      }
    };
    thread a([&] { work(0); });
    thread b([&] { work(1); });
    a.join();
    b.join();
  };
}

TEST(Locks, dekker) {
  EXPECT_EQ(executions(dekker(seq_cst)), 3u);
  const Report broken = explore(Options{}, dekker(acq_rel));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

Body treiber(int pushes, int pops, std::memory_order publish) {
  return [=] {
    TreiberStack stack(pushes, publish);
    std::vector<thread> threads;
    for (int i = 0; i < pushes; ++i) {
      threads.emplace_back([&, i] { stack.push(i, i + 1); });
    }
    for (int i = 0; i < pops; ++i) {
      threads.emplace_back([&] {
        const auto value = stack.pop();
        check(!value || (*value >= 1 && *value <= pushes), "a pushed value comes out");
      });
    }
    for (thread& t : threads) t.join();
  };
}

TEST(Structures, treiber_stack) {
  EXPECT_GT(executions(treiber(3, 1, release)), 0u);
  EXPECT_GT(executions(treiber(2, 2, release)), 0u);
  const Report broken = explore(Options{}, treiber(1, 1, relaxed));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

Body michael_scott(int enqueues, int dequeues, std::memory_order publish) {
  return [=] {
    MichaelScottQueue queue(enqueues, publish);
    std::vector<thread> threads;
    for (int i = 0; i < enqueues; ++i) {
      threads.emplace_back([&, i] { queue.enqueue(i, i + 1); });
    }
    for (int i = 0; i < dequeues; ++i) {
      threads.emplace_back([&] {
        const auto value = queue.dequeue();
        check(!value || (*value >= 1 && *value <= enqueues), "an enqueued value comes out");
      });
    }
    for (thread& t : threads) t.join();
  };
}

TEST(Structures, michael_scott_queue) {
  EXPECT_GT(executions(michael_scott(2, 1, release)), 0u);
  const Report broken = explore(Options{}, michael_scott(1, 1, relaxed));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

Body ring(std::memory_order publish) {
  return [publish] {
    SpscRing queue(2, publish);
    thread producer([&] {
      for (int i = 1; i <= 3; ++i) queue.push(i);
    });
    int last = 0;
    for (int i = 0; i < 3; ++i) {
      if (const auto value = queue.pop()) {
        check(*value == last + 1, "values come out in order");
        last = *value;
      }
    }
    producer.join();
  };
}

TEST(Structures, spsc_ring) {
  EXPECT_GT(executions(ring(release)), 0u);
  const Report broken = explore(Options{}, ring(relaxed));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::data_race) << broken.to_text();
}

Body sequence_lock(std::memory_order publish) {
  return [publish] {
    SeqLock lock(publish);
    thread writer([&] {
      lock.write(1);
      lock.write(2);
    });
    if (const auto words = lock.try_read()) {
      check(words->first == words->second, "a read is not torn");
    }
    writer.join();
  };
}

TEST(Structures, sequence_lock) {
  EXPECT_GT(executions(sequence_lock(release)), 0u);
  const Report broken = explore(Options{}, sequence_lock(relaxed));
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::check_failed) << broken.to_text();
}

}  // namespace
}  // namespace pto2::model::litmus
