#include "models/checker/engine/termination.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/process_wide.hpp"

namespace pto2::model::engine {

namespace {

ProcessWide terminations;
std::terminate_handler former_handler = nullptr;

void copy_what(const std::exception_ptr& thrown, char* to, std::size_t size) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    std::strncpy(to, error.what(), size);
  } catch (...) {
    std::strncpy(to, "not a std::exception", size);
  }
}

[[noreturn]] void on_terminate() {
  Crash crash{Crash::Cause::terminate};
  if (const std::exception_ptr thrown = std::current_exception()) {
    copy_what(thrown, crash.what, sizeof crash.what - 1);
  }
  Execution::crashed(crash);
  if (former_handler != nullptr) former_handler();
  std::abort();
}

}  // namespace

Termination::Termination() {
  terminations.acquire([] { former_handler = std::set_terminate(on_terminate); });
}

Termination::~Termination() {
  terminations.release([] { std::set_terminate(former_handler); });
}

}  // namespace pto2::model::engine
