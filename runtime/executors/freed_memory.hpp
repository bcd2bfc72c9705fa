/// For programs that make many runs, one after the other.
#pragma once

namespace pto2::executors {

/// From here on the process keeps what it frees for what it allocates next. The C library would
/// give the top of its heap back after each run, and the next run ask for it again, page by page:
/// a quarter of the time of a small simulated run. Does nothing with another C library than glibc.
void keep_freed_memory();

}  // namespace pto2::executors
