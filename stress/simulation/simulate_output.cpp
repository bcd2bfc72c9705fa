#include "stress/simulation/simulate_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "runtime/output/json_text.hpp"

namespace pto2::simulations {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of_subject(const Options& options) {
  if (!options.workload.empty()) {
    return fmt::format("{} {}{}", options.workload, options.case_name,
                       options.stub_kernels ? ", stub kernels" : "");
  }
  return fmt::format("random {} graphs{}", options.clustered ? "clustered" : "plain",
                     options.mistakes ? " with mistakes" : "");
}

/// And how it was run, unless as usual.
std::string name_of(const Options& options) {
  return fmt::format("{}{}{}", name_of_subject(options),
                     options.weaken.empty() ? "" : fmt::format(", {} relaxed", options.weaken),
                     options.validate ? "" : ", not validated");
}

/// Of the first wrong seed the smaller run, of the others the runs themselves.
Token token_of(const Options& options, const Summary& summary, std::size_t which,
               const std::optional<Shrunk>& shrunk) {
  const bool smaller = which == 0 && shrunk;
  return {options, summary.wrong[which].seed, smaller ? shrunk->token : ""};
}

double rate_of(const Summary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.runs) / summary.seconds : 0;
}

/// Why seeds were not tried, or not made smaller; empty if there is no reason to say so. `early`: a
/// signal kept them from being tried; `larger`: one came while the first wrong one was made
/// smaller.
std::string gap_of(const cli::NumberRange& seeds, const Summary& summary, bool early, bool larger) {
  const bool has_all = summary.runs == seeds.size();
  if (early) return "interrupted: the seeds that follow were not tried\n";
  if (summary.failure != nullptr) {
    return "a run could not be made: the seeds that follow were not tried, and none was made "
           "smaller\n";
  }
  if (summary.timed_out) {
    return fmt::format("a run did not end by itself: {}none was made smaller\n",
                       has_all ? "" : "the seeds that follow were not tried, and ");
  }
  std::string text;
  if (!has_all && summary.is_enough()) {
    text = fmt::format("{} wrong seeds are enough: the seeds that follow were not tried\n",
                       summary.wrong.size());
  }
  if (larger) text += "interrupted: the first wrong seed may be larger than it need be\n";
  return text;
}

