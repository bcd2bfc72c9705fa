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
                             one.name == "-" ? "cannot both be stdout" : "name the same file"));
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
  if (!names.json.empty()) json_.emplace(names.json);
  if (!names.junit.empty()) junit_.emplace(names.junit);
  if (!names.trace.empty()) trace_.emplace(names.trace);
}

void ResultFiles::print(const std::string& text) const {
  if (!text_ || text.empty()) return;
  OutputFile out("-");
  out.write(text);
  out.finish();
}

void ResultFiles::finish(const std::function<std::string()>& json_text) {
  if (!json_) return;
  json_->write(json_text());
  json_->finish();
}

void ResultFiles::finish(const std::function<std::string()>& json_text, const std::string& suite,
                         const std::vector<JunitCase>& cases, bool interrupted) {
  finish(json_text);
  if (!junit_) return;
  junit_->write(junit_text(suite, cases, interrupted));
  junit_->finish();
}

}  // namespace pto2::cli
