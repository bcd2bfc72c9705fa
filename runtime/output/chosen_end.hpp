/// How a program ends by its own choice. Code of the user's can end its process with any status, by
/// _exit() for one, so whoever waits for the process goes by what it has chosen.
#pragma once

#include <atomic>

namespace pto2::cli {

/// In the place of a code that was not chosen.
inline constexpr int nothing_chosen = -1;

/// From now on the code that this process, and none that it forks, chooses is left in `place`, too,
/// memory that is shared with the process that waits.
void leave_choice_in(std::atomic<int>* place);

/// The program is at its end, and main() returns `code`. Returns it. Async-signal-safe.
int chosen(int code);
/// Ends the process now. Async-signal-safe.
[[noreturn]] void end_at_once(int code);

}  // namespace pto2::cli
