/// A chip as data, and the map between its cores, their names, blocks and schedulers. Whoever needs
/// one from another asks here.
///
/// A chip has equal blocks of cube and vector cores. A cluster is a block that a user has allocated
/// (core/cluster_pool.hpp), so cluster c is block c. Cores are numbered type by type, and block by
/// block within a type: first the cubes of block 0, those of block 1, .., then the vector cores.
/// Blocks are dealt to the schedulers in turn: block b, with all its cores, belongs to scheduler
/// b mod `schedulers`.
///
/// Beside the blocks a chip may have accelerators: devices with the mailbox of a core, which belong
/// to no block. They are the last cores and are dealt in turn, too: accelerator a belongs to
/// scheduler a mod `schedulers`. A scheduler's own thread runs the tasks of type AI_CPU. It has no
/// mailbox and is no core, but where a core is named it stands as one: after the cores() there are,
/// scheduler s has the number cores() + s.
///
///   CH-I1: each core of a block has one place, its type, block and rank there, and each place one
///          core.
///   CH-I2: each core belongs to one scheduler: that of its block, or the accelerator's.
///   CH-I3: each core has a name of its own: the cubes "aic0", "aic1", .., the vector cores "aiv0",
///          "aiv1", .., the accelerators "acc0", "acc1", .., in the order of their numbers; and
///          scheduler s as one "cpu" and s.
///
/// All but validate() require
///   CH-P1: the chip is valid.
///   CH-P2: the core, block or scheduler is one of the chip's.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/assert.hpp"
#include "core/parked_schedulers.hpp"

namespace pto2 {

/// What a task runs on. The values are those of PTO2WorkerType.
enum class CoreType : uint8_t {
  cube = 0,
  vector = 1,
  ai_cpu = 2,       ///< no core: the thread of the scheduler that popped the task
  accelerator = 3,  ///< a core of no block
};
inline constexpr uint32_t core_types = 4;
/// Those of the cores of a block are the first ones.
inline constexpr uint32_t block_core_types = 2;

/// "cube", "vector", "ai_cpu", "accelerator": as traces have it.
[[nodiscard]] const char* core_type_name(CoreType type);

/// The cluster of a task that may use any.
inline constexpr int16_t any_cluster = -1;

/// Where a task may run, and what it is apart from a kernel and arguments. No bit-fields: a struct
/// that has some is copied through the stack by GCC, in pieces that do not match, and each such
/// copy stalls a core for the store to finish.
struct TaskRoute {
  int16_t cluster = any_cluster;  ///< whose cores alone may run it, or its part 0
  CoreType type = CoreType::cube;
  bool is_block = false;   ///< a block task
  bool has_pipes = false;  ///< some of its arguments are pipes; only with a cluster
};
static_assert(sizeof(TaskRoute) == 6);

/// The most that a chip may have. Products of these do not overflow.
inline constexpr uint32_t max_blocks = 1024;
inline constexpr uint32_t max_cores_per_block = 64;  ///< of one type
inline constexpr uint32_t max_accelerators = 64;
inline constexpr uint32_t max_cores = 4096;  ///< in all

/// Where a core is: of the cores of one type in one block, the one of this index.
struct CorePlace {
  CoreType type;
  uint32_t block;
  uint32_t index;

  friend bool operator==(const CorePlace&, const CorePlace&) = default;
};

struct Chip {
  std::string name;  ///< for reports
  uint32_t blocks = 1;
  uint32_t cubes_per_block = 1;
  uint32_t vectors_per_block = 1;
  uint32_t schedulers = 1;  ///< threads that serve the cores; not more than blocks
  uint32_t accelerators = 0;

  [[nodiscard]] constexpr uint32_t cores_per_block(CoreType type) const {
    if (type == CoreType::cube) return cubes_per_block;
    return type == CoreType::vector ? vectors_per_block : 0;
  }
  [[nodiscard]] constexpr uint32_t cores(CoreType type) const {
    return type == CoreType::accelerator ? accelerators : blocks * cores_per_block(type);
  }
  /// Number of all cores; they are 0..cores() - 1.
  [[nodiscard]] constexpr uint32_t cores() const { return cores_of_blocks() + accelerators; }
  /// Number of all that run tasks: the cores, then the schedulers.
  [[nodiscard]] constexpr uint32_t workers() const { return cores() + schedulers; }
  /// What scheduler `scheduler` is called where a core is named.
  [[nodiscard]] constexpr uint32_t worker_of_scheduler(uint32_t scheduler) const {
    PTO2_INVARIANT("CH-P2", scheduler < schedulers);
    return cores() + scheduler;
  }
  /// True if a task of this type can be run.
  [[nodiscard]] constexpr bool runs(CoreType type) const {
    return type == CoreType::ai_cpu || cores(type) != 0;
  }

