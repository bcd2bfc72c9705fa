#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "runtime/include/pto_orchestration_api.h"

namespace {

/// Whether the variable ENDS asks for it.
bool is_asked_for(std::string_view how) {
  const char* const asked = std::getenv("ENDS");
  return asked != nullptr && asked == how;
}

void spin() {
  for (volatile bool again = true; again;) {
  }
}

/// As good as for ever: until the stack is used up.
int recurse(uint64_t depth) {
  volatile char frame[4096];
  frame[0] = 1;
  return depth == 0 ? 0 : recurse(depth - 1) + frame[0];
}

/// Soon, also where stacks have no limit and would take all memory.
void overflow() {
  rlimit stack{};
  getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = std::min<rlim_t>(stack.rlim_cur, 8 << 20);
  setrlimit(RLIMIT_STACK, &stack);
  recurse(UINT64_MAX);
}

/// Nothing can be asked of the thread.
void take_no_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

/// Soon done, but it takes its time to find out what they need.
void submit_many(PTO2Runtime* rt) {
  const uint64_t shape[] = {4};
  for (int i = 0; i < 8000; ++i) {
    const PTOParam output[] = {
        make_output_param({rt->ops->make_tensor(rt, 0, shape, 1, DataType::INT32)})};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, output, 1);
  }
}

/// What `pto2 simulate` might take for errors of its own.
void throw_what_is_asked_for() {
  if (is_asked_for("throw runtime_error")) throw std::runtime_error("lacks a file");
  if (is_asked_for("throw invalid_argument")) throw std::invalid_argument("of no use");
  if (is_asked_for("throw out_of_range")) throw std::out_of_range("too far");
  if (is_asked_for("throw number")) throw 42;
}

/// One float more than vector_example's first array has.
void submit_large(PTO2Runtime* rt, const uint64_t* args) {
  const uint64_t shape[] = {args[6] + 1};
  const PTOParam input[] = {
      make_input_param({rt->ops->make_tensor(rt, args[0], shape, 1, DataType::FLOAT32)})};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, input, 1);
}

bool is_configured = false;

[[gnu::constructor]] void load() {
  if (const char* const folder = std::getenv("REMOVES")) rmdir(folder);
  if (is_asked_for("exit of image")) std::exit(0);
  if (is_asked_for("quiet exit of image")) _exit(0);
  if (is_asked_for("crash of image")) raise(SIGSEGV);
  if (is_asked_for("abort of image")) std::abort();
  if (is_asked_for("overflow of image")) overflow();
  if (is_asked_for("crash of thread of image")) std::thread([] { raise(SIGSEGV); }).join();
  if (is_asked_for("spin of image")) spin();
}

[[gnu::destructor]] void unload() {
  if (is_asked_for("abort at the end of image")) std::abort();
  if (is_asked_for("overflow at the end of image")) overflow();
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  if (is_asked_for("exit of configuration")) std::exit(0);
  if (is_asked_for("throw of configuration")) throw std::runtime_error("no configuration");
  if (is_asked_for("spin of configuration")) spin();
  const uint64_t shape[] = {4};
  if (is_asked_for("call of configuration")) make_tensor(shape, 1);
  is_configured = true;
  if (is_asked_for("fewer arguments")) return {.expected_arg_count = 6};
  return {.expected_arg_count = is_asked_for("more arguments") ? 9 : 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  if (!is_configured) std::abort();
  if (is_asked_for("exit")) std::exit(0);
  if (is_asked_for("exit of thread")) pthread_exit(nullptr);
  if (is_asked_for("crash")) raise(SIGSEGV);
  if (is_asked_for("mute")) take_no_signals();
  if (is_asked_for("spin") || is_asked_for("mute")) spin();
  throw_what_is_asked_for();
  if (is_asked_for("large tensor")) submit_large(rt, args);
  if (is_asked_for("many")) submit_many(rt);
  const bool for_ever = is_asked_for("submit");
  do {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  } while (for_ever);
  if (is_asked_for("scope")) rt->ops->scope_end(rt);
  const PTOParam none[] = {make_input_param(Tensor{12345})};
  if (is_asked_for("tensor")) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, none, 1);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
}
