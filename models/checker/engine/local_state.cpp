#include "models/checker/engine/local_state.hpp"

#include <link.h>
#include <pthread.h>
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

namespace {

/// Calls `visit` for each word, with its address.
template <class Visit>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void for_each_word(const Region& region,
                                                                         Visit&& visit) {
  const auto* at = static_cast<const std::uint64_t*>(region.begin);
  const std::size_t bytes = static_cast<std::size_t>(static_cast<const char*>(region.end) -
                                                     static_cast<const char*>(region.begin));
  for (const auto* const end = at + bytes / sizeof *at; at != end; ++at) {
    visit(reinterpret_cast<std::uintptr_t>(at), *at);
  }
  if (bytes % sizeof *at == 0) return;
  const auto* const rest = reinterpret_cast<const unsigned char*>(at);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes % sizeof *at; ++i) word = word << 8 | rest[i];
  visit(reinterpret_cast<std::uintptr_t>(at), word);
}

}  // namespace

std::uint64_t digest_of(const Region& region, std::uint64_t digest) {
  for_each_word(region, [&](std::uintptr_t, std::uint64_t word) { digest = mixed(digest, word); });
  return digest;
}

std::uint64_t sum_of(const Region& region) {
  std::uint64_t sum = 0;
  for_each_word(region, [&](std::uintptr_t address, std::uint64_t word) {
    sum += mixed(mixed(0, address), word);
  });
  return sum;
}

std::uint64_t sum_of_globals() {
  // The executable comes first.
  const auto visit = [](dl_phdr_info* object, std::size_t, void* result) {
    std::uint64_t& sum = *static_cast<std::uint64_t*>(result);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr + 7) / 8 * 8;
      const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
      sum += sum_of({reinterpret_cast<const void*>(begin), reinterpret_cast<const void*>(end)});
    }
    return 1;
  };
  std::uint64_t sum = 0;
  dl_iterate_phdr(visit, &sum);
  return sum;
}

Region stack_from(const void* frame) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const char* const end = static_cast<const char*>(lowest) + bytes;
  return frame < lowest || frame >= end ? Region{} : Region{frame, end};
}

std::optional<std::uint64_t> local_state(const void* stack_top) {
  if (preserved.empty() || !locals_are_on_the_stack()) return {};
  Frames frames;
  _Unwind_Backtrace(visit, &frames);
  if (frames.program == nullptr) return {};
  return digest_of({frames.program, stack_top}, frames.digest);
}

}  // namespace pto2::model::engine
