#include "stress/simulation/graph_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/output/numbers.hpp"
#include "stress/graphs/shrink.hpp"
#include "stress/lost_core.hpp"
#include "stress/simulation/decisions.hpp"

namespace pto2::simulations {
namespace {

std::string story_of(const graphs::Trial& trial, const DrawnFault& fault, const SimulatedRun& run) {
  const bool is_lost = stress::has_lost_core(fault.chip, run.result);
  const graphs::Ending expected = is_lost ? graphs::Ending::core_lost : trial.expected();
  std::string text = fmt::format("{}device: {}\n{}", to_string(trial.program()),
                                 stress::text_of(trial.config()), text_of(fault));
  if (!stress::may_have_lost_core(fault.chip, run.result)) {
    text += fmt::format("expected: {}\n", name_of(expected));
  }
  for (const std::string& problem : run.problems) text += fmt::format("wrong: {}\n", problem);
  return text;
}

}  // namespace

GraphSubject::GraphSubject(const Options& options, stress::Launcher launch)
    : options_(options),
      launch_(std::move(launch)),
      kind_(options.clustered ? graphs::Graphs::clustered : graphs::Graphs::plain) {}

graphs::Program GraphSubject::draw(uint64_t seed) const {
  return graphs::generate(
      seed, options_.mistakes ? graphs::Mistakes::always : graphs::Mistakes::sometimes, kind_);
}

GraphSubject::FailingTrial GraphSubject::trial_of(uint64_t seed, graphs::Program program) const {
  graphs::Trial trial(seed, std::move(program));
  trial.use(options_.fan_out);
  trial.launch_by(launch_);
  if (!options_.validate) trial.do_not_judge_records();
  const DrawnFault fault = draw_fault(seed, options_.faults,
                                      {.chip = trial.config().chip,
                                       .tasks = trial.predicted().tasks().size(),
                                       .frees = trial.frees(),
                                       .may_lose_cores = !trial.stopped()});
  trial.fail_by(fault.chip);
  if (fault.fault == Fault::kept_group) trial.keep_group(fault.which);
  return {std::move(trial), fault};
}

SimulatedRun GraphSubject::run(const FailingTrial& failing, uint64_t schedule) const {
  const auto& [trial, fault] = failing;
  SimulatedRun run;
  run.fault = fault.fault;
  run.fault_text = text_of(fault);
  RunResult& result = run.result;
  run.outcome = name_of(trial.run(options_.executor, schedule, run.problems,
                                  options_.clustered ? &run.census : nullptr, &result));
  run.fault_reached =
      fault.fault == Fault::kept_group ? trial.has_kept_group(result) : result.fault_reached;
  run.tasks = result.tasks;
  run.points = result.points;
  run.timed_out = is_timeout(result.error.code);
  run.livelocked = std::ranges::any_of(run.problems, stress::is_livelock);
  return run;
}

SimulatedRun GraphSubject::run(uint64_t seed) {
  return run(trial_of(seed, draw(seed)), seed);
}

/// The token has the schedule, and what was decided of each smaller program on the way.
Shrunk GraphSubject::shrink(uint64_t seed) {
  Decisions decisions;
  const auto wrong_schedules = [&](const graphs::Program& program) {
    std::vector<std::pair<uint64_t, uint64_t>> wrong;  // points, schedule
    const FailingTrial trial = trial_of(seed, program);
    for (uint64_t i = 0; i < schedules && !options_.stop.stop_requested(); ++i) {
      const SimulatedRun run = this->run(trial, seed + i);
      if (run.livelocked) break;  // others may take as long
      if (run.wrong()) wrong.emplace_back(run.points, i);
    }
    return wrong;
  };
  auto wrong = wrong_schedules(draw(seed));
  const graphs::Program smallest =
      graphs::shrink(draw(seed), [&](const graphs::Program& candidate) {
        auto of_candidate = wrong_schedules(candidate);
        const bool is_wrong = decisions.note(!of_candidate.empty());
        if (is_wrong) wrong = std::move(of_candidate);
        return is_wrong;
      });
  // What comes and goes with the same schedule cannot be made smaller.
  const uint64_t schedule = wrong.empty() ? 0 : std::ranges::min_element(wrong)->second;
  const FailingTrial failing = trial_of(seed, smallest);
  const SimulatedRun run = this->run(failing, seed + schedule);
  return {fmt::format("{}-{}", schedule, decisions.text()),
          story_of(failing.trial, failing.fault, run), run.wrong()};
}

SimulatedRun GraphSubject::run_shrunk(uint64_t seed, const std::string& token, std::string& story) {
  const std::size_t dash = token.find('-');
  if (dash == std::string::npos) throw std::invalid_argument("no decisions behind the schedule");
  const uint64_t schedule = cli::parse_number(token.substr(0, dash));
  Decisions decisions(token.substr(dash + 1));
  const graphs::Program smallest =
      graphs::shrink(draw(seed), [&](const graphs::Program&) { return decisions.next(); });
  const FailingTrial failing = trial_of(seed, smallest);
  SimulatedRun run = this->run(failing, seed + schedule);
  story = story_of(failing.trial, failing.fault, run);
  return run;
}

std::vector<std::string> GraphSubject::usual_outcomes() const {
  std::vector<std::string> usual;
  for (std::size_t i = 0; i < graphs::endings; ++i) {
    const auto ending = static_cast<graphs::Ending>(i);
    const bool of_a_pipe =
        ending == graphs::Ending::overflow || ending == graphs::Ending::underflow;
    const bool is_ended = ending == graphs::Ending::passed || of_a_pipe;
    const bool is_rare = ending == graphs::Ending::threw;  // one graph in several hundred
    if (!graphs::is_of_sound_chips(ending) || is_rare) continue;
    if (options_.mistakes && is_ended) continue;
    if (options_.clustered || graphs::is_for_plain(ending)) usual.emplace_back(name_of(ending));
  }
  return usual;
}

}  // namespace pto2::simulations
