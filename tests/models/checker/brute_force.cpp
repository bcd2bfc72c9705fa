// All candidate graphs of a program, filtered by RC11's axioms (Lahav et al., PLDI 2017, section 3,
// with C++20's release sequences), written down from their definitions and sharing nothing with
// the checker.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "tests/models/checker/brute_force.hpp"

namespace pto2::model::litmus {

namespace {

constexpr int limit = 32;

/// A relation over at most 32 events as a matrix of bits.
struct Relation {
  std::array<std::uint32_t, limit> rows{};

  bool has(int a, int b) const { return (rows[a] >> b & 1) != 0; }
  void add(int a, int b) { rows[a] |= std::uint32_t{1} << b; }
  Relation operator|(const Relation& other) const {
    Relation result = *this;
    for (int i = 0; i < limit; ++i) result.rows[i] |= other.rows[i];
    return result;
  }
  Relation operator&(const Relation& other) const {
    Relation result = *this;
    for (int i = 0; i < limit; ++i) result.rows[i] &= other.rows[i];
    return result;
  }
  Relation operator-(const Relation& other) const {
    Relation result = *this;
    for (int i = 0; i < limit; ++i) result.rows[i] &= ~other.rows[i];
    return result;
  }
  /// Composition.
  Relation operator*(const Relation& other) const {
    Relation result;
    for (int a = 0; a < limit; ++a) {
      for (std::uint32_t rest = rows[a]; rest != 0; rest &= rest - 1) {
        result.rows[a] |= other.rows[__builtin_ctz(rest)];
      }
    }
    return result;
  }
  Relation inverse() const {
    Relation result;
    for (int a = 0; a < limit; ++a) {
      for (std::uint32_t rest = rows[a]; rest != 0; rest &= rest - 1) {
        result.add(__builtin_ctz(rest), a);
      }
    }
    return result;
  }
  Relation optional() const {
    Relation result = *this;
    for (int a = 0; a < limit; ++a) result.add(a, a);
    return result;
  }
  Relation closure() const {
    Relation result = *this;
    for (int k = 0; k < limit; ++k) {
      for (int a = 0; a < limit; ++a) {
        if (result.has(a, k)) result.rows[a] |= result.rows[k];
      }
    }
    return result;
  }
  bool irreflexive() const {
    for (int a = 0; a < limit; ++a) {
      if (has(a, a)) return false;
    }
    return true;
  }
};

template <class Predicate>
Relation identity_on(int events, Predicate&& predicate) {
  Relation result;
  for (int e = 0; e < events; ++e) {
    if (predicate(e)) result.add(e, e);
  }
  return result;
}

struct Node {
  bool reads = false, writes = false, fence = false, present = true, spurious = false;
  int thread = -1, location = -1, value = 0;
  std::memory_order order = std::memory_order_relaxed;
  const Instruction* instruction = nullptr;
  int partner = -1;  // the write of an update, at its read
};

bool at_least_acquire(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
bool at_least_release(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class Enumeration {
 public:
  explicit Enumeration(const Program& program) : program_(program) { make_nodes(); }

  Executions run() {
    choose_source(0);
    return result_;
  }

 private:
  int size() const { return static_cast<int>(nodes_.size()); }

  void make_nodes() {
    for (int l = 0; l < program_.locations; ++l) {
      Node& node = nodes_.emplace_back();
      node.writes = true;
      node.location = l;
    }
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      for (const Instruction& instruction : program_.threads[t]) {
        Node node;
        node.thread = static_cast<int>(t);
        node.instruction = &instruction;
        node.order = instruction.order;
        node.fence = instruction.operation == Operation::fence;
        if (!node.fence) node.location = instruction.location;
        if (node.fence && node.order == std::memory_order_relaxed) continue;
        if (instruction.reads()) {
          node.reads = true;
          const bool only_reads =
              instruction.operation == Operation::load || instruction.operation == Operation::wait;
          node.partner = only_reads ? -1 : size() + 1;
          reads_.push_back(size());
          nodes_.push_back(node);
          if (node.partner < 0) continue;
          node.reads = false;
          node.partner = -1;
        }
        node.writes = !node.fence;
        nodes_.push_back(node);
      }
    }
    source_.assign(nodes_.size(), -1);
  }

  void choose_source(std::size_t next) {
    if (next == reads_.size()) {
      if (evaluate()) choose_order(0);
      return;
    }
    const int read = reads_[next];
    for (int write = 0; write < size(); ++write) {
      if (!nodes_[write].writes || nodes_[write].location != nodes_[read].location) continue;
      source_[read] = write;
      nodes_[read].spurious = false;
      choose_source(next + 1);
      // Of a wait that fails nothing is seen.
      const Instruction& instruction = *nodes_[read].instruction;
      if (!instruction.weak || instruction.operation != Operation::compare_exchange) continue;
      nodes_[read].spurious = true;
      choose_source(next + 1);
    }
  }

  Relation program_order() const {
    Relation sb;
    for (int a = 0; a < size(); ++a) {
      for (int b = a + 1; b < size(); ++b) {
        const bool initial = nodes_[a].thread < 0 && nodes_[b].thread >= 0;
        if (nodes_[b].present && nodes_[a].present &&
            (initial || (nodes_[a].thread >= 0 && nodes_[a].thread == nodes_[b].thread))) {
          sb.add(a, b);
        }
      }
    }
    return sb;
  }

  /// Values by following sources; false when they go in circles or an absent write is read.
  bool evaluate() {
    for (Node& node : nodes_) node.present = true;
    Relation causal = program_order();
    for (int r : reads_) causal.add(source_[r], r);
    causal = causal.closure();
    if (!causal.irreflexive()) return false;
    std::vector<int> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto past = [&](int e) {
      int count = 0;
      for (int a = 0; a < size(); ++a) count += causal.has(a, e);
      return count;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return past(a) < past(b); });
    for (int e : order) {
      Node& node = nodes_[e];
      if (node.reads) {
        if (!nodes_[source_[e]].present) return false;
        node.value = nodes_[source_[e]].value;
        const Operation operation = node.instruction->operation;
        const bool waits = operation == Operation::wait || operation == Operation::wait_exchange;
        if ((waits || node.spurious) && node.value != node.instruction->expected) return false;
        if (node.partner >= 0) update(node, nodes_[node.partner]);
      } else if (node.writes && node.thread >= 0 &&
                 node.instruction->operation == Operation::store) {
        node.value = node.instruction->operand;
      }
    }
    return true;
  }

  static void update(Node& read, Node& write) {
    const Instruction& instruction = *read.instruction;
    read.order = instruction.order;
    switch (instruction.operation) {
      case Operation::add:
        write.value = read.value + instruction.operand;
        break;
      case Operation::compare_exchange:
        write.present = read.value == instruction.expected && !read.spurious;
        if (!write.present) read.order = instruction.failure;
        [[fallthrough]];
      default:
        write.value = instruction.operand;
    }
  }

  void choose_order(int location) {
    if (location == program_.locations) {
      judge();
      return;
    }
    std::vector<int> writes;
    for (int e = 0; e < size(); ++e) {
      if (nodes_[e].writes && nodes_[e].present && nodes_[e].location == location &&
          nodes_[e].thread >= 0) {
        writes.push_back(e);
      }
    }
    orders_.resize(static_cast<std::size_t>(program_.locations));
    do {
      orders_[location] = writes;
      orders_[location].insert(orders_[location].begin(), location);
      choose_order(location + 1);
    } while (std::next_permutation(writes.begin(), writes.end()));
  }

  void judge() {
    if (!consistent()) return;
    ++result_.count;
    Outcome outcome;
    for (int r : reads_) {
      outcome.push_back(nodes_[r].value + (nodes_[r].spurious ? spurious : 0));
    }
    for (const std::vector<int>& order : orders_) outcome.push_back(nodes_[order.back()].value);
    result_.outcomes.insert(outcome);
  }

  bool consistent() const {
    const int n = size();
    const Relation sb = program_order();
    Relation rf, mo, rmw;
    for (int r : reads_) {
      rf.add(source_[r], r);
      if (nodes_[r].partner >= 0 && nodes_[nodes_[r].partner].present) {
        rmw.add(r, nodes_[r].partner);
      }
    }
    for (const std::vector<int>& order : orders_) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) mo.add(order[i], order[j]);
      }
    }
    const Relation rb = rf.inverse() * mo;
    const Relation eco = (rf | mo | rb).closure();
    const auto on = [&](auto&& predicate) {
      return identity_on(n, [&](int e) { return nodes_[e].present && predicate(nodes_[e]); });
    };
    const Relation fences = on([](const Node& e) { return e.fence; });
    const Relation release = on([](const Node& e) { return at_least_release(e.order); });
    const Relation acquire = on([](const Node& e) { return at_least_acquire(e.order); });
    const Relation sequence = (rf * rmw).closure().optional();
    const Relation sw = release * (fences * sb).optional() *
                        on([](const Node& e) { return e.writes; }) * sequence * rf *
                        (sb * fences).optional() * acquire;
    const Relation hb = (sb | sw).closure();
    if (!(hb * eco.optional()).irreflexive()) return false;
    const Relation between = rmw & (rb * mo);
    for (std::uint32_t row : between.rows) {
      if (row != 0) return false;
    }
    return sequentially_consistent(sb, hb, mo, rb, eco);
  }

  bool sequentially_consistent(const Relation& sb, const Relation& hb, const Relation& mo,
                               const Relation& rb, const Relation& eco) const {
    Relation same;
    for (int a = 0; a < size(); ++a) {
      for (int b = 0; b < size(); ++b) {
        if (nodes_[a].location >= 0 && nodes_[a].location == nodes_[b].location) same.add(a, b);
      }
    }
    const Relation sc = identity_on(size(), [&](int e) {
      return nodes_[e].present && nodes_[e].order == std::memory_order_seq_cst;
    });
    const Relation fence = sc & identity_on(size(), [&](int e) { return nodes_[e].fence; });
    const Relation elsewhere = sb - same;
    const Relation scb = sb | elsewhere * hb * elsewhere | (hb & same) | mo | rb;
    const Relation base = (sc | fence * hb.optional()) * scb * (sc | hb.optional() * fence);
    const Relation between_fences = fence * (hb | hb * eco * hb) * fence;
    return (base | between_fences).closure().irreflexive();
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<int> reads_;
  std::vector<int> source_;
  std::vector<std::vector<int>> orders_;
  Executions result_;
};

}  // namespace

Executions by_brute_force(const Program& program) {
  return Enumeration(program).run();
}

}  // namespace pto2::model::litmus
