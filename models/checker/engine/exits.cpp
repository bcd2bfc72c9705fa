#include "models/checker/engine/exits.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/process_wide.hpp"

namespace pto2::model::engine {

namespace {

ProcessWide exits;
std::atomic<pid_t> process_of_searches{0};

void on_exit(void*) {
  Execution::crashed({Crash::Cause::exit});
}

void on_quick_exit() {
  Execution::crashed({Crash::Cause::quick_exit});
}

/// As the last one that is installed it is called first. To the C++ ABI it is of a shared object of
/// its own, so that it alone can be taken back.
void install_exit_handler() {
  if (abi::__cxa_atexit(on_exit, nullptr, &exits) != 0) throw std::bad_alloc();
}

/// Calls it.
void remove_exit_handler() {
  abi::__cxa_finalize(&exits);
}

}  // namespace

void end_process(const std::string& program, const Violation& violation) {
  std::fputs(violation.to_text(program).c_str(), stderr);
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

bool in_process_of_searches() {
  return process_of_searches == getpid();
}

Exits::Exits() {
  process_of_searches = getpid();
  // This one cannot be taken back.
  static const bool is_installed = std::at_quick_exit(on_quick_exit) == 0;
  if (!is_installed) throw std::bad_alloc();
  exits.acquire(install_exit_handler);
}

Exits::~Exits() {
  exits.release(remove_exit_handler);
}

}  // namespace pto2::model::engine
