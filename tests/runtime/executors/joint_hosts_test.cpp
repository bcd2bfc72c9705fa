/// When the two hosts of a team are joint, and when they part.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>

#include "runtime/executors/hardware.hpp"
#include "tests/runtime/executors/teams.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// So long that one of no length is short with a sanitizer in it, too, on a slow machine.
constexpr microseconds long_kernel(60);
/// By what the team was told, which a launch is not: this would be long there.
constexpr microseconds short_kernel(5);

/// A team of two hosts: a thread that hands out kernels, and three that run them, of which the
/// first is a group of its own. Whoever hands them out waits for their end.
class JointHostsTest : public testing::Test {
 protected:
  JointHostsTest() : JointHostsTest(TeamOptions{.may_join = true}) {}
  explicit JointHostsTest(TeamOptions options) : team_(on_two_hosts(options)) {}

  static TeamOptions on_two_hosts(TeamOptions options) {
    options.executor = Executor::packed;
    options.host_threads = 2;
    if (options.short_kernel == TeamOptions().short_kernel) options.short_kernel = long_kernel / 3;
    return options;
  }

  /// Runs a kernel that takes so long on each of the first two. The giver gives way meanwhile.
  void run_kernels(microseconds length) {
    hand_out(length, 2);
    while (!have_run(2)) submit_and_give_way();
  }
  /// The same until these and the giver are on one host, or on two, and stay there. When that is
  /// depends on what else the machine does. How often they were seen to join or part.
  int run_kernels_until(bool joint, microseconds length) {
    int changes = 0;
    bool before = other_host_naps();
    for (int stays = 0; stays < 20;) {
      run_kernels(length);
      const bool now = other_host_naps();
      changes += now != before ? 1 : 0;
      before = now;
      stays = are_joint() == joint && now == joint ? stays + 1 : 0;
    }
    return changes;
  }
  /// Hosts that were joint, with the giver on the one that napped: not for long kernels, of which
  /// it sees none. What else the machine does may part them before, or take it back.
  void be_taken() {
    pid_t first = 0;
    do {
      run_kernels_until(true, microseconds(0));
      first = gettid();
      run_one_that_waits_for_the_giver();
    } while (gettid() == first);
  }
  /// The giver sleeps meanwhile. Of the first of them, or both.
  void run_kernels_alone(microseconds length, uint32_t runners = 2) {
    hand_out(length, runners);
    while (!have_run(runners)) idle();
  }
  /// A kernel of the first that only the giver ends, once it is under way.
  void run_one_that_waits_for_the_giver() {
    is_inside_ = false;
    is_released_ = false;
    hand_out(microseconds(0), 1);
    while (!is_inside_) yield();
    is_released_ = true;
    while (!have_run(1)) yield();
  }
  /// The giver is not taken by the other host from now on: it could not have hosts join there.
  void stay(bool stays = true) {
    const TsanHostScope as_host;
    static_cast<HostedThread*>(giver_)->keep(stays);
  }
  /// Hosts that have parted, with the first group on the other one. No nap may end before.
  void part_by_the_first() {
    stay();
    length_ = long_kernel;
    do run_kernel_of(runners_[0]);
    while (other_host_naps());
    for (uint32_t runner = 0; runner < runners_.size(); ++runner) {
      EXPECT_EQ(host_of(runner), runner == 0 ? 0U : 1U) << runner;
    }
  }
  /// A kernel of the second that waits on the other host, while the third has short ones until it
  /// has come to the giver's host.
  void join_beside_a_kernel_that_waits() {
    Runner& waiter = runners_[1];
    waiter.waits = true;
    hand_out(waiter);
    while (waiter.waits) yield();
    EXPECT_NE(waiter.runs_on.load(), gettid());
    length_ = microseconds(0);
    do run_kernel_of(runners_[2]);
    while (runners_[2].runs_on.load() != gettid());
    EXPECT_TRUE(other_host_naps()) << "or it would, without that kernel";
  }
  /// During a kernel of the second on the other host, after short ones of it. Nobody is rung there
  /// at last.
  void join_beside_a_kernel() {
    using Pace = KernelPace<steady_clock>;
    Runner& second = runners_[1];
    const auto run_of_second = [&] {
      hand_out(second);
      while (!second.has_run())
        ;
    };
    length_ = microseconds(0);
    do {
      for (uint32_t i = 0; i < Pace::kernels_per_sample * Pace::samples_per_verdict; ++i) {
        run_of_second();
      }
      is_inside_ = false;
      is_released_ = false;
      hand_out(second);
      while (!is_inside_)
        ;
      give_way();
      is_released_ = true;
      while (!second.has_run())
        ;
    } while (!other_host_naps());
    spin(microseconds(500));  // until it naps indeed
  }
  void run_kernel_of_the_third() { run_kernel_of(runners_[2]); }
  /// Long kernels of the third beside one that waits, until the first has come to the other host.
  void part_beside_a_kernel_that_waits() {
    length_ = long_kernel;
    do {
      run_kernel_of(runners_[2]);
      run_kernel_of(runners_[0]);
    } while (runners_[0].runs_on.load() == gettid());
  }
  void end_the_kernel_that_waits() {
    Runner& waiter = runners_[1];
    may_go_on_ = true;
    waiter.thread->ring();
    while (!waiter.has_run()) yield();
    may_go_on_ = false;
  }
  [[nodiscard]] uint32_t host_of(uint32_t runner) const {
    return team_.state().threads[1 + runner].host;
  }
  [[nodiscard]] bool other_host_naps() const { return team_.host_state(1).naps; }
  [[nodiscard]] bool other_host_sleeps() const { return team_.host_state(1).asleep; }
  /// Those that have run anything run on the giver's host.
  [[nodiscard]] bool are_joint() const {
    return std::ranges::all_of(runners_, [self = gettid()](const Runner& r) {
      return r.run.load() == 0 || r.runs_on.load() == self;
    });
  }

