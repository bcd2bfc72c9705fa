/// Sequentially consistent memory for a simulation (runtime/executors/simulated.hpp) that keeps a
/// ledger of the cache lines its threads hold. Each logical thread is a CPU of its own, as on a
/// chip and on the executor `threads`.
///
/// A structure is what the order site of an access is named after: P::order() is asked by the same
/// thread right before. Where no team runs, nothing is counted.
#pragma once

#include <string_view>
#include <vector>

#include "bench/cache_ledger.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/weakening.hpp"

namespace pto2::bench {

struct LedgerOptions {
  executors::SeededOptions schedule;
  CacheLedger* ledger = nullptr;  ///< outlives the team
};

class LedgerMemory {
 public:
  static constexpr const char* name = "ledger";
  static constexpr bool is_weak = false;
  using Options = LedgerOptions;
  /// It takes no room, and so has the address of its atomic, or one in the same line.
  struct Location {};

  explicit LedgerMemory(const Options& options) : ledger_(*options.ledger) {}
  static const executors::SeededOptions& schedule_of(const Options& options) {
    return options.schedule;
  }
  /// The access of the running thread that follows is one for this site.
  static std::memory_order order(const OrderUse& use);

  /// Throws std::runtime_error if there are more threads than a ledger has room for.
  void begin(std::size_t threads);
  void switch_to(uint32_t thread) { self_ = thread; }

  // Accesses of the running thread to atomics.

  uint64_t load(const Location& location, uint64_t newest, std::memory_order) {
    ledger_.read(self_, &location, 1, structures_[self_]);
    return newest;
  }
  void store(const Location& location, uint64_t, uint64_t, std::memory_order) { own(location); }
  void update(const Location& location, uint64_t, uint64_t, std::memory_order) { own(location); }
  /// It takes the line from others even if it fails, as the instruction does.
  uint64_t load_to_compare(const Location& location, uint64_t newest, uint64_t, std::memory_order) {
    own(location);
    return newest;
  }

  /// Of the running thread to plain data.
  void touch(bool writes, const void* data, std::size_t bytes, std::string_view structure) {
    if (writes) return ledger_.write(self_, data, bytes, structure);
    ledger_.read(self_, data, bytes, structure);
  }

  static void tell(uint32_t) {}
  static void begin_look() {}
  static bool has_missed() { return false; }

 private:
  void own(const Location& location) { ledger_.write(self_, &location, 1, structures_[self_]); }

  CacheLedger& ledger_;
  std::vector<std::string_view> structures_;  // of the next access of each thread
  uint32_t self_ = 0;
};

}  // namespace pto2::bench
