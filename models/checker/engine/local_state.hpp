#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pto2::model::engine {

/// A digest of what a function of the program goes on with when it has called this library from the
/// fiber that runs: its registers and its frames, with those of its callers, up to `stack_top`.
/// When it is the same at one place twice and memory elsewhere is the same as well, the program
/// does the same from there on if it reads the same. None where it cannot be taken, as with another
/// processor than x86-64.
std::optional<std::uint64_t> local_state(const void* stack_top);

/// Gives the same content to what lies below the caller's frame on its stack of `stack_bytes`, or
/// to as much of it as matters. Frames have parts that nobody sets, which count in a local state;
/// they must not come from what ran there before.
void paint_stack(std::size_t stack_bytes);

/// Memory from `begin` to `end`, or none.
struct Region {
  const void* begin = nullptr;
  const void* end = nullptr;
};

/// Adds the content of memory, whose beginning is aligned for words, to a digest.
std::uint64_t digest_of(const Region& region, std::uint64_t digest);
/// The content of such memory as a sum over its words: what one who changes it adds to the sum is
/// the same whatever others have changed meanwhile.
std::uint64_t sum_of(const Region& region);
/// The same for the global variables of the executable.
std::uint64_t sum_of_globals();
/// The stack of this OS thread from `frame` on to its end; none if `frame` is elsewhere.
Region stack_from(const void* frame);

}  // namespace pto2::model::engine
