/// The rules of rule_table.hpp, subject by subject.
#pragma once

#include "runtime/judge/findings.hpp"
#include "runtime/judge/history.hpp"
#include "runtime/record/record.hpp"

namespace pto2::judging {

struct Case {
  const Record& record;
  History& history;
  Findings& findings;

  [[nodiscard]] const Event& event(uint32_t number) const { return record.events[number]; }
  [[nodiscard]] const Event& submit(uint32_t task) const {
    return record.events[record.tasks[task].event];
  }
  [[nodiscard]] bool is_of_the_orchestrator(const Event& event) const {
    return record.roles[event.thread] == Role::orchestrator;
  }
};

/// VR-I1, VR-I2. Marks the tasks that break them.
void check_counts(const Case& it);
/// VR-I3, VR-I22, VR-I28.
void check_threads(const Case& it);
/// VR-I4, VR-I5, VR-I6.
void check_order(const Case& it);
/// VR-I7, VR-I8, VR-I9.
void check_cores(const Case& it);
/// VR-I10, VR-I11, VR-I12.
void check_groups(const Case& it);
/// VR-I13, VR-I14, VR-I15.
void check_memory(const Case& it);
/// VR-I16, VR-I17, VR-I18, VR-I19.
void check_references(const Case& it);
/// VR-I32.
void check_edges(const Case& it);
/// VR-I31.
void check_entries(const Case& it);
/// VR-I20, VR-I29.
void check_scopes(const Case& it);
/// VR-I21, VR-I30.
void check_waits(const Case& it);
/// VR-I24, VR-I25, VR-I26, VR-I27.
void check_pipes(const Case& it);
/// VR-I33.
void check_sequences_of_cores(const Case& it);
/// VR-I34.
void check_exits(const Case& it);
/// VR-I35, VR-I37.
void check_figures(const Case& it);
/// VR-I36. Without a limit nothing is said of real threads.
void check_idle_cores(const Case& it, std::optional<uint64_t> idle_limit);
/// VR-I23.
void check_races(const Case& it);

}  // namespace pto2::judging
