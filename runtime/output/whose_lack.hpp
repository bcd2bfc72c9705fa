/// Whose a lack of memory is, where no exception may pass. Code of the user's may ask for what no
/// machine has: that ends as any other exception of theirs does there.
#pragma once

#include <atomic>
#include <new>

namespace pto2::cli {

/// Of main()'s thread, and each that the program has beside a run of the user's code; that may run
/// there, too, and may start others.
inline constinit thread_local bool is_own_thread = false;

/// On such a thread: whether code of the user's runs there, and has met the lack. Null: none of it
/// runs anywhere, so the lack is the program's.
inline constinit std::atomic<bool (*)(const std::bad_alloc&)> is_lack_of_users{nullptr};

}  // namespace pto2::cli
