/// Kernels whose task is complete when something more has happened: a counter has come to a value,
/// a transfer is over. Here such a kernel waits for it when its body has returned, so that its core
/// is taken until then.
#pragma once

#include "pto/comm/pto_comm_inst.hpp"
#include "pto/dma_workspace.h"

/// Most conditions of one task.
inline constexpr int32_t MAX_COMPLETIONS_PER_TASK = 64;

inline constexpr uint32_t COMPLETION_ENGINE_SDMA = 0;
inline constexpr uint32_t COMPLETION_TYPE_COUNTER = 0;
inline constexpr int32_t PTO2_ERROR_ASYNC_COMPLETION_INVALID = 101;

/// A counter of 32 bits, and the least value that it is to have.
struct CompletionToken {
  uint64_t addr;
  uint32_t expected_value;
  uint32_t engine;
  uint32_t completion_type;
  uint32_t reserved;
};

/// The task of the kernel that runs.
struct AsyncCtx {
  const int64_t* args;
};
inline AsyncCtx get_async_ctx(const int64_t* args) {
  return {args};
}

/// The task is complete when the counter is there, too.
inline void register_completion_condition(const AsyncCtx&, const CompletionToken& token,
                                          pto::detail::Site site = pto::detail::Site::here()) {
  const pto::detail::Use use{"register_completion_condition", PIPE_S, site};
  std::vector<pto::detail::Condition>& conditions = pto::detail::own_conditions();
  if (conditions.size() == MAX_COMPLETIONS_PER_TASK)
    pto::detail::fail(use, "the task has " + std::to_string(MAX_COMPLETIONS_PER_TASK) +
                               " conditions already, and can have no more");
  if (token.addr == 0 || token.addr % sizeof(uint32_t) != 0)
    pto::detail::fail(use, "a counter is at address " + std::to_string(token.addr) +
                               ": give it one that is a multiple of 4");
  conditions.push_back({reinterpret_cast<const uint32_t*>(token.addr), token.expected_value, site});
}
inline void save_expected_notification_counter(const AsyncCtx& context,
                                               const volatile void* counter, uint32_t expected,
                                               pto::detail::Site site = pto::detail::Site::here()) {
  register_completion_condition(context,
                                {reinterpret_cast<uint64_t>(counter), expected,
                                 COMPLETION_ENGINE_SDMA, COMPLETION_TYPE_COUNTER, 0},
                                site);
}

/// Adds to the counter of another rank, or sets it.
inline void send_notification(int32_t* counter, int32_t value, pto::comm::NotifyOp op,
                              pto::detail::Site site = pto::detail::Site::here()) {
  pto::comm::TNOTIFY(pto::comm::Signal(counter), value, op, site);
}

namespace pto2::detail {

/// The task cannot complete.
[[noreturn]] inline void defer_error(const AsyncCtx&, int32_t code,
                                     pto::detail::Site site = pto::detail::Site::here()) {
  pto::detail::fail({"defer_error", PIPE_S, site},
                    "the kernel says that its task cannot complete: error " + std::to_string(code));
}
inline void defer_flush(const AsyncCtx&) {}

}  // namespace pto2::detail
