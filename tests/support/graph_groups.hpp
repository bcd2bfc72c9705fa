/// What makes a random graph a clustered one: groups that open and close on the way, tasks that
/// join them, and block tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/executors/random.hpp"
#include "tests/support/graph_builder.hpp"

namespace pto2::graphs {

/// Draws from a stream of its own, so that the graph is as without it wherever it says no.
class GroupDrawer {
 public:
  /// `builder` must outlive this.
  GroupDrawer(uint64_t seed, Builder& builder);

  /// Opens or closes a group, now and then.
  void before_step();
  /// Submits tasks that become ready all at once, now and then.
  void burst();
  /// Submits block tasks one after the other to groups of their own, now and then.
  void relay();
  /// Opens a group that ends with the scope, now and then.
  void scope_began();
  /// Lets the task join a group, or makes it a block task, now and then.
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
  };

  [[nodiscard]] bool chance(uint64_t numerator, uint64_t denominator) {
    return random_.below(denominator) < numerator;
  }
  /// An open group, more often a recent one; none if none is open.
  std::optional<uint32_t> some_group();
  void open();
  void make_block(Submit& task);

  executors::Random random_;
  Builder& builder_;
  Style style_;
};

}  // namespace pto2::graphs
