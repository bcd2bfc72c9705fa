#include "models/checker/engine/termination.hpp"

#include <cstdlib>
#include <exception>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/process_wide.hpp"

namespace pto2::model::engine {

namespace {

ProcessWide terminations;
std::terminate_handler former_handler = nullptr;

[[noreturn]] void on_terminate() {
  Execution::give_up_unwinding();
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