  template <class Body>
  void run_team(Body&& body) {
    giver_ = &team_.add("giver", 0, [&] {
      body();
      ends_ = true;
      for (const Runner& runner : runners_) runner.thread->ring();
    });
    for (Runner& runner : runners_) {
      const uint32_t group = &runner == &runners_[0] ? 2 : 1;
      runner.thread = &team_.add_stepped("runner", group, [this, &runner] {
        run_what_is_handed_out(runner);
        return end_if(ends_.load());
      });
    }
    team_.run();
  }

 private:
  struct Runner {
    LogicalThread* thread = nullptr;
    std::atomic<uint32_t> handed_out{0};
    std::atomic<uint32_t> run{0};
    std::atomic<pid_t> runs_on{0};
    std::atomic<bool> waits{false};  ///< its next kernel is to wait, and has not begun

    [[nodiscard]] bool has_run() const { return run.load() == handed_out.load(); }
  };

  void hand_out(microseconds length, uint32_t runners) {
    length_ = length;
    for (Runner& runner : std::span(runners_).first(runners)) hand_out(runner);
  }
  static void hand_out(Runner& runner) {
    ++runner.handed_out;
    runner.thread->ring();
  }
  static void run_kernel_of(Runner& runner) {
    hand_out(runner);
    while (!runner.has_run()) submit_and_give_way();
  }
  /// As an orchestrator: whoever has come to its host by then has not run when it gives way again.
  static void submit_and_give_way() {
    give_way();
    spin(microseconds(5));
  }
  static void spin(microseconds length) {
    const auto end = steady_clock::now() + length;
    while (steady_clock::now() < end) {
    }
  }
  [[nodiscard]] bool have_run(uint32_t runners) const {
    return std::ranges::all_of(std::span(runners_).first(runners), &Runner::has_run);
  }
  void run_what_is_handed_out(Runner& runner) {
    while (!runner.has_run()) {
      runner.runs_on = gettid();
      if (runner.waits) {
        run_kernel([](int64_t* self) { reinterpret_cast<JointHostsTest*>(self)->wait(); },
                   reinterpret_cast<int64_t*>(this));
      } else {
        run_kernel([](int64_t* self) { reinterpret_cast<JointHostsTest*>(self)->kernel(); },
                   reinterpret_cast<int64_t*>(this));
      }
      ++runner.run;
      giver_->ring();
    }
  }
  /// The kernel of the second that waits.
  void wait() {
    runners_[1].waits = false;
    while (!may_go_on_) KernelWaiter(runners_[1].thread).wait();
  }
  void kernel() {
    if (!is_released_) is_inside_ = true;
    while (!is_released_) {
    }
    if (length_ != microseconds(0)) spin(length_);
  }

  Team team_;
  LogicalThread* giver_ = nullptr;
  std::array<Runner, 3> runners_;
  microseconds length_{0};
  std::atomic<bool> is_inside_{false};
  std::atomic<bool> is_released_{true};
  std::atomic<bool> may_go_on_{false};
  std::atomic<bool> ends_{false};
};

TEST_F(JointHostsTest, TheyBeginAsOne) {
  run_team([this] {
    for (int i = 0; i < 3; ++i) {
      run_kernels(microseconds(0));
      EXPECT_TRUE(are_joint()) << i;
    }
  });
}

TEST_F(JointHostsTest, TheyPartWhenKernelsAreLong) {
  run_team([this] { run_kernels_until(false, long_kernel); });
}

TEST_F(JointHostsTest, TheyJoinAgainWhenKernelsAreShort) {
  run_team([this] {
    stay();
    run_kernels_until(false, long_kernel);
    EXPECT_LT(run_kernels_until(true, short_kernel), 10);
    run_kernels_until(false, long_kernel);
  });
}

