#include "runtime/run/argument_blocks.hpp"

namespace pto2 {

namespace {

/// Whoever takes the number of parameters from a PTOCall that a kernel has overwritten stays in
/// this memory: it lies in front of the first chunk, and behind the last.
constexpr std::size_t margin = ArgumentBlocks::bytes_of(max_params);

}  // namespace

ArgumentBlocks::ArgumentBlocks(uint32_t window)
    : memory_(2 * margin + most_chunks(window) * chunk_bytes),
      used_(std::size_t{1}),
      next_(memory_.data() + margin),
      end_(next_ + chunk_bytes) {}

void ArgumentBlocks::keep_memory() {
  memory_.keep_for_the_next(2 * margin + used_ * chunk_bytes);
}

/// A full chunk lacks less than the lines of one task. All tasks in those between the oldest and
/// the newest are alive.
std::size_t ArgumentBlocks::most_chunks(uint32_t window) {
  constexpr std::size_t most = bytes_of(max_params);
  constexpr std::size_t least_used = chunk_bytes - most + cache_line;
  return window * most / least_used + 3;
}

[[gnu::noinline]] void ArgumentBlocks::make_room(uint64_t local, uint64_t alive) {
  full_.push_back({end_ - chunk_bytes, local - 1});
  if (full_.front().last < alive) {
    next_ = full_.front().begin;
    full_.pop_front();
  } else {
    next_ = memory_.data() + margin + used_++ * chunk_bytes;
    PTO2_INVARIANT("AB-I2", next_ + chunk_bytes + margin <= memory_.data() + memory_.size());
  }
  end_ = next_ + chunk_bytes;
}

}  // namespace pto2
