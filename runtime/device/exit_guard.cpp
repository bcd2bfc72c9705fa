#include "runtime/device/exit_guard.hpp"

#include <cxxabi.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <utility>

#include "runtime/output/exit_codes.hpp"

namespace pto2 {

/// The guard is its own shared object to the C++ ABI, so that its handler alone can be taken back.
ExitGuard::ExitGuard(Who who) : who_(std::move(who)) {
  if (abi::__cxa_atexit(at_exit, this, this) != 0) throw std::bad_alloc();
}

/// To take a handler back is to call it.
ExitGuard::~ExitGuard() {
  armed_ = false;
  abi::__cxa_finalize(this);
}

void ExitGuard::at_exit(void* guard) {
  auto& self = *static_cast<ExitGuard*>(guard);
  if (!self.armed_) return;
  const std::string caller = self.who_();
  if (caller.empty()) return;
  fmt::print(
      stderr,
      "FATAL: {} called exit() or pthread_exit() in the middle of a run, which would end the "
      "process with its graph half done\n"
      "return from kernel_entry or aicpu_orchestration_entry instead\n",
      caller);
  std::fflush(nullptr);
  _exit(cli::exit_runtime_fault);
}

}  // namespace pto2
