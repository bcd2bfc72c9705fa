/// What makes a random graph a clustered one: groups that open and close on the way, tasks that
/// join them and use their pipes, block tasks, and tasks that run on no core of a block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/executors/random.hpp"
#include "stress/graphs/builder.hpp"
#include "stress/graphs/pipe_drawer.hpp"

namespace pto2::graphs {

/// Draws from a stream of its own, so that the graph is as without it wherever it says no.
class GroupDrawer {
 public:
  /// `builder` must outlive this. `may_fail`: as for PipeDrawer.
  GroupDrawer(uint64_t seed, Builder& builder, bool may_fail);

  /// Opens or closes a group, now and then.
  void before_step();
  /// Submits tasks that become ready all at once, now and then.
  void burst();
  /// Submits block tasks one after the other to groups of their own, now and then.
  void relay();
  /// Opens a group that ends with the scope, now and then.
  void scope_began();
  /// Lets the task join a group and use its pipes, makes it a block task, or one for a scheduler or
  /// an accelerator, now and then.
  void join(Submit& task);
  /// True: the mistake to come is about clusters or block tasks. It is made with make_mistake().
  [[nodiscard]] bool mistakes_clusters() { return random_.below(2) == 0; }
  void make_mistake();

 private:
  struct Style {
    uint64_t opens;    ///< of 16 steps
    uint64_t closes;   ///< of 16 steps
    uint64_t scopes;   ///< of 4 scopes have a group of their own
    std::size_t most;  ///< open at once
    uint64_t pinned;   ///< of 8 tasks, if a group is open
    uint64_t bursts;   ///< of 64 steps
    uint64_t blocks;   ///< of 8 tasks that can be block tasks
    uint64_t most_parts;
    uint64_t rare;  ///< of 8 tasks that are not pinned run on no core of a block
  };

  [[nodiscard]] bool chance(uint64_t numerator, uint64_t denominator) {
    return random_.below(denominator) < numerator;
  }
  /// An open group, more often a recent one; none if none is open.
  std::optional<uint32_t> some_group();
  void open();
  void make_block(Submit& task);
  /// For a scheduler or an accelerator, if it is not pinned, now and then.
  void make_rare(Submit& task);

  executors::Random random_;
  Builder& builder_;
  PipeDrawer pipes_;
  Style style_;
};

}  // namespace pto2::graphs
