/// The pipes of the groups that hold clusters.
///
/// A pipe is named by its group and a tag. The first parameter that names it makes it; it lasts
/// until its cluster is allocated again, or to the end of the run: then all tasks of the group have
/// completed (core/cluster_pool.hpp, CP-I3), those of a group that was closed before, too. Its
/// memory is kept for later pipes.
///
/// To the TensorMap a pipe is one byte of external memory that each task which names it reads and
/// writes. Thus these tasks are ordered as they were submitted, and the FIFO needs no
/// synchronisation of its own. The byte has a key that no other pipe of the run has, an address
/// outside of what programs can use, so that a pipe in recycled memory has nothing to do with the
/// former.
///
///   PI-I1: tasks that name the same pipe run one after the other, in the order of submission.
///   PI-I2: a pipe's memory is nobody else's until the tasks of its group have completed.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "runtime/run/pipe_fault.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {

/// Most bytes of the slots of one pipe.
inline constexpr uint64_t max_pipe_bytes = uint64_t{1} << 30;

/// What a parameter says of a pipe.
struct PipeRequest {
  ClusterId cluster;  ///< that the group holds
  uint32_t group;
  int32_t tag;
  bool sized;           ///< the two below were given
  uint32_t capacity;    ///< slots
  uint32_t slot_bytes;  ///< of each
  bool counted;         ///< in counting mode: no kernel will use it, so that it needs no memory
};

/// A pipe and what it is to the TensorMap.
struct PipeEntry {
  Pipe* pipe;
  TensorRecord* tensor;
};

/// Why a pipe cannot be had.
struct PipeProblem {
  std::string text;
  const char* hint = "";  ///< what to do
};

/// Entries that nobody has freed.
struct PipeLeftover {
  uint32_t group;
  int32_t tag;
  uint64_t waiting;  ///< not popped
  uint64_t held;     ///< popped and not freed
};

/// The warning of it.
[[nodiscard]] std::string leftover_text(const PipeLeftover& left);

class PipeTable {
 public:
  /// The pipe of this name, made if there is none; in constant time, or logarithmic in the pipes
  /// that there were if memory is used again. Both pointers are null if it cannot be had;
  /// `problem` says why then. Pointers stay valid until the group ends.
  [[nodiscard]] PipeEntry use(const PipeRequest& request, PipeProblem& problem);

  /// The group that held `cluster`, if there was one, is over: forgets its pipes, and returns what
  /// is left in them, in the order in which they were made. Requires that all tasks of the group
  /// have completed.
  std::vector<PipeLeftover> end_group_on(ClusterId cluster);
  /// The same for all groups, the lowest cluster first: the run has ended.
  [[nodiscard]] std::vector<PipeLeftover> end_all();

  /// Pieces of memory of pipes whose groups have ended, for those that come.
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }

 private:
  static constexpr std::size_t alignment = 64;
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t{alignment});
    }
  };
  struct Memory {
    std::unique_ptr<std::byte[], Free> begin;
    uint64_t bytes = 0;
  };
  struct Made {
    Pipe pipe;
    TensorRecord tensor;
    Memory memory;
  };
  /// Of one group.
  struct Pipes {
    std::vector<std::unique_ptr<Made>> made;          ///< in this order
    std::unordered_map<int32_t, std::size_t> by_tag;  ///< where in `made`
  };

  [[nodiscard]] std::unique_ptr<Made> make(const PipeRequest& request, PipeProblem& problem);
  [[nodiscard]] Memory allocate(uint64_t bytes);

  std::vector<Pipes> clusters_;           // the pipes of the last group of each
  std::multimap<uint64_t, Memory> kept_;  // by bytes
  uint64_t made_ = 0;
};

}  // namespace pto2
