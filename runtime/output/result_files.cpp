#include "runtime/output/result_files.hpp"

#include <fmt/format.h>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

struct NamedFile {
  const char* option;
  const std::string& name;
};

/// One file cannot take two results.
void check_apart(const NamedFile& one, const NamedFile& other) {
  if (one.name.empty() || other.name.empty() || !is_same_file(one.name, other.name)) return;
  throw CliError(exit_usage,
                 fmt::format("{} and {} {}", one.option, other.option,
                             one.name == "-" || other.name == "-" ? "cannot both be stdout"
                                                                  : "name the same file"));
}

/// Whether stdout has no document.
bool is_for_people(const ResultNames& names) {
  return names.json != "-" && names.junit != "-" && names.trace != "-";
}

}  // namespace

ResultFiles::ResultFiles(const ResultNames& names) : text_(is_for_people(names)) {
  const NamedFile trace{"--trace", names.trace};
  const NamedFile json{"--json", names.json};
  const NamedFile junit{"--junit", names.junit};
  check_apart(trace, json);
  check_apart(trace, junit);
  check_apart(json, junit);
  if (!text_) reserved_.emplace();
  std::FILE* const standard = reserved_ ? reserved_->document() : stdout;
  if (!names.json.empty()) json_.emplace(names.json, "the result as JSON", standard);
  if (!names.junit.empty()) junit_.emplace(names.junit, "the result as JUnit", standard);
  if (!names.trace.empty()) trace_.emplace(names.trace, "the trace", standard);
}

void ResultFiles::remove_former() const {
  for (const auto* file : {&json_, &junit_, &trace_}) {
    if (*file) (*file)->remove_former();
  }
}

void ResultFiles::begin_again() {
  for (auto* file : {&json_, &junit_, &trace_}) {
    if (*file) (*file)->begin_again();
  }
}

template <class Step>
void ResultFiles::attempt(Step&& step) {
  try {
    step();
  } catch (const CliError& error) {
    if (!error_) error_ = error;
  }
}

void ResultFiles::finish_trace() {
  attempt([this] { trace_->finish(); });
}

void ResultFiles::print(const std::string& text) {
  if (!text_ || text.empty()) return;
  attempt([&] {
    OutputFile out("-");
    out.write(text);
    out.finish();
  });
}

void ResultFiles::finish_json(const std::function<std::string()>& json_text) {
  if (!json_) return;
  json_->write(json_text());
  attempt([this] { json_->finish(); });
}

void ResultFiles::finish() const {
  if (error_) throw CliError(*error_);
}

void ResultFiles::finish(const std::function<std::string()>& json_text) {
  finish_json(json_text);
  finish();
}

void ResultFiles::finish(const std::function<std::string()>& json_text, const std::string& suite,
                         const std::vector<JunitCase>& cases, bool interrupted) {
  finish_json(json_text);
  if (junit_) {
    junit_->write(junit_text(suite, cases, interrupted));
    attempt([this] { junit_->finish(); });
  }
  finish();
}

}  // namespace pto2::cli