std::string text_of(const std::map<std::string, uint64_t>& outcomes) {
  std::string text;
  for (const auto& [name, count] : outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

/// A line for each fault that was drawn, if any is asked for.
std::string text_of_faults(const Options& options, const Summary& summary) {
  std::string text;
  if (options.faults.none()) return text;
  for (const auto& [fault, counts] : summary.faults) {
    const std::string reached =
        fault == Fault::none ? "" : fmt::format(", {} came to it", counts.reached);
    text += fmt::format("fault {}: {} runs{}: {}\n", name_of(fault), counts.runs, reached,
                        text_of(counts.outcomes));
  }
  return text;
}

Json json_of_faults(const Summary& summary) {
  Json json = Json::object();
  for (const auto& [fault, counts] : summary.faults) {
    json[name_of(fault)] = {
        {"runs", counts.runs}, {"reached", counts.reached}, {"outcomes", counts.outcomes}};
  }
  return json;
}

std::string text_of(const Options& options, const Summary& summary,
                    const std::optional<Shrunk>& shrunk) {
  std::string text;
  for (std::size_t i = 0; i < summary.wrong.size(); ++i) {
    const std::string problems = fmt::format("{}", fmt::join(summary.wrong[i].problems, "\n  "));
    const std::string seed = fmt::format("seed {}", summary.wrong[i].seed);
    // A run that the simulation itself gives up says the seed first.
    const bool says_it = problems.starts_with(seed + ", ");
    text += fmt::format("wrong: {}{}\n", says_it ? "" : seed + ": ", problems);
    if (i == 0 && shrunk) text += fmt::format("made smaller:\n{}", shrunk->story);
    text += fmt::format("repeat: {}\n", replay_command(token_of(options, summary, i, shrunk)));
  }
  text += text_of_faults(options, summary);
  text +=
      fmt::format("{}, {}: {} seeds: {}; {} repeated; {:.1f} s, {:.0f} runs/s\n", name_of(options),
                  row_of(options.executor).strategy, summary.runs, text_of(summary.outcomes),
                  summary.repeated, summary.seconds, rate_of(summary));
  for (const std::string& missing : summary.never_seen) {
    text += fmt::format("never seen, which so many seeds should show: {}\n", missing);
  }
  return text;
}

Json json_of(const Options& options, const cli::NumberRange& seeds, const Summary& summary,
             const std::optional<Shrunk>& shrunk, bool interrupted) {
  Json json{{"schema", "pto2-simulate/1"}};
  if (options.workload.empty()) {
    json["graphs"] = options.clustered ? "clustered" : "plain";
    json["mistakes"] = options.mistakes;
  } else {
    json["workload"] = options.workload;
    json["case"] = options.case_name;
    json["stub_kernels"] = options.stub_kernels;
  }
  json["strategy"] = row_of(options.executor).strategy;
  if (!options.weaken.empty()) json["weakened"] = options.weaken;
  json["validated"] = options.validate;
  if (options.faults.any()) json["listed_faults"] = to_string(options.faults);
  json["first_seed"] = seeds.first;
  json["last_seed"] = seeds.last;
  json["verdict"] = summary.wrong_runs != 0       ? "fail"
                    : interrupted                 ? "interrupted"
                    : !summary.never_seen.empty() ? "inconclusive"
                                                  : "pass";
  json["runs"] = summary.runs;
  json["outcomes"] = summary.outcomes;
  if (options.faults.any()) json["faults"] = json_of_faults(summary);
  json["wrong_runs"] = summary.wrong_runs;
  json["repeated"] = summary.repeated;
  json["tasks"] = summary.tasks;
  json["points"] = summary.points;
  json["wall_s"] = summary.seconds;
  json["runs_per_s"] = rate_of(summary);
  json["interrupted"] = interrupted;
  json["never_seen"] = summary.never_seen;
  json["wrong"] = Json::array();
  for (std::size_t i = 0; i < summary.wrong.size(); ++i) {
    json["wrong"].push_back({{"seed", summary.wrong[i].seed},
                             {"problems", summary.wrong[i].problems},
                             {"token", to_string(token_of(options, summary, i, shrunk))}});
  }
  if (shrunk) json["wrong"][0]["story"] = shrunk->story;
  return json;
}

std::vector<cli::JunitCase> cases_of(const Options& options, const Summary& summary,
                                     const std::optional<Shrunk>& shrunk, bool interrupted) {
  std::vector<cli::JunitCase> cases;
  for (std::size_t i = 0; i < summary.wrong.size(); ++i) {
    cases.push_back({fmt::format("seed {}", summary.wrong[i].seed), 0,
                     fmt::format("{}; {}", fmt::join(summary.wrong[i].problems, "; "),
                                 replay_command(token_of(options, summary, i, shrunk))),
                     false});
  }
  cases.push_back({fmt::format("{} seeds, {}", summary.runs, row_of(options.executor).strategy),
                   summary.seconds, "", interrupted || !summary.never_seen.empty()});
  return cases;
}

}  // namespace

cli::ExitCode SimulateOutput::finish(const Options& options, const cli::NumberRange& seeds,
                                     const Summary& summary, const std::optional<Shrunk>& shrunk,
                                     std::optional<cli::ExitCode> interrupted) {
  // A signal that came when no more would have been tried keeps none from being so.
  const bool early = interrupted && summary.runs != seeds.size() && !summary.is_enough();
  files_.print(gap_of(seeds, summary, early, interrupted && shrunk) +
               text_of(options, summary, shrunk));
  files_.finish([&] { return cli::text_of_json(json_of(options, seeds, summary, shrunk, early)); },
                "pto2 simulate " + name_of(options), cases_of(options, summary, shrunk, early),
                early);
  if (summary.wrong_runs != 0) return cli::exit_fail;
  if (early) return *interrupted;
  return summary.never_seen.empty() && summary.runs != 0 ? cli::exit_pass : cli::exit_inconclusive;
}

}  // namespace pto2::simulations
