// Families with known counts, locks with their wrong twins.
#include <gtest/gtest.h>

#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"
#include "tests/models/litmus/expectations.hpp"

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
  expect_executions(counter_under<McsLock>(2, 1, {}), 6);
  expect_violation(counter_under<McsLock>(2, 1, {relaxed, release}), ViolationKind::data_race);
}

TEST(Locks, peterson) {
  expect_executions(counter_under<PetersonLock>(2, 1, {seq_cst, release}), 4);
  expect_violation(counter_under<PetersonLock>(2, 1, {acquire, release}), ViolationKind::data_race);
}

TEST(Locks, szymanski) {
  expect_executions(counter_under<SzymanskiLock>(2, 1, {seq_cst, seq_cst}), 29);
  expect_executions(counter_under<SzymanskiLock>(2, 2, {seq_cst, seq_cst}), 1'522);
  // Both enter when the look around from the doorway may miss the other's step into it.
  expect_violation(counter_under<SzymanskiLock>(2, 1, {acquire, seq_cst}),
                   ViolationKind::data_race);
  expect_violation(counter_under<SzymanskiLock>(2, 1, {seq_cst, relaxed}),
                   ViolationKind::data_race);
}

// The holders change in a chain, where only the load ahead of a reader's exchange may be stale: it
// reads any earlier write of the same value. Two writers and a reader: 3! orders, and the reader in
// place k has k zeros to choose from, 2 * (1 + 2 + 3). A writer and two readers: one after the
// other 2 * (2 * 3 + 3 + 2); readers that overlap come in 4 ways, and the first has two zeros after
// the writer, one ahead of it: 4 * (2 + 1).
TEST(Locks, readers_and_writers) {
  expect_executions(pair_under_readers_writer_lock(2, 1, {}, {}), 12);
  expect_executions(pair_under_readers_writer_lock(1, 2, {}, {}), 22 + 12);
  expect_executions(pair_under_readers_writer_lock(2, 2, {}, {}), 188);
  for (const LockOrders& wrong : {LockOrders{relaxed, release}, LockOrders{acquire, relaxed}}) {
    expect_violation(pair_under_readers_writer_lock(1, 2, wrong, {}), ViolationKind::data_race);
    expect_violation(pair_under_readers_writer_lock(1, 2, {}, wrong), ViolationKind::data_race);
  }
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

}  // namespace
}  // namespace pto2::model::litmus
