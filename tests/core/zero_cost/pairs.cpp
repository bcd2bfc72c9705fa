/// Pairs of functions, policy_X and hand_X: the same step of a protocol, once through core and the
/// hardware policy, once written by hand on std::atomic. zero_cost_test compares their code.
#include <atomic>
#include <cstdint>

#include "core/task_word.hpp"
#include "core/watermark.hpp"
#include "runtime/executors/hardware.hpp"

using Word = pto2::TaskWord<pto2::executors::Hardware>;
using Mark = pto2::Watermark<pto2::executors::Hardware>;
using Node = pto2::DependencyNode<pto2::executors::Hardware>;

namespace {

constexpr uint64_t count_mask = (uint64_t{1} << 20) - 1;
constexpr uint64_t closed_bit = uint64_t{1} << 20;
constexpr uint64_t head_mask = ((uint64_t{1} << 22) - 1) << 21;
constexpr uint64_t id_mask = ~uint64_t{0} << 43;

uint64_t id_bits(uint64_t id) {
  return (id & ((uint64_t{1} << 62) - 1)) << 43;
}

/// What hand-written code keeps of the invariants.
void require(bool condition, const char* id, const char* what, int line) {
  if (!condition) [[unlikely]]
    pto2::invariant_violated(id, what, "core/task_word.hpp", line);
}

}  // namespace

extern "C" {

void policy_open(Word& word, uint64_t id) {
  word.open({id});
}
void hand_open(std::atomic<uint64_t>& word, uint64_t id) {
  word.store(((id & ((uint64_t{1} << 62) - 1)) << 43) | 2, std::memory_order_relaxed);
}

bool policy_drop(Word& word) {
  return word.drop();
}
bool hand_drop(std::atomic<uint64_t>& word) {
  const uint64_t before = word.fetch_sub(1, std::memory_order_seq_cst);
  if ((before & count_mask) > 1) return false;
  require((before & count_mask) != 0, "TW-I1", "count", 1);
  return (before & closed_bit) != 0;
}

uint64_t policy_close(Word& word) {
  const pto2::Closed closed = word.close();
  return uint64_t{closed.head.value} << 1 | (closed.consumed ? 1 : 0);
}
uint64_t hand_close(std::atomic<uint64_t>& word) {
  const uint64_t before = word.fetch_add(closed_bit - 1, std::memory_order_seq_cst);
  require((before & closed_bit) == 0, "TS-I1", "closed", 2);
  require((before & count_mask) != 0, "TW-I1", "count", 3);
  const auto head = static_cast<uint32_t>((before & head_mask) >> 21);
  return uint64_t{head} << 1 | ((before & count_mask) == 1 ? 1 : 0);
}

bool policy_consumed(const Word& word, uint64_t id) {
  return word.is_consumed({id});
}
bool hand_consumed(const std::atomic<uint64_t>& word, uint64_t id) {
  const uint64_t bits = (id & ((uint64_t{1} << 62) - 1)) << 43;
  return (word.load(std::memory_order_seq_cst) & ~head_mask) == (bits | closed_bit);
}

int policy_claim(Word& word, uint64_t id, uint32_t place, Node& node, uint64_t& retries) {
  return static_cast<int>(word.claim({id}, {place}, node, retries));
}
int hand_claim(std::atomic<uint64_t>& target, uint64_t id, uint32_t place, uint32_t& next,
               uint64_t& retries) {
  uint64_t word = target.load(std::memory_order_acquire);
  for (;; ++retries) {
    const uint64_t rest = word & ~head_mask;
    if (rest - id_bits(id) >= count_mask) break;
    next = static_cast<uint32_t>((word & head_mask) >> 21);
    const uint64_t linked = rest + (uint64_t{place} << 21) + 1;
    if (target.compare_exchange_strong(word, linked, std::memory_order_release,
                                       std::memory_order_acquire)) {
      return 0;
    }
  }
  for (uint64_t closed = word;; ++retries) {
    const uint64_t count = (closed & ~head_mask) - (id_bits(id) | closed_bit);
    if (count == 0) return 2;
    if (!(count < count_mask || (closed & id_mask) == id_bits(id))) [[unlikely]]
      require(false, "TW-I4", "id", 4);
    require(count < count_mask, "TW-I1", "count", 5);
    if (target.compare_exchange_strong(closed, closed + 1, std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
      return 1;
    }
  }
}

int policy_advance(Mark& mark, uint64_t consumed, const Word* words, uint64_t mask) {
  return static_cast<int>(mark.advance(
      consumed, [&](uint64_t local) { return words[local & mask].is_consumed({local}); },
      [](uint64_t) {}));
}
int hand_advance(std::atomic<uint64_t>& mark, uint64_t consumed, const std::atomic<uint64_t>* words,
                 uint64_t mask) {
  uint64_t alive = mark.load(std::memory_order_seq_cst);
  if (alive != consumed) return 1;
  for (;;) {
    if (!mark.compare_exchange_strong(alive, alive + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return 2;
    }
    ++alive;
    const uint64_t bits = (alive & ((uint64_t{1} << 62) - 1)) << 43;
    const uint64_t word = words[alive & mask].load(std::memory_order_seq_cst);
    if ((word & ~head_mask) != (bits | closed_bit)) return 0;
  }
}

uint64_t policy_observe(const Mark& mark) {
  return mark.observe();
}
uint64_t hand_observe(const std::atomic<uint64_t>& mark) {
  return mark.load(std::memory_order_acquire);
}

// The canary: one operation more than its partner.
void policy_canary(std::atomic<uint64_t>& word) {
  word.store(1, std::memory_order_seq_cst);
}
void hand_canary(std::atomic<uint64_t>& word) {
  word.store(1, std::memory_order_relaxed);
}

}  // extern "C"