  [[nodiscard]] constexpr uint32_t core_at(const CorePlace& place) const {
    PTO2_INVARIANT("CH-P2", place.block < blocks && place.index < cores_per_block(place.type));
    return first_core(place.type) + place.block * cores_per_block(place.type) + place.index;
  }
  [[nodiscard]] constexpr bool is_in_block(uint32_t core) const {
    PTO2_INVARIANT("CH-P2", core < workers());
    return core < cores_of_blocks();
  }
  /// Requires a core of a block.
  [[nodiscard]] constexpr CorePlace place_of(uint32_t core) const {
    PTO2_INVARIANT("CH-P2", core < cores_of_blocks());
    const CoreType type = type_of(core);
    const uint32_t rank = core - first_core(type);
    const CorePlace place{type, rank / cores_per_block(type), rank % cores_per_block(type)};
    PTO2_INVARIANT("CH-I1", core_at(place) == core);
    return place;
  }
  /// Also of a scheduler, under the number it has as a core.
  [[nodiscard]] constexpr CoreType type_of(uint32_t core) const {
    PTO2_INVARIANT("CH-P2", core < workers());
    if (core < cores_of_blocks()) {
      return core < cores(CoreType::cube) ? CoreType::cube : CoreType::vector;
    }
    return core < cores() ? CoreType::accelerator : CoreType::ai_cpu;
  }

  [[nodiscard]] constexpr uint32_t scheduler_of_block(uint32_t block) const {
    PTO2_INVARIANT("CH-P2", block < blocks);
    return block % schedulers;
  }
  [[nodiscard]] constexpr uint32_t scheduler_of_accelerator(uint32_t accelerator) const {
    PTO2_INVARIANT("CH-P2", accelerator < accelerators);
    return accelerator % schedulers;
  }
  /// A scheduler, under the number it has as a core, is its own.
  [[nodiscard]] constexpr uint32_t scheduler_of(uint32_t core) const {
    PTO2_INVARIANT("CH-P2", core < workers());
    if (core < cores_of_blocks()) return scheduler_of_block(place_of(core).block);
    return core < cores() ? scheduler_of_accelerator(core - cores_of_blocks()) : core - cores();
  }

  /// Calls visit(core) for the cores of a block, the cubes first.
  template <class Visitor>
  constexpr void for_each_core_of_block(uint32_t block, Visitor&& visit) const {
    for (const CoreType type : {CoreType::cube, CoreType::vector}) {
      for (uint32_t i = 0; i < cores_per_block(type); ++i) visit(core_at({type, block, i}));
    }
  }
  /// Calls visit(core) for the accelerators.
  template <class Visitor>
  constexpr void for_each_accelerator(Visitor&& visit) const {
    for (uint32_t core = cores_of_blocks(); core < cores(); ++core) visit(core);
  }
  /// Calls visit(core) for the cores of a scheduler, block by block, then its accelerators.
  template <class Visitor>
  constexpr void for_each_core_of_scheduler(uint32_t scheduler, Visitor&& visit) const {
    PTO2_INVARIANT("CH-P2", scheduler < schedulers);
    for (uint32_t block = scheduler; block < blocks; block += schedulers) {
      for_each_core_of_block(block, visit);
    }
    for (uint32_t a = scheduler; a < accelerators; a += schedulers) visit(cores_of_blocks() + a);
  }

  [[nodiscard]] std::string core_name(uint32_t core) const;

  friend bool operator==(const Chip&, const Chip&) = default;

 private:
  [[nodiscard]] constexpr uint32_t cores_of_blocks() const {
    return cores(CoreType::cube) + cores(CoreType::vector);
  }
  /// A core or a scheduler.
  [[nodiscard]] constexpr uint32_t first_core(CoreType type) const {
    switch (type) {
      case CoreType::cube:
        return 0;
      case CoreType::vector:
        return cores(CoreType::cube);
      case CoreType::accelerator:
        return cores_of_blocks();
      case CoreType::ai_cpu:
        return cores();
    }
    return 0;
  }
};

/// A number of a chip, as users write it.
struct ChipNumber {
  const char* name;
  uint32_t Chip::*member;
  uint32_t low, high;
  bool optional = false;  ///< a chip file may leave it out, which means `low`
};
/// All of them.
[[nodiscard]] std::span<const ChipNumber> chip_numbers();

/// Throws ConfigError for what is out of range, and for numbers that do not fit each other.
void validate(const Chip& chip);

/// "24 blocks of 1 cube and 2 vector cores, 3 schedulers", and ", 2 accelerators" if there are any
[[nodiscard]] std::string shape_text(const Chip& chip);

/// The chips that are known by name; the first is the default.
[[nodiscard]] std::span<const Chip> known_chips();

}  // namespace pto2
