#include "stress/simulation/run_hash.hpp"

#include <string_view>

namespace pto2::simulations {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), by words.
class Hash {
 public:
  void add(uint64_t value) { state_ = (state_ ^ value) * 0x100000001b3; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  [[nodiscard]] uint64_t value() const { return state_ == 0 ? 1 : state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

uint64_t hash_of(const RunResult& result) {
  Hash hash;
  hash.add(result.record.error);
  for (const CountRow& row : count_table()) {
    // What differs from one machine to another is no part of a schedule.
    if (row.member != &Counts::kernel_ticks) hash.add(result.*row.member);
  }
  for (const Event& event : result.record.events) {
    const auto lacking = event.lacking ? 1 + static_cast<uint64_t>(*event.lacking) : 0;
    for (const uint64_t value :
         {event.t, event.task.value, event.scope, event.group, event.requested,
          uint64_t{event.thread} << 32 | event.part,
          uint64_t{event.place} << 16 | lacking << 8 | static_cast<uint64_t>(event.kind)}) {
      hash.add(value);
    }
  }
  return hash.value();
}

}  // namespace pto2::simulations
