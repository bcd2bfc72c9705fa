/// A chip as data, and the map between its cores, their names, clusters and schedulers. Whoever
/// needs one from another asks here.
///
/// A chip has equal clusters of cube and vector cores. Users number and write them as blocks
/// (`--blocks`, `cubes_per_block` in a chip file), as the original does; here a block is a task of
/// several parts. Cores are numbered type by type, and cluster by cluster within a type: first the
/// cubes of cluster 0, those of cluster 1, .., then the vector cores. Clusters are dealt to the
/// schedulers in turn: cluster c, with all its cores, belongs to scheduler c mod `schedulers`, and
/// is that one's cluster of rank c / `schedulers`.
///
/// Beside the clusters a chip may have accelerators: devices with the mailbox of a core, which
/// belong to no cluster. They are the last cores and are dealt in turn, too: accelerator a belongs
/// to scheduler a mod `schedulers`.
///
/// Cores, and schedulers, are the workers of a chip: what tasks run on. A scheduler's own thread
/// runs the tasks of type AI_CPU. Each core is the worker of its number; scheduler s is worker
/// cores() + s.
///
///   CH-I1: each core of a cluster has one place, its type, cluster and rank there, and each place
///          one core.
///   CH-I2: each core belongs to one scheduler: that of its cluster, or the accelerator's.
///   CH-I3: each core has a name of its own: the cubes "aic0", "aic1", .., the vector cores "aiv0",
///          "aiv1", .., the accelerators "acc0", "acc1", .., in the order of their numbers; and
///          scheduler s as a worker "cpu" and s.
///
/// All but validate() require
///   CH-P1: the chip is valid.
///   CH-P2: the worker, cluster or scheduler is one of the chip's.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/assert.hpp"
#include "core/ids.hpp"
#include "core/parked_schedulers.hpp"

namespace pto2 {

/// What a task runs on. The values are those of PTO2WorkerType.
enum class CoreType : uint8_t {
  cube = 0,
  vector = 1,
  ai_cpu = 2,       ///< no core: the thread of the scheduler that popped the task
  accelerator = 3,  ///< a core of no cluster
};
inline constexpr uint32_t core_types = 4;
/// Those of the cores of a cluster are the first ones.
inline constexpr uint32_t cluster_core_types = 2;

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

  [[nodiscard]] constexpr bool is_pinned() const { return cluster != any_cluster; }
  /// Of a pinned task.
  [[nodiscard]] constexpr ClusterId cluster_id() const {
    return ClusterId(static_cast<uint32_t>(cluster));
  }
};
static_assert(sizeof(TaskRoute) == 6);

/// The most that a chip may have. Products of these do not overflow.
inline constexpr uint32_t max_clusters = 1024;
inline constexpr uint32_t max_cores_per_cluster = 64;  ///< of one type
inline constexpr uint32_t max_accelerators = 64;
inline constexpr uint32_t max_cores = 4096;  ///< in all

using CoreId = Id<struct CoreKind>;

/// A core, or a scheduler where it runs tasks.
struct WorkerId {
  uint32_t value;

  explicit constexpr WorkerId(uint32_t number) : value(number) {}
  /// Each core is a worker.
  constexpr WorkerId(CoreId core) : value(core.value) {}

  friend constexpr bool operator==(const WorkerId&, const WorkerId&) = default;
};

/// Where a core is: of the cores of one type in one cluster, the one of this index.
struct CorePlace {
  CoreType type;
  ClusterId cluster;
  uint32_t index;

  friend bool operator==(const CorePlace&, const CorePlace&) = default;
};

struct Chip {
  std::string name;       ///< for reports
  uint32_t clusters = 1;  ///< users write `blocks`
  uint32_t cubes_per_cluster = 1;
  uint32_t vectors_per_cluster = 1;
  uint32_t schedulers = 1;  ///< threads that serve the cores; not more than clusters
  uint32_t accelerators = 0;

  [[nodiscard]] constexpr uint32_t cores_per_cluster(CoreType type) const {
    if (type == CoreType::cube) return cubes_per_cluster;
    return type == CoreType::vector ? vectors_per_cluster : 0;
  }
  [[nodiscard]] constexpr uint32_t cores(CoreType type) const {
    return type == CoreType::accelerator ? accelerators : clusters * cores_per_cluster(type);
  }
  /// Number of all cores; they are 0..cores() - 1.
  [[nodiscard]] constexpr uint32_t cores() const { return cores_of_clusters() + accelerators; }
  /// Number of all that run tasks.
  [[nodiscard]] constexpr uint32_t workers() const { return cores() + schedulers; }
  [[nodiscard]] constexpr WorkerId worker_of(SchedulerId scheduler) const {
    PTO2_INVARIANT("CH-P2", scheduler.value < schedulers);
    return WorkerId(cores() + scheduler.value);
  }
  /// True if a task of this type can be run.
  [[nodiscard]] constexpr bool runs(CoreType type) const {
    return type == CoreType::ai_cpu || cores(type) != 0;
  }

