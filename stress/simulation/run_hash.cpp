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
  hash.add(static_cast<uint64_t>(result.error.code));
  for (const uint64_t count :
       {result.tasks, result.edges_linked, result.edges_early, result.holds, result.dispatches,
        result.loans, result.completions, result.steals, result.cas_retries, result.waits,
        result.wait_ticks, result.scheduler_parks, result.peak_window, result.points}) {
    hash.add(count);
  }
  for (const EventLog& log : result.events) {
    hash.add(log.thread());
    for (const Event& event : log.events()) {
      hash.add(event.tick);
      hash.add(event.task.value);
      hash.add(uint64_t{event.detail} << 32 | uint64_t{event.part} << 8 |
               static_cast<uint64_t>(event.kind));
    }
  }
  return hash.value();
}

}  // namespace pto2::simulations
