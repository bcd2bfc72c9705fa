#pragma once

#include <cstdint>
#include <vector>

#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

/// The SC axiom of RC11 (Lahav et al., PLDI 2017, definition 1): psc is acyclic, where
///   psc_base = ([SC] u [F_SC]; hb?); scb; ([SC] u hb?; [F_SC])
///   psc_f    = [F_SC]; (hb u hb; eco; hb); [F_SC]
///   scb      = sb u sb|other location; hb; sb|other location u hb|same location u mo u rb.
///
/// Sets of events are rows of bits. What happens after something is closed under program order, so
/// of each thread only its first event counts, and unions over such a set take one row per thread.
class SequentialConsistency {
 public:
  /// Whether the graph satisfies the axiom. The cost grows with the square of its events.
  bool holds(const EventGraph& graph);

 private:
  using Word = std::uint64_t;
  using Set = Word*;
  using Family = std::vector<Word>;  // a set for each event, or each location

  void build(const EventGraph& graph);
  void build_program_order();
  void build_happens_before();
  void build_coherence_order();
  void build_scb();
  void add_across_locations(EventId event, Set into);
  void successors(EventId event, Set into);
  void add_external(const Word* from, Set into);
  void unite_hb(const Word* from, Set into);
  bool cyclic_from(EventId event);

  bool accesses(EventId event) const {
    return is_read((*graph_)[event].kind) || is_write((*graph_)[event].kind);
  }
  bool same_location(EventId a, EventId b) const {
    return accesses(a) && accesses(b) && (*graph_)[a].location == (*graph_)[b].location;
  }
  EventId next_in_thread(EventId event) const;
  Set set(Family& family, EventId event) const {
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
  void clear(Family& scratch) const { scratch.assign(words_, 0); }
  template <class Visit>
  void for_each(const Word* s, Visit&& visit) const;
  /// Visits the first event of each thread in a set.
  template <class Visit>
  void for_each_first(const Word* s, Visit&& visit);

  const EventGraph* graph_ = nullptr;
  std::size_t words_ = 0;
  Family from_;         // an event and those behind it in its thread
  Family hb_;           // strict successors
  Family later_;        // modification order behind a write; reads-before of a read
  Family later_from_;   // with fences: the same of an event and those behind it in its thread
  Family scb_;          // successors; without fences, of SC events only
  Family scb_from_;     // with fences: the same of an event and those behind it in its thread
  Family at_location_;  // by location
  Family next_;         // psc successors
  Family sc_;           // one set: SC events
  Family fences_;       // one set: SC fences
  bool has_fences_ = false;
  Family middle_, reached_, behind_;
  std::vector<EventId> elsewhere_;  // the next event of the thread that is not at this location
  std::vector<EventId> spawns_, joins_;
  std::vector<std::uint8_t> seen_;  // by thread
  std::vector<std::uint8_t> colour_;
};

}  // namespace pto2::model::engine