  [[nodiscard]] constexpr CoreId core_at(const CorePlace& place) const {
    const auto [type, cluster, index] = place;
    PTO2_INVARIANT("CH-P2", cluster.value < clusters && index < cores_per_cluster(type));
    return CoreId(first_worker(type) + cluster.value * cores_per_cluster(type) + index);
  }
  [[nodiscard]] constexpr bool is_in_cluster(WorkerId worker) const {
    PTO2_INVARIANT("CH-P2", worker.value < workers());
    return worker.value < cores_of_clusters();
  }
  /// Requires a core of a cluster.
  [[nodiscard]] constexpr CorePlace place_of(WorkerId core) const {
    PTO2_INVARIANT("CH-P2", core.value < cores_of_clusters());
    const CoreType type = type_of(core);
    const uint32_t rank = core.value - first_worker(type);
    const CorePlace place{type, ClusterId(rank / cores_per_cluster(type)),
                          rank % cores_per_cluster(type)};
    PTO2_INVARIANT("CH-I1", core_at(place).value == core.value);
    return place;
  }
  [[nodiscard]] constexpr CoreType type_of(WorkerId worker) const {
    PTO2_INVARIANT("CH-P2", worker.value < workers());
    if (worker.value < cores_of_clusters()) {
      return worker.value < cores(CoreType::cube) ? CoreType::cube : CoreType::vector;
    }
    return worker.value < cores() ? CoreType::accelerator : CoreType::ai_cpu;
  }

  [[nodiscard]] constexpr SchedulerId scheduler_of(ClusterId cluster) const {
    PTO2_INVARIANT("CH-P2", cluster.value < clusters);
    return SchedulerId(cluster.value % schedulers);
  }
  /// A scheduler, as a worker, is its own.
  [[nodiscard]] constexpr SchedulerId scheduler_of(WorkerId worker) const {
    PTO2_INVARIANT("CH-P2", worker.value < workers());
    if (is_in_cluster(worker)) return scheduler_of(place_of(worker).cluster);
    if (worker.value >= cores()) return SchedulerId(worker.value - cores());
    return SchedulerId((worker.value - cores_of_clusters()) % schedulers);
  }

  /// Number of a scheduler's clusters; they have the ranks 0, 1, ..
  [[nodiscard]] constexpr uint32_t clusters_of(SchedulerId scheduler) const {
    PTO2_INVARIANT("CH-P2", scheduler.value < schedulers);
    return (clusters - scheduler.value + schedulers - 1) / schedulers;
  }
  /// Rank of a cluster among those of its scheduler.
  [[nodiscard]] constexpr uint32_t rank_of(ClusterId cluster) const {
    PTO2_INVARIANT("CH-P2", cluster.value < clusters);
    return cluster.value / schedulers;
  }
  /// The scheduler's cluster of this rank.
  [[nodiscard]] constexpr ClusterId cluster_of(SchedulerId scheduler, uint32_t rank) const {
    PTO2_INVARIANT("CH-P2", rank < clusters_of(scheduler));
    return ClusterId(rank * schedulers + scheduler.value);
  }

  /// Calls visit(core) for the cores of a cluster, the cubes first.
  template <class Visitor>
  constexpr void for_each_core_of(ClusterId cluster, Visitor&& visit) const {
    for (const CoreType type : {CoreType::cube, CoreType::vector}) {
      for (uint32_t i = 0; i < cores_per_cluster(type); ++i) visit(core_at({type, cluster, i}));
    }
  }
  /// Calls visit(core) for the accelerators.
  template <class Visitor>
  constexpr void for_each_accelerator(Visitor&& visit) const {
    for (uint32_t core = cores_of_clusters(); core < cores(); ++core) visit(CoreId(core));
  }
  /// Calls visit(core) for the cores of a scheduler, cluster by cluster, then its accelerators.
  template <class Visitor>
  constexpr void for_each_core_of(SchedulerId scheduler, Visitor&& visit) const {
    for (uint32_t rank = 0; rank < clusters_of(scheduler); ++rank) {
      for_each_core_of(cluster_of(scheduler, rank), visit);
    }
    for (uint32_t a = scheduler.value; a < accelerators; a += schedulers) {
      visit(CoreId(cores_of_clusters() + a));
    }
  }

  [[nodiscard]] std::string name_of(WorkerId worker) const;

  friend bool operator==(const Chip&, const Chip&) = default;

 private:
  [[nodiscard]] constexpr uint32_t cores_of_clusters() const {
    return cores(CoreType::cube) + cores(CoreType::vector);
  }
  [[nodiscard]] constexpr uint32_t first_worker(CoreType type) const {
    switch (type) {
      case CoreType::cube:
        return 0;
      case CoreType::vector:
        return cores(CoreType::cube);
      case CoreType::accelerator:
        return cores_of_clusters();
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
