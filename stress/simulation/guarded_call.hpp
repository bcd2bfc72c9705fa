/// Code of the user's that runs outside of a launch: images that are loaded, and an orchestration
/// whose calls are recorded.
#pragma once

#include <cstdint>
#include <functional>

namespace pto2::simulations {

/// Calls body(). If that calls exit() or crashes, or has not returned for `deadline_ms` (0: it need
/// not), the process ends as one does in the middle of a run: with the exit code of a runtime
/// fault, after a message on stderr about `who`. It is not left, since it may be in code of ours.
/// Throws what body() does, and std::system_error if the system refuses an OS thread.
void call_guarded(const char* who, uint64_t deadline_ms, const std::function<void()>& body);

}  // namespace pto2::simulations
