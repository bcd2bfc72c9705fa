/// A chip as data, and the map between its cores, their names, blocks and schedulers. Whoever needs
/// one from another asks here.
///
/// A chip has equal blocks of cube and vector cores. A cluster is a block that a user has allocated
/// (core/cluster_pool.hpp), so cluster c is block c. Cores are numbered type by type, and block by
/// block within a type: first the cubes of block 0, those of block 1, .., then the vector cores.
/// Blocks are dealt to the schedulers in turn: block b, with all its cores, belongs to scheduler
/// b mod `schedulers`.
///
///   CH-I1: each core has one place, its type, block and rank there, and each place one core.
///   CH-I2: each core belongs to one scheduler, that of its block.
///   CH-I3: each core has a name of its own: the cubes "aic0", "aic1", .., the vector cores "aiv0",
///          "aiv1", .., in the order of their numbers.
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

/// Core types. The values are those of PTO2WorkerType.
enum class CoreType : uint8_t { cube = 0, vector = 1 };
inline constexpr uint32_t core_types = 2;

/// The cluster of a task that may use any.
inline constexpr int16_t any_cluster = -1;

/// The most that a chip may have. Products of these do not overflow.
inline constexpr uint32_t max_blocks = 1024;
inline constexpr uint32_t max_cores_per_block = 64;  ///< of one type
inline constexpr uint32_t max_cores = 4096;          ///< in all

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

  [[nodiscard]] constexpr uint32_t cores_per_block(CoreType type) const {
    return type == CoreType::cube ? cubes_per_block : vectors_per_block;
  }
  [[nodiscard]] constexpr uint32_t cores(CoreType type) const {
    return blocks * cores_per_block(type);
  }
  /// Number of all cores; they are 0..cores() - 1.
  [[nodiscard]] constexpr uint32_t cores() const {
    return cores(CoreType::cube) + cores(CoreType::vector);
  }

  [[nodiscard]] constexpr uint32_t core_at(const CorePlace& place) const {
    PTO2_INVARIANT("CH-P2", place.block < blocks && place.index < cores_per_block(place.type));
    return first_core(place.type) + place.block * cores_per_block(place.type) + place.index;
  }
  [[nodiscard]] constexpr CorePlace place_of(uint32_t core) const {
    const CoreType type = type_of(core);
    const uint32_t rank = core - first_core(type);
    const CorePlace place{type, rank / cores_per_block(type), rank % cores_per_block(type)};
    PTO2_INVARIANT("CH-I1", core_at(place) == core);
    return place;
  }
  [[nodiscard]] constexpr CoreType type_of(uint32_t core) const {
    PTO2_INVARIANT("CH-P2", core < cores());
    return core < cores(CoreType::cube) ? CoreType::cube : CoreType::vector;
  }

  [[nodiscard]] constexpr uint32_t scheduler_of_block(uint32_t block) const {
    PTO2_INVARIANT("CH-P2", block < blocks);
    return block % schedulers;
  }
  [[nodiscard]] constexpr uint32_t scheduler_of(uint32_t core) const {
    return scheduler_of_block(place_of(core).block);
  }

  /// Calls visit(core) for the cores of a block, the cubes first.
  template <class Visitor>
  constexpr void for_each_core_of_block(uint32_t block, Visitor&& visit) const {
    for (const CoreType type : {CoreType::cube, CoreType::vector}) {
      for (uint32_t i = 0; i < cores_per_block(type); ++i) visit(core_at({type, block, i}));
    }
  }
  /// Calls visit(core) for the cores of a scheduler, block by block.
  template <class Visitor>
  constexpr void for_each_core_of_scheduler(uint32_t scheduler, Visitor&& visit) const {
    PTO2_INVARIANT("CH-P2", scheduler < schedulers);
    for (uint32_t block = scheduler; block < blocks; block += schedulers) {
      for_each_core_of_block(block, visit);
    }
  }

  [[nodiscard]] std::string core_name(uint32_t core) const;

  friend bool operator==(const Chip&, const Chip&) = default;

 private:
  [[nodiscard]] constexpr uint32_t first_core(CoreType type) const {
    return type == CoreType::cube ? 0 : cores(CoreType::cube);
  }
};

/// A number of a chip, as users write it.
struct ChipNumber {
  const char* name;
  uint32_t Chip::*member;
  uint32_t low, high;
};
/// All of them.
[[nodiscard]] std::span<const ChipNumber> chip_numbers();

/// Throws ConfigError for what is out of range, and for numbers that do not fit each other.
void validate(const Chip& chip);

/// "24 blocks of 1 cube and 2 vector cores, 3 schedulers"
[[nodiscard]] std::string shape_text(const Chip& chip);

/// The chips that are known by name; the first is the default.
[[nodiscard]] std::span<const Chip> known_chips();

}  // namespace pto2
