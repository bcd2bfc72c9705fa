/// A stateless model checker for C++ atomics that runs native code. See README.md beside this
/// folder for what it checks, how to write a test and how to read a report.
#pragma once

#include <functional>
#include <source_location>
#include <string_view>

#include "pto2/checker/atomic.hpp"
#include "pto2/checker/cell.hpp"
#include "pto2/checker/options.hpp"
#include "pto2/checker/report.hpp"
#include "pto2/checker/thread.hpp"

namespace pto2::model {

/// Runs `body` in every execution that the memory model allows (or in those that the options
/// select) and reports what went wrong first, if anything. The body must do the same each time
/// when its atomics return the same values, must join its threads and destroy its objects.
/// Throws std::invalid_argument for options that make no sense. With several jobs the body is
/// called by several OS threads at once.
Report explore(const Options& options, const std::function<void()>& body);

/// A violation unless `condition` holds.
void check(bool condition, std::string_view message,
           const std::source_location& site = std::source_location::current());
/// Cuts executions in which `condition` does not hold.
void assume(bool condition, const std::source_location& site = std::source_location::current());
/// Must be reached, with a true condition, in at least one execution. A name that no execution
/// passes by is unknown to the checker unless Options::expected lists it.
void sometimes(std::string_view name, bool condition = true,
               const std::source_location& site = std::source_location::current());

/// Waits until `predicate` holds. The predicate reads atomics and may update them when it
/// succeeds; evaluations that fail leave no trace, which is what makes waiting loops finite. An
/// exception ends the wait as well.
template <class Predicate>
void await(Predicate&& predicate,
           const std::source_location& site = std::source_location::current()) {
  for (;;) {
    detail::begin_wait(site);
    bool holds = false;
    try {
      holds = static_cast<bool>(predicate());
    } catch (...) {
      if (!detail::end_wait(true)) continue;
      throw;
    }
    if (detail::end_wait(holds)) return;
  }
}

/// Ends a fruitless turn of a polling loop: the thread goes on only when something that it has
/// read changes. The turn must not have had an effect on others, which is misuse where they answer.
void idle(const std::source_location& site = std::source_location::current());

/// The same for a loop that ends when `predicate` holds: true once it does, false for another turn.
/// The predicate reads atomics, as that of await. An exhaustive search waits for it, without a
/// graph for each value that does not help; the other strategies evaluate it once per turn.
template <class Predicate>
bool idle(Predicate&& predicate,
          const std::source_location& site = std::source_location::current()) {
  bool holds = false;
  if (!detail::begin_idle(site)) {
    try {
      holds = static_cast<bool>(predicate());
    } catch (...) {
      detail::end_look(true, site);
      throw;
    }
    detail::end_look(holds, site);
    return holds;
  }
  await([&] { return holds = static_cast<bool>(predicate()); }, site);
  return holds;
}

}  // namespace pto2::model
