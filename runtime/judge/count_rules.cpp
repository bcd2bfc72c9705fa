#include <fmt/core.h>

#include <algorithm>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// VR-I35.
class CountRules {
 public:
  explicit CountRules(const Case& it) : it_(it), counts_(*it.record.counts) {}

  void check() {
    expect("tasks", counts_.tasks, it_.record.tasks.size());
    check_claims();
    expect("dispatches", counts_.dispatches, events(EventKind::dispatch));
    expect("acks", counts_.acks, events(EventKind::ack));
    expect("fins", counts_.fins, events(EventKind::fin));
    expect("waits", counts_.waits, waits(Role::orchestrator, true));
    // Each scheduler waits once more, before it starts.
    expect("scheduler_parks", counts_.scheduler_parks + schedulers(),
           waits(Role::scheduler, false));
    check_completions();
    check_rings();
    check_steals();
  }

 private:
  void expect(const char* name, uint64_t counted, uint64_t told) {
    expect(name, counted, told, told);
  }
  void expect(const char* name, uint64_t counted, uint64_t least, uint64_t most) {
    if (counted >= least && counted <= most) return;
    const std::string range =
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    it_.findings.add_of_header(
        "VR-I35", fmt::format("{} is {}, but the events say {}", name, counted, range));
  }

  [[nodiscard]] uint64_t schedulers() const {
    return static_cast<uint64_t>(std::ranges::count(it_.record.roles, Role::scheduler));
  }
  [[nodiscard]] uint64_t events(EventKind kind) const { return it_.history.of_kind(kind).size(); }
  /// How often threads of a role wait, for a resource or for anything else.
  [[nodiscard]] uint64_t waits(Role role, bool for_resource) const {
    const auto is_one = [&](uint32_t number) {
      const Event& event = it_.event(number);
      return it_.record.roles[event.thread] == role && event.lacking.has_value() == for_resource;
    };
    return static_cast<uint64_t>(
        std::ranges::count_if(it_.history.of_kind(EventKind::wait), is_one));
  }

  void check_claims() {
    const auto came_to = [](const TaskRecord& task, Claim claim) {
      return std::ranges::count(task.producers, claim, &ProducerRecord::claim);
    };
    uint64_t linked = 0;
    uint64_t early = 0;
    uint64_t holds = 0;
    for (const TaskRecord& task : it_.record.tasks) {
      linked += came_to(task, Claim::linked);
      early += came_to(task, Claim::early);
      holds += task.holds.size();
    }
    expect("edges_linked", counts_.edges_linked, linked);
    expect("edges_early", counts_.edges_early, early);
    expect("holds", counts_.holds, holds);
  }

  void check_completions() {
    if (!it_.record.given_up) return expect("completions", counts_.completions, counts_.tasks);
    expect("completions", counts_.completions, events(EventKind::consume), counts_.fins);
  }

  /// Whatever is stolen is dispatched or lent, or is the ticket of a task that is used up. In a run
  /// that was given up each scheduler may have kept a task that it was to run itself.
  void check_steals() {
    const auto blocks = static_cast<uint64_t>(std::ranges::count_if(
        it_.record.tasks, [](const TaskRecord& task) { return task.block_dim != 0; }));
    const uint64_t kept = it_.record.given_up ? schedulers() : 0;
    const uint64_t taken = counts_.dispatches + counts_.loans + blocks + kept;
    expect("steals", counts_.steals, 0, it_.record.shards == 1 ? 0 : taken);
  }

  /// The orchestrator may see tasks as alive that are not; it sees all that have no FIN.
  void check_rings() {
    uint64_t recycled = 0;
    uint64_t least = 0;
    uint64_t most = 0;
    for (std::size_t number = 0; number < it_.history.rings().size(); ++number) {
      const std::vector<uint32_t>& ring = it_.history.rings()[number];
      const uint64_t window = it_.record.rings[number].window;
      recycled += ring.size() - std::min<uint64_t>(ring.size(), window);
      most = std::max(most, std::min<uint64_t>(ring.size(), window - 1));
      least = std::max(least, most_unfinished(ring));
    }
    expect("slots_recycled", counts_.slots_recycled, recycled);
    expect("peak_window", counts_.peak_window, least, most);
  }

  /// Tasks of a ring between the oldest that has not finished and one that is submitted.
  [[nodiscard]] uint64_t most_unfinished(const std::vector<uint32_t>& ring) const {
    uint64_t most = 0;
    uint64_t oldest = 0;
    for (uint64_t local = 0; local < ring.size(); ++local) {
      const uint64_t now = it_.submit(ring[local]).t;
      while (oldest < local && has_finished(ring[oldest], now)) ++oldest;
      most = std::max(most, local - oldest + 1);
    }
    return most;
  }
  [[nodiscard]] bool has_finished(uint32_t task, uint64_t now) const {
    const uint32_t fin = it_.history.of(task).fin;
    return fin != no_index && it_.event(fin).t <= now;
  }

  const Case& it_;
  const Counts& counts_;
};

}  // namespace

void check_figures(const Case& it) {
  if (it.record.counts) CountRules(it).check();
  for (const std::string& name : it.record.damaged) {
    it.findings.add_of_header("VR-I37", name + " is damaged");
  }
}

}  // namespace pto2::judging
