#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "models/checker/engine/event_graph.hpp"

namespace pto2::model::engine {

/// The SC axiom of RC11 (Lahav et al., PLDI 2017, definition 1): psc is acyclic, where
///   psc_base = ([SC] u [F_SC]; hb?); scb; ([SC] u hb?; [F_SC])
///   psc_f    = [F_SC]; (hb u hb; eco; hb); [F_SC]
///   scb      = sb u sb|other location; hb; sb|other location u hb|same location u mo u rb.
///
/// Followed backwards, because vector clocks name what happens before an event. A psc edge is a
/// path over nodes (event, layer): the layer is what the path has gone through since it left an SC
/// event. Each layer by itself is acyclic, so a cycle passes through SC events, and is one of psc.
class SequentialConsistency {
 public:
  /// Whether the graph satisfies the axiom. The cost grows with its events times its threads, but
  /// for a search in each thread for earlier accesses of a location.
  bool holds(const EventGraph& graph);
  /// The same of a graph that would satisfy the axiom without these accesses, which nothing but one
  /// of them follows in sb or hb. Without SC fences each edge of psc that is new has one of them at
  /// an end, so every cycle goes through one, and from it to an SC write that is later in
  /// modification order.
  bool holds_with(const EventGraph& graph, std::initializer_list<EventId> accesses);

 private:
  /// Where a path stands. "Source" is an event whose scb successor the path came through.
  enum class Layer : std::uint8_t {
    sc,           ///< at an SC event
    target,       ///< at the target of scb
    sb,           ///< this event and those before it in its thread are sources
    here,         ///< this event and those that happen before it at its location are sources
    coherence,    ///< what is before this write in mo and rb are sources
    across,       ///< the part of its thread that is at other locations leads to sources
    to_fence,     ///< at an event that happens before a fence, or at the fence
    from_fence,   ///< what happens before this event may be the fence the path ends at
    eco_to_fence  ///< what is before this write in mo and rb goes on from_fence
  };
  static constexpr std::size_t layers = 9;
  enum class Colour : std::uint8_t { unseen, on_path, done };
  using Node = std::int32_t;

  static bool precedes_in_psc(const EventGraph& graph, EventId access);
  void build(const EventGraph& graph);
  bool cyclic_from(EventId event);
  void step(Layer layer, EventId event);

  void step_to_scb(EventId target);
  void step_to_fence(EventId event);
  void step_here(EventId event);
  void step_across(EventId event);
  void step_through_hb(Layer layer, EventId event);

  void visit(Layer layer, EventId event);
  void visit_source(EventId event);
  template <class Visit>
  void for_each_hb_predecessor(EventId event, Visit&& visit) const;
  template <class Visit>
  void for_each_coherence_predecessor(EventId write, Visit&& visit);

  const Event& at(EventId event) const { return (*graph_)[event]; }
  bool accesses(EventId event) const { return is_read(at(event).kind) || is_write(at(event).kind); }
  bool same_location(EventId a, EventId b) const {
    return accesses(a) && accesses(b) && at(a).location == at(b).location;
  }
  bool is_sc_fence(EventId event) const {
    return at(event).kind == Kind::fence && at(event).order == std::memory_order_seq_cst;
  }
  EventId previous_in_thread(EventId event) const {
    const Event& e = at(event);
    return e.index > 0 ? graph_->thread_event(e.thread, e.index - 1) : no_event;
  }
  /// Head of the list of readers of a write, or of an initial write.
  EventId& first_reader(EventId write) {
    return readers_[static_cast<std::size_t>(is_initial(write) ? graph_->size() + ~write : write)];
  }
  Node node(Layer layer, EventId event) const {
    return static_cast<Node>(layer) * graph_->size() + event;
  }

  const EventGraph* graph_ = nullptr;
  bool has_fences_ = false;
  bool cyclic_ = false;
  std::vector<EventId> here_;       // the event before this one, in its thread and at its location
  std::vector<EventId> elsewhere_;  // the event before this one, in its thread at another location
  std::vector<EventId> latest_;     // by location: while here_ is built
  std::vector<EventId> readers_, next_reader_;  // all readers of each write, then initial write
  std::vector<Colour> colour_;                  // by node
  std::vector<Node> path_;  // nodes to visit; the complement of one on the path behind its own
};

}  // namespace pto2::model::engine
