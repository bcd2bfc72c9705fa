// Lock-free data structures, each with the number of its executions and its wrong twins.
#include <gtest/gtest.h>

#include "models/litmus/bounded_queue.hpp"
#include "models/litmus/structures.hpp"
#include "models/litmus/work_stealing.hpp"
#include "tests/models/litmus/expectations.hpp"

namespace pto2::model::litmus {
namespace {

using enum std::memory_order;
using Body = std::function<void()>;

TEST(Structures, treiber_stack) {
  expect_executions(through_treiber_stack(3, 1, release), 666);
  expect_executions(through_treiber_stack(4, 1, release), 88'656);
  expect_executions(through_treiber_stack(2, 2, release), 80);
  expect_violation(through_treiber_stack(1, 1, relaxed), ViolationKind::data_race);
}

TEST(Structures, michael_scott_queue) {
  expect_executions(through_michael_scott_queue(2, 1, release), 128);
  expect_executions(through_michael_scott_queue(3, 1, release), 39'264);
  expect_violation(through_michael_scott_queue(1, 1, relaxed), ViolationKind::data_race);
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
  expect_executions(ring(release), 47);
  expect_violation(ring(relaxed), ViolationKind::data_race);
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
  expect_executions(sequence_lock(release), 39);
  expect_violation(sequence_lock(relaxed), ViolationKind::check_failed);
}

// One producer has one execution, as both sides wait for exactly one write each time. With two
// producers of one value each, one of two is first, and the second has four ways to the second
// slot: it sees the new tail; or the old one and the first slot free, so that its exchange fails,
// or filled, or emptied.
TEST(Structures, bounded_queue) {
  expect_executions(through_bounded_queue(2, 1, 1, 3, {}), 1);
  expect_executions(through_bounded_queue(2, 2, 1, 1, {}), 8);
  expect_executions(through_bounded_queue(2, 2, 1, 2, {}), 288);
  expect_executions(through_bounded_queue(2, 3, 1, 1, {}), 384);
  expect_executions(through_bounded_queue(2, 2, 2, 1, {}), 48);
}

TEST(Structures, bounded_queue_hands_slots_on) {
  expect_violation(through_bounded_queue(2, 2, 1, 1, {relaxed, release}), ViolationKind::data_race);
  expect_violation(through_bounded_queue(2, 2, 1, 2, {release, relaxed}), ViolationKind::data_race);
}

// One task, one take, one steal have 8. Where the thief sees the top 0 and the task in the bottom
// that the push wrote, it wins, and the owner reads its top or the old one; or it loses to the
// owner. With the bottom that the end of the take restores it loses too, with the first one or that
// of the beginning of the take it finds nothing. Where it sees the top 1, the owner has won, and
// either bottom of the take shows nothing.
TEST(Structures, work_stealing_deque) {
  expect_executions(work_stealing(1, 1, 1, 1, {}), 8);
  expect_executions(work_stealing(1, 1, 2, 1, {}), 62);
  expect_executions(work_stealing(2, 1, 1, 2, {}), 38);
  expect_executions(work_stealing(2, 1, 2, 1, {}), 157);
  expect_executions(work_stealing(2, 2, 2, 1, {}), 348);
}

TEST(Structures, work_stealing_deque_needs_every_fence) {
  // A task that is seen before it is there.
  expect_violation(work_stealing(1, 1, 1, 1, {relaxed, seq_cst, seq_cst}),
                   ViolationKind::check_failed);
  // The same task taken by the owner, without an exchange, and by a thief that missed that.
  for (const DequeOrders& orders :
       {DequeOrders{release, acq_rel, seq_cst}, DequeOrders{release, seq_cst, acq_rel}}) {
    expect_violation(work_stealing(2, 1, 1, 2, orders), ViolationKind::check_failed);
    expect_violation(work_stealing(2, 1, 2, 1, orders), ViolationKind::check_failed);
    // For one task there is the exchange.
    expect_executions(work_stealing(1, 1, 1, 1, orders), 8);
  }
}

}  // namespace
}  // namespace pto2::model::litmus
