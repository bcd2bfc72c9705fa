/// Code of the user's that runs outside of a launch: images that are loaded, and an orchestration
/// whose calls are recorded.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/run/error.hpp"

namespace pto2::simulations {

/// Ends the process as one ends in the middle of a run: with the exit code of a runtime fault,
/// after a message on stderr.
[[noreturn]] void end_with(const RunError& error);

/// Calls body(). If that calls exit() or crashes, throws something, or has not returned for
/// `deadline_ms` (0: it need not), the process ends in that way, and the message is about `who`. It
/// is not left, since it may be in code of ours: which throws LoadError and, once there is no more
/// memory, std::bad_alloc, as this function does then. It throws std::system_error if the system
/// refuses an OS thread.
void call_guarded(const char* who, uint64_t deadline_ms, const std::function<void()>& body);

}  // namespace pto2::simulations
