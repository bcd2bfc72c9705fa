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

/// A digest of the memory from `begin` to `end`, added to `digest`.
std::uint64_t digest_of(const void* begin, const void* end, std::uint64_t digest);

}  // namespace pto2::model::engine
