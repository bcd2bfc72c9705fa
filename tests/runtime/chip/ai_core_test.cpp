/// What a core does once its run is given up.
#include <gtest/gtest.h>

#include "runtime/chip/ai_core.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/run/argument_blocks.hpp"

namespace pto2::test::ai_core {
namespace {

/// Of one thread, which the test plays.
struct ByHand : executors::Hardware {
  struct doorbell {
    void ring() const {}
  };
};

struct Latch final : GivenUp {
  void give_up(const KernelFault& fault) override {
    is_set = true;
    kinds.push_back(fault.kind);
  }
  [[nodiscard]] bool is_given_up() const override { return is_set; }

  bool is_set = false;
  std::vector<KernelFault::Kind> kinds;  ///< of the faults it was given up for
};

/// A core, and a block task that it claims parts of. Part `last` gives the run up.
class AiCoreTest : public testing::Test {
 protected:
  static constexpr uint32_t none = 99;
  static inline Latch* latch_of_kernel = nullptr;
  static inline uint32_t last = none;
  static inline uint32_t runs = 0;

  AiCoreTest() {
    latch_of_kernel = &latch;
    last = none;
    runs = 0;
    core.connect(CoreId(0), {}, {}, false, run, nullptr, latch);
    EXPECT_EQ(core.step(), executors::AfterStep::rung);
    EXPECT_TRUE(core.mailbox().is_ready());
    parts.open(4);
    EXPECT_TRUE(parts.lend(1));
  }

  static void kernel(int64_t* args) {
    ++runs;
    if (args[1] == last) latch_of_kernel->is_set = true;
  }

  void dispatch() {
    DispatchPayload<ByHand> payload;
    payload.task = make_id(0, 0);
    payload.kernel = kernel;
    payload.arguments = blocks.take(0);
    payload.arguments.call() = {.run = &run, .pipes = 0, .kernel = 0, .params = 0, .misuse = 0};
    payload.block.parts = &parts;
    core.dispatch(payload);
    EXPECT_EQ(core.step(), executors::AfterStep::rung);
  }

  PTORun run{};
  Latch latch;
  ArgumentBlocks blocks{4};
  BlockParts<ByHand> parts;
  AiCore<ByHand> core;
};

TEST_F(AiCoreTest, RunsAllPartsThatItIsLent) {
  dispatch();
  EXPECT_EQ(runs, 4u);
  EXPECT_EQ(parts.unclaimed(), 0u);
  EXPECT_TRUE(core.mailbox().has_ended());
}

TEST_F(AiCoreTest, ClaimsNothingOfARunThatIsGivenUp) {
  latch.is_set = true;
  dispatch();
  EXPECT_EQ(runs, 0u);
  EXPECT_EQ(parts.unclaimed(), 4u);
  EXPECT_FALSE(core.mailbox().has_ended()) << "parts are left, so nobody may complete the task";
}

TEST_F(AiCoreTest, LeavesThePartsBehindTheOneThatGaveTheRunUp) {
  last = 1;
  dispatch();
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(parts.unclaimed(), 2u) << "it looks before it claims";
  EXPECT_FALSE(core.mailbox().has_ended());
}

/// What it left is no fault of its own, which would be told instead of the one that there was.
TEST_F(AiCoreTest, DoesNotGiveUpARunThatIsGivenUp) {
  last = 0;
  dispatch();
  EXPECT_TRUE(latch.kinds.empty());
}

}  // namespace
}  // namespace pto2::test::ai_core
