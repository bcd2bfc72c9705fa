/// Calls of kernels by logical threads. In a header, so that what comes before and after a kernel
/// shares a frame with its caller.
#pragma once

#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/packed_host.hpp"
#include "runtime/executors/user_code.hpp"

namespace pto2::executors {

/// Around a kernel, which may throw.
template <class Thread>
class Detached {
 public:
  explicit Detached(Thread& thread) : thread_(thread) { thread_.detach(); }
  ~Detached() { thread_.attach(); }
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;

 private:
  Thread& thread_;
};

/// Runs a kernel, as detached() does, which can be left (user_code.hpp). Throws LeftBehind then.
[[gnu::always_inline]] inline void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
  if (PackedHost* const host = current_host()) [[likely]] {
    call_leavable<Detached<PackedHost>>(kernel, args, host->turn(), *host);
  } else {
    run_kernel_unhosted(kernel, args);
  }
}

}  // namespace pto2::executors