/// Kernels were short before the one because of which hosts have parted.
TEST_F(JointHostsTest, TheyDoNotJoinAgainBecauseOfFormerKernels) {
  run_team([this] {
    be_taken();
    EXPECT_FALSE(other_host_naps());
    give_way();
    EXPECT_FALSE(other_host_naps());
  });
}

/// Its host gives it up for the time of a long kernel.
TEST_F(JointHostsTest, TheyJoinAgainOnceTheGiverWasTaken) {
  run_team([this] {
    run_kernels(microseconds(0));
    run_one_that_waits_for_the_giver();
    run_kernels_until(true, microseconds(0));
  });
}

TEST_F(JointHostsTest, TheyPartWhileTheGiverWaits) {
  run_team([this] {
    do run_kernels_alone(long_kernel);
    while (are_joint());
  });
}

/// A nap that nobody ends lasts for longer than the test may.
struct LongNapsTest : JointHostsTest {
  LongNapsTest() : JointHostsTest({.may_join = true, .longest_nap = std::chrono::hours(1)}) {}
};

/// A nap would keep the rings of the kernel from it: who waits for it sleeps, and is woken.
TEST_F(LongNapsTest, NobodyNapsBesideAKernelThatWaits) {
  run_team([this] {
    part_by_the_first();
    join_beside_a_kernel_that_waits();
    while (!other_host_sleeps()) yield();
    end_the_kernel_that_waits();
  });
}

/// A host that naps has handed over all that wait there, or they would be rung in vain.
TEST_F(LongNapsTest, NobodyStaysWithTheHostThatNaps) {
  run_team([this] {
    part_by_the_first();
    join_beside_a_kernel();
    run_kernel_of_the_third();
  });
}

/// Whose host is not the one where kernels become long.
TEST_F(LongNapsTest, TheyPartBesideAKernelThatWaits) {
  run_team([this] {
    part_by_the_first();
    join_beside_a_kernel_that_waits();
    part_beside_a_kernel_that_waits();
    end_the_kernel_that_waits();
  });
}

/// Nor does who waits for such a kernel take others back to where they wait for a long one.
TEST_F(LongNapsTest, NobodyWaitsForALongKernelBesideAKernelThatWaits) {
  run_team([this] {
    part_by_the_first();
    join_beside_a_kernel_that_waits();
    stay(false);
    run_one_that_waits_for_the_giver();
    end_the_kernel_that_waits();
  });
}

TEST_F(LongNapsTest, TheEndOfTheRunEndsTheNap) {
  run_team([this] { run_kernels(microseconds(0)); });
}

TEST_F(LongNapsTest, LongKernelsEndTheNap) {
  run_team([this] {
    do run_kernels_alone(long_kernel);
    while (are_joint());
  });
}

/// At once: the giver is back before a kernel begins that would let others be taken.
TEST_F(LongNapsTest, HalfOfTheThreadsMoveOutAsTheyPart) {
  run_team([this] { part_by_the_first(); });
}

struct HostsApartTest : JointHostsTest {
  HostsApartTest() : JointHostsTest(TeamOptions()) {}
};

TEST_F(HostsApartTest, OthersStayApartHoweverShortKernelsAre) {
  run_team([this] {
    ASSERT_FALSE(other_host_naps()) << "they have begun as one";
    run_kernels_until(false, microseconds(0));
    for (uint32_t i = 0; i < 1000; ++i) run_kernels(microseconds(0));
    run_kernels_until(false, microseconds(0));
  });
}

/// One that nobody ends lasts for longer than the test may.
class JointNap : public testing::Test {
 protected:
  void nap() {
    hosts_.nap([this] {
      has_looked_ = true;
      return has_work_.load();
    });
  }
  void wait_until_it_naps() const {
    while (!has_looked_) std::this_thread::yield();
  }

  JointHosts hosts_{true, std::chrono::hours(1)};
  std::atomic<bool> has_looked_{false};
  std::atomic<bool> has_work_{false};
};

TEST_F(JointNap, EndsWhenTheyPartAndNobodyMoves) {
  const std::jthread napper([this] { nap(); });
  wait_until_it_naps();
  hosts_.part();
}

TEST_F(JointNap, EndsWhenThereIsWork) {
  const std::jthread napper([this] { nap(); });
  wait_until_it_naps();
  has_work_ = true;
  hosts_.end_nap();
}

TEST_F(JointNap, IsNoneWhereThereIsWork) {
  has_work_ = true;
  nap();
}

TEST_F(JointNap, IsNoneWhileTheyAreApart) {
  hosts_.part();
  EXPECT_FALSE(hosts_.are_joint());
  nap();
  hosts_.join();
  EXPECT_TRUE(hosts_.are_joint());
}

/// The host that naps takes what waits for the end of a kernel that gets long.
TEST_F(JointHostsTest, NobodyWaitsForALongKernel) {
  run_team([this] {
    run_kernels(microseconds(0));
    run_one_that_waits_for_the_giver();
  });
}

}  // namespace
}  // namespace pto2::executors
