#include "models/checker/engine/local_state.hpp"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pto2/checker/detail.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace pto2::model::engine {

namespace {

#if defined(__x86_64__)
/// DWARF numbers of the registers that a call preserves: rbx, rbp, r12 to r15.
constexpr std::array<int, 6> preserved = {3, 6, 12, 13, 14, 15};
#else
constexpr std::array<int, 0> preserved = {};
#endif

std::uint64_t mixed(std::uint64_t digest, std::uint64_t word) {
  return std::rotl((digest ^ word) * 0x9e3779b97f4a7c15, 29);
}

/// Whether a function is one through which programs call the library in a loop that spins.
bool is_entrance(std::uintptr_t function) {
  return function == reinterpret_cast<std::uintptr_t>(&detail::load) ||
         function == reinterpret_cast<std::uintptr_t>(&detail::update);
}

struct Frames {
  bool entrance_seen = false;
  const void* program = nullptr;  ///< where the program's frames begin
  std::uint64_t digest = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Frames& frames = *static_cast<Frames*>(argument);
  if (!frames.entrance_seen) {
    frames.entrance_seen = is_entrance(_Unwind_GetRegionStart(context));
    return _URC_NO_REASON;
  }
  for (const int number : preserved) {
    frames.digest = mixed(frames.digest, _Unwind_GetGR(context, number));
  }
  frames.digest = mixed(frames.digest, _Unwind_GetIP(context));
  frames.program = reinterpret_cast<const void*>(_Unwind_GetCFA(context));
  return _URC_NORMAL_STOP;
}

/// With AddressSanitizer, locals may lie outside of the stack.
bool locals_are_on_the_stack() {
#if defined(__SANITIZE_ADDRESS__)
  return __asan_get_current_fake_stack() == nullptr;
#else
  return true;
#endif
}

}  // namespace

[[gnu::noinline]] void paint_stack(std::size_t stack_bytes) {
  const std::size_t bytes = std::min<std::size_t>(stack_bytes / 2, 16 * 1024);
  void* const area = __builtin_alloca(bytes);
  std::memset(area, 0xa5, bytes);
  asm volatile("" : : "r"(area) : "memory");  // or the compiler leaves it out
}

[[gnu::no_sanitize_address]] std::uint64_t digest_of(const void* begin, const void* end,
                                                     std::uint64_t digest) {
  for (const auto* word = static_cast<const std::uint64_t*>(begin); word < end; ++word) {
    digest = mixed(digest, *word);
  }
  return digest;
}

std::optional<std::uint64_t> local_state(const void* stack_top) {
  if (preserved.empty() || !locals_are_on_the_stack()) return {};
  Frames frames;
  _Unwind_Backtrace(visit, &frames);
  if (frames.program == nullptr) return {};
  return digest_of(frames.program, stack_top, frames.digest);
}

}  // namespace pto2::model::engine
