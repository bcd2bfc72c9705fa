/// What the judge tells of runs in which one thing is wrong: sensitivity.txt has for each kind of
/// mistake how many were tried, how many were refused as no trace, and which rules told how many.
/// A change of the reader or of a rule that changes any of these verdicts changes a line.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runtime/judge/judge.hpp"
#include "runtime/record/trace_reader.hpp"
#include "tests/runtime/judge/altered_lines.hpp"
#include "tests/support/kept_rows.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;

/// Of each run and kind.
constexpr std::size_t most_tried = 6;

const fs::path folder = PTO2_SOURCE_DIR "/tests/runtime/judge";

/// What became of the mistakes of one kind.
class Row {
 public:
  void try_run(const std::string& text) {
    ++tried_;
    try {
      add(judging::judge(read_trace_text(text), {.races = true, .idle_limit = 300'000}));
    } catch (const TraceError& error) {
      ++refused_;
      digest_.add(error.line());
    }
  }

  /// The digest is of which mistakes they were, and of the lines that were cited.
  [[nodiscard]] std::string text() const {
    std::string rules;
    for (const auto& [rule, times] : told_) rules += fmt::format(", {} {}", rule.substr(3), times);
    return fmt::format("{} tried, {} sound, {} refused{}; {:08x}", tried_, sound_, refused_, rules,
                       digest_.value());
  }

 private:
  void add(const judging::Verdict& verdict) {
    sound_ += verdict.valid() ? 1 : 0;
    digest_.add(verdict.more);
    digest_.add(verdict.figures.entries);
    std::map<std::string, uint64_t> rules;
    for (const judging::Violation& violation : verdict.violations) {
      rules[violation.rule] = 1;
      digest_.add(violation.rule);
      digest_.add(violation.line);
      digest_.add(violation.other_line);
    }
    for (const auto& [rule, once] : rules) told_[rule] += once;
  }

  uint64_t tried_ = 0;
  uint64_t sound_ = 0;
  uint64_t refused_ = 0;
  std::map<std::string, uint64_t> told_;  ///< mistakes by rule
  Digest digest_;
};

TraceLines lines_of(const fs::path& file) {
  std::ifstream stream(file);
  TraceLines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::string text_of(const TraceLines& lines) {
  std::string text;
  for (const Json& line : lines) text += line.dump() + '\n';
  return text;
}

/// A few of the alterations, from all over the run.
void try_alterations(const TraceLines& lines, std::map<std::string, Row>& rows) {
  for (const auto& [kind, alterations] : alterations_of(lines)) {
    const std::size_t tries = std::min(alterations.size(), most_tried);
    for (std::size_t i = 0; i < tries; ++i) {
      TraceLines altered = lines;
      alterations[i * alterations.size() / tries](altered);
      rows[kind].try_run(text_of(altered));
    }
  }
}

std::vector<std::string> measured() {
  std::vector<fs::path> files{fs::directory_iterator(folder / "runs"), {}};
  std::sort(files.begin(), files.end());
  std::map<std::string, Row> rows;
  for (const fs::path& file : files) {
    const TraceLines lines = lines_of(file);
    const judging::Verdict verdict = judging::judge(read_trace_text(text_of(lines)));
    EXPECT_TRUE(verdict.valid()) << file << ": " << verdict.violations.front().text;
    try_alterations(lines, rows);
  }
  std::vector<std::string> texts;
  for (const auto& [kind, row] : rows) texts.push_back(kind + ": " + row.text());
  return texts;
}

TEST(Sensitivity, OfTheJudgeIsAsItWas) {
  expect_kept(folder / "sensitivity.txt", measured());
}

}  // namespace
}  // namespace pto2::test
