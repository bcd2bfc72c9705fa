#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/output/command_line.hpp"
#include "runtime/output/json_text.hpp"
#include "runtime/output/result_files.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/record/trace_reader.hpp"

namespace pto2::cli {
namespace {

using Json = nlohmann::ordered_json;
using judging::Verdict;
using judging::Violation;

constexpr const char* validate_footer =
    R"(Reads traces that pto2 run --trace has written, - from stdin, and judges each by the rules
VR-I1 to VR-I37, VR-I23 with --races only, and VR-I36 of real threads with --idle-limit only;
docs/VALIDATE.md explains them. A violation names its rule and two lines; violations are sorted by
the first one.

Examples:
  pto2 run paged_attention --trace trace.jsonl
  pto2 validate trace.jsonl
  pto2 validate --races *.jsonl --json result.json
  zcat trace.jsonl.gz | pto2 validate - --json -

Exit codes: 0 every trace is valid, 1 a rule is broken, 2 usage, 3 a file is no trace that can be
judged, and no rule is broken in the others; or the result could not be written.)";

/// What became of one file.
struct Judged {
  std::string file;
  Verdict verdict;
  std::unique_ptr<TraceError> error;

  [[nodiscard]] const char* name() const {
    if (error != nullptr) return "no trace";
    return verdict.valid() ? "valid" : "broken";
  }
};

Judged judge_file(const std::string& file, const judging::Demands& demands) {
  Judged judged{.file = file, .verdict = {}, .error = nullptr};
  try {
    judged.verdict = judging::judge(read_trace(file), demands);
  } catch (const TraceError& error) {
    judged.error = std::make_unique<TraceError>(error);
  } catch (const std::bad_alloc&) {
    judged.error = std::make_unique<TraceError>(
        0, "there is not enough memory for a trace of this size", "validate a shorter run");
  }
  return judged;
}

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

std::string place_of(const std::string& file, uint32_t line) {
  return line == 0 ? shown_name(file) : fmt::format("{}:{}", shown_name(file), line);
}

std::string text_of(const Judged& judged) {
  if (judged.error != nullptr) return {};
  const std::string name = shown_name(judged.file);
  std::string text;
  for (const Violation& violation : judged.verdict.violations) {
    text += fmt::format("{}: {}: {}\n", place_of(judged.file, violation.line), violation.rule,
                        violation.text);
  }
  if (judged.verdict.more != 0) text += fmt::format("{}: and {} more\n", name, judged.verdict.more);
  const judging::Figures& figures = judged.verdict.figures;
  return text + fmt::format(
                    "{}: {}, {} tasks, {} parts, {} events; {} tasks pinned, {} groups, {} "
                    "pipes, {} entries pushed\n",
                    name, judged.name(), figures.tasks, figures.parts, figures.events,
                    figures.pinned_tasks, figures.groups, figures.pipes, figures.entries);
}

Json json_of(const Judged& judged) {
  Json json = {{"file", judged.file}, {"verdict", judged.name()}};
  if (judged.error != nullptr) {
    json["error"] = {{"line", judged.error->line()},
                     {"message", judged.error->what()},
                     {"remedy", judged.error->remedy()}};
    return json;
  }
  const judging::Figures& figures = judged.verdict.figures;
  json["tasks"] = figures.tasks;
  json["parts"] = figures.parts;
  json["events"] = figures.events;
  json["pinned_tasks"] = figures.pinned_tasks;
  json["groups"] = figures.groups;
  json["pipes"] = figures.pipes;
  json["entries"] = figures.entries;
  Json& violations = json["violations"] = Json::array();
  for (const Violation& violation : judged.verdict.violations) {
    Json lines = {violation.line};
    if (violation.other_line != 0) lines.push_back(violation.other_line);
    violations.push_back({{"rule", violation.rule}, {"text", violation.text}, {"lines", lines}});
  }
  json["more"] = judged.verdict.more;
  return json;
}

/// Whether a file that is there looks like a trace, however old.
bool is_a_trace(const std::string& path) {
  constexpr std::string_view beginning = R"({"schema":"pto2-trace/)";
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::array<char, beginning.size()> text{};
  std::ifstream(path, std::ios::binary).read(text.data(), text.size());
  return std::string_view(text.data(), text.size()) == beginning;
}

