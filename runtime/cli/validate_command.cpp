#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/validate/trace_reader.hpp"
#include "runtime/validate/validate.hpp"

namespace pto2::cli {
namespace {

using Json = nlohmann::ordered_json;
using validation::TraceError;
using validation::Verdict;
using validation::Violation;

constexpr const char* validate_footer =
    R"(Reads traces that pto2 run --trace has written and judges each by the rules VR-I1 to VR-I27,
by VR-I23 with --races only; docs/VALIDATE.md explains them. A violation names its rule and two
lines.

Examples:
  pto2 run paged_attention --trace trace.jsonl
  pto2 validate trace.jsonl
  pto2 validate --races --json *.jsonl

Exit codes: 0 every trace is valid, 1 a rule is broken, 2 usage, 3 a file is no trace that can be
judged, and no rule is broken in the others.)";

/// What became of one file.
struct Judged {
  std::string file;
  std::size_t tasks = 0;
  std::size_t events = 0;
  Verdict verdict;
  std::unique_ptr<TraceError> error;

  [[nodiscard]] const char* name() const {
    if (error != nullptr) return "no trace";
    return verdict.valid() ? "valid" : "broken";
  }
};

Judged judge_file(const std::string& file, bool races) {
  Judged judged{.file = file, .tasks = 0, .events = 0, .verdict = {}, .error = nullptr};
  try {
    const validation::Trace trace = validation::read_trace(file);
    judged.tasks = trace.submissions.size();
    judged.events = trace.events.size();
    judged.verdict = validation::judge(trace, races);
  } catch (const TraceError& error) {
    judged.error = std::make_unique<TraceError>(error);
  } catch (const std::bad_alloc&) {
    judged.error = std::make_unique<TraceError>(
        0, "there is not enough memory for a trace of this size", "validate a shorter run");
  }
  return judged;
}

std::string place_of(const std::string& file, uint32_t line) {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

void show(OutputFile& out, const Judged& judged) {
  if (judged.error != nullptr) return;
  for (const Violation& violation : judged.verdict.violations) {
    out.write(fmt::format("{}: {}: {}\n", place_of(judged.file, violation.line), violation.rule,
                          violation.text));
  }
  if (judged.verdict.more != 0) {
    out.write(fmt::format("{}: and {} more\n", judged.file, judged.verdict.more));
  }
  out.write(fmt::format("{}: {}, {} tasks, {} events\n", judged.file, judged.name(), judged.tasks,
                        judged.events));
}

Json json_of(const Judged& judged) {
  Json json = {{"file", judged.file}, {"verdict", judged.name()}};
  if (judged.error != nullptr) {
    json["error"] = {{"line", judged.error->line()},
                     {"message", judged.error->what()},
                     {"remedy", judged.error->remedy()}};
    return json;
  }
  json["tasks"] = judged.tasks;
  json["events"] = judged.events;
  Json& violations = json["violations"] = Json::array();
  for (const Violation& violation : judged.verdict.violations) {
    Json lines = {violation.line};
    if (violation.other_line != 0) lines.push_back(violation.other_line);
    violations.push_back({{"rule", violation.rule}, {"text", violation.text}, {"lines", lines}});
  }
  json["more"] = judged.verdict.more;
  return json;
}

class ValidateCommand : public Command {
 public:
  explicit ValidateCommand(CLI::App& subcommand) {
    subcommand.add_option("FILE", files_, "traces")->type_name("");
    subcommand.add_flag("--races", races_,
                        "also find tasks that touch the same bytes without an order");
    subcommand.add_flag("--json", json_, "write the result as JSON");
    subcommand.footer(validate_footer);
  }

  ExitCode execute() override {
    if (files_.empty()) {
      throw CliError(exit_usage, "name the FILEs to validate; pto2 run --trace FILE writes them");
    }
    OutputFile out("-");
    Json files = Json::array();
    bool broken = false;
    bool unreadable = false;
    for (const std::string& file : files_) {
      const Judged judged = judge_file(file, races_);
      broken |= judged.error == nullptr && !judged.verdict.valid();
      unreadable |= judged.error != nullptr;
      complain(judged);
      if (json_) {
        files.push_back(json_of(judged));
      } else {
        show(out, judged);
      }
    }
    const ExitCode code = broken ? exit_fail : unreadable ? exit_bad_input : exit_pass;
    if (json_) write_json(out, files, code);
    out.finish();
    return code;
  }

 private:
  static void complain(const Judged& judged) {
    if (judged.error == nullptr) return;
    fmt::print(stderr, "pto2: {}: {}; {}\n", place_of(judged.file, judged.error->line()),
               judged.error->what(), judged.error->remedy());
  }

  void write_json(OutputFile& out, const Json& files, ExitCode code) const {
    const char* const verdict = code == exit_pass   ? "valid"
                                : code == exit_fail ? "broken"
                                                    : "no trace";
    const Json json = {
        {"schema", "pto2-validate/1"}, {"verdict", verdict}, {"races", races_}, {"files", files}};
    out.write(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  std::vector<std::string> files_;
  bool races_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_validate_command(CLI::App& subcommand) {
  return std::make_unique<ValidateCommand>(subcommand);
}

}  // namespace pto2::cli
