/// Sequentially consistent memory for a simulation (simulated.hpp): no value but the newest is ever
/// seen. Of weak memory (weak_memory.hpp) it has the interface, and nothing to do.
#pragma once

#include <typeinfo>

#include "core/assert.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/weakening.hpp"

namespace pto2::executors {

class SequentialMemory {
 public:
  static constexpr const char* name = "seeded";
  static constexpr bool is_weak = false;
  using Options = SeededOptions;

  /// Plain data that is written while anybody else is in the middle of an access is in a race.
  class Accesses {
   public:
    void begin(bool writes, const std::type_info& type) {
      touch(writes, type);
      under_way_ += writes ? -1 : 1;
    }
    void end(bool writes, const std::type_info&) { under_way_ -= writes ? -1 : 1; }
    void touch(bool writes, const std::type_info&) const {
      PTO2_INVARIANT("nobody else accesses a cell that is written",
                     under_way_ == 0 || (!writes && under_way_ > 0));
    }

   private:
    int32_t under_way_ = 0;  // readers, or -1: a writer
  };

  struct Location {};
  class Entries {
   public:
    explicit Entries(std::size_t) {}
    static bool is_late(SequentialMemory*, uint64_t) { return false; }
    static void pass_on(SequentialMemory*, uint64_t) {}
  };

  explicit SequentialMemory(const Options&) {}
  static const SeededOptions& schedule_of(const Options& options) { return options; }
  /// It has no effect.
  static constexpr std::memory_order order(const OrderUse& use) { return use.site->order; }

  static void begin(std::size_t) {}
  static void switch_to(uint32_t) {}
  static uint64_t load(const Location&, uint64_t newest, std::memory_order) { return newest; }
  static void store(Location&, uint64_t, uint64_t, std::memory_order) {}
  static void update(Location&, uint64_t, uint64_t, std::memory_order) {}
  static uint64_t load_to_compare(const Location&, uint64_t newest, uint64_t, std::memory_order) {
    return newest;
  }
  static void tell(uint32_t) {}
  static void begin_look() {}
  static bool has_missed() { return false; }
};

}  // namespace pto2::executors