class ValidateCommand : public Command {
 public:
  explicit ValidateCommand(CLI::App& subcommand) {
    subcommand.add_option("FILE", files_, "traces; - is stdin")
        ->type_name("")
        ->check(refusal_of_file_name);
    subcommand.add_flag("--races", races_,
                        "also find tasks that touch the same bytes without an order");
    subcommand
        .add_option("--idle-limit", idle_limit_,
                    "on real threads, also find tasks that are ready for more seconds than this "
                    "beside an idle core")
        ->transform(whole_number_in(1, 1'000'000))
        ->type_name("SECONDS");
    subcommand.add_option("--json", json_, "write the result as JSON; - is stdout")
        ->type_name("FILE")
        ->check(refusal_of_file_name);
    subcommand.footer(validate_footer);
  }

  /// Throws CliError.
  ExitCode execute() override {
    check_files();
    ResultFiles results(ResultNames{.json = json_});
    judging::Demands demands{.races = races_};
    if (idle_limit_) demands.idle_limit = *idle_limit_ * 1'000'000'000;
    Json files = Json::array();
    bool broken = false;
    bool unreadable = false;
    for (const std::string& file : files_) {
      const Judged judged = judge_file(file, demands);
      broken |= judged.error == nullptr && !judged.verdict.valid();
      unreadable |= judged.error != nullptr;
      complain(judged);
      results.print(text_of(judged));
      files.push_back(json_of(judged));
    }
    const ExitCode code = broken ? exit_fail : unreadable ? exit_bad_input : exit_pass;
    results.finish([&] { return json_text(files, code); });
    return code;
  }

 private:
  /// No trace may be overwritten, be it one of the FILEs or one that the shell has put behind
  /// --json.
  void check_files() const {
    if (files_.empty()) {
      throw CliError(exit_usage,
                     fmt::format("name the FILEs to validate; pto2 run --trace FILE writes them{}",
                                 json_.empty() ? "" : ", and --json has a name of its own"));
    }
    if (std::ranges::count(files_, "-") > 1) {
      throw CliError(exit_usage, "- is named twice, but stdin can be read once; name it once");
    }
    if (json_.empty() || json_ == "-") return;
    for (const std::string& file : files_) {
      if (!is_same_file(json_, file == "-" ? "/dev/stdin" : file)) continue;
      throw CliError(exit_usage, fmt::format("--json would overwrite {}, which is to be validated; "
                                             "name another file",
                                             json_));
    }
    if (!is_a_trace(json_)) return;
    throw CliError(exit_usage, fmt::format("--json would overwrite {}, which is a trace; name "
                                           "another file, or --json - for stdout",
                                           json_));
  }

  static void complain(const Judged& judged) {
    if (judged.error == nullptr) return;
    print_to_stderr("pto2: {}: {}; {}\n", place_of(judged.file, judged.error->line()),
                    judged.error->what(), judged.error->remedy());
  }

  std::string json_text(const Json& files, ExitCode code) const {
    const char* const verdict = code == exit_pass   ? "valid"
                                : code == exit_fail ? "broken"
                                                    : "no trace";
    return text_of_json({{"schema", "pto2-validate/1"},
                         {"verdict", verdict},
                         {"races", races_},
                         {"idle_limit_s", idle_limit_ ? Json(*idle_limit_) : Json()},
                         {"files", files}});
  }

  std::vector<std::string> files_;
  std::string json_;
  bool races_ = false;
  std::optional<uint64_t> idle_limit_;  // in seconds
};

}  // namespace

std::unique_ptr<Command> make_validate_command(CLI::App& subcommand) {
  return std::make_unique<ValidateCommand>(subcommand);
}

}  // namespace pto2::cli
