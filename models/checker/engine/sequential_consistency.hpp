#pragma once

#include <cstdint>
#include <vector>

#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

/// The SC axiom of RC11 (Lahav et al., PLDI 2017, definition 1): psc is acyclic, where
///   psc_base = ([SC] u [F_SC]; hb?); scb; ([SC] u hb?; [F_SC])
///   psc_f    = [F_SC]; (hb u hb; eco; hb); [F_SC]
///   scb      = sb u sb|other location; hb; sb|other location u hb|same location u mo u rb.
class SequentialConsistency {
 public:
  /// Whether the graph satisfies the axiom. The cost is at most cubic in its events.
  bool holds(const EventGraph& graph);

 private:
  using Word = std::uint64_t;
  using Set = Word*;

  void build(const EventGraph& graph);
  void build_coherence_order(const EventGraph& graph);
  void build_other_location(EventId event);
  const Word* before_sc(EventId event);
  void successors(EventId event, Set into);
  void add_external(EventId event, Set into) const;
  bool cyclic_from(EventId event);

  Set set(std::vector<Word>& family, EventId event) {
    return &family[static_cast<std::size_t>(event) * words_];
  }
  const Word* set(const std::vector<Word>& family, EventId event) const {
    return &family[static_cast<std::size_t>(event) * words_];
  }
  void insert(Set s, EventId event) const {
    s[static_cast<std::size_t>(event) / 64] |= Word{1} << (event % 64);
  }
  bool contains(const Word* s, EventId event) const {
    return (s[static_cast<std::size_t>(event) / 64] >> (event % 64) & 1) != 0;
  }
  void unite(Set s, const Word* other) const {
    for (std::size_t i = 0; i < words_; ++i) s[i] |= other[i];
  }
  template <class Visit>
  void for_each(const Word* s, Visit&& visit) const;

  const EventGraph* graph_ = nullptr;
  std::size_t words_ = 0;
  std::vector<Word> hb_;  // strict successors
  std::vector<Word> sb_;
  std::vector<Word> readers_;  // of a write
  std::vector<Word> later_;    // modification order behind a write; reads-before of a read
  std::vector<Word> scb_;
  std::vector<Word> location_;  // events at an event's location
  std::vector<Word> next_;      // psc successors
  std::vector<Word> sc_;        // one set: SC events
  std::vector<Word> fences_;    // one set: SC fences
  std::vector<Word> scratch_;
  std::vector<std::uint8_t> scb_known_;
  std::vector<std::uint8_t> colour_;
};

}  // namespace pto2::model::engine
