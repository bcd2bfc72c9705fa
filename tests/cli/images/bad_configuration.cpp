#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <stdexcept>

#include "runtime/include/pto_orchestration_api.h"

/// For far longer than a deadline of a test, but not for ever: where that is missed, the test is to
/// fail. Until then it stays here, or in a library, which waits as often as it is interrupted.
static void stay_here() {
  for (uint64_t turns = 0; turns < 8'000'000'000; ++turns) asm volatile("");
}
static void stay_in_a_library() {
  for (int waits = 0; waits < 20; ++waits) poll(nullptr, 0, 1000);
}

static void block_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
}

static int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

/// One argument, which says what is wrong with the configuration. 0: nothing. 1: it throws. 2: it
/// crashes. 5: it does not return, 6: from a library, 7: and hears of no signal. 8: it waits for
/// long, once. 9: its stack overflows. 10: as 6, and says so. Else it makes a tensor, whose size it
/// asks for, and says so many arguments.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t* args, int) {
  if (args[0] == 0) return {1};
  if (args[0] == 1) throw std::runtime_error("no configuration");
  if (args[0] == 2) __builtin_trap();
  if (args[0] == 7) block_signals();
  if (args[0] == 5) stay_here();
  if (args[0] == 10) std::fputs("the configuration goes on\n", stderr);
  if (args[0] == 6 || args[0] == 7 || args[0] == 10) stay_in_a_library();
  if (args[0] == 8) poll(nullptr, 0, 10'000);
  if (args[0] == 9) return {overflow(0)};
  if (args[0] >= 5) return {1};
  const uint64_t shape[] = {args[0]};
  return {static_cast<int>(make_tensor(shape, 1).numel()) + 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime*, uint64_t*, int) {}
