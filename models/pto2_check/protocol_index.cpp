#include "models/pto2_check/protocol_index.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "models/pto2_check/source_uses.hpp"
#include "models/pto2_check/weakening.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr const char* begin_mark =
    "<!-- generated: pto2 check --index docs/PROTOCOLS.md --update -->\n";
constexpr const char* end_mark = "<!-- end of what is generated -->\n";

/// Nothing if it cannot be opened, or read, as a folder cannot.
std::optional<std::string> content_of(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  try {
    return std::string(std::istreambuf_iterator<char>(stream), {});
  } catch (const std::ios_base::failure&) {
    return std::nullopt;
  }
}

std::string text_of(const fs::path& file) {
  const std::optional<std::string> text = content_of(file);
  if (!text) throw std::runtime_error(file.string() + " cannot be read");
  // What is looked for at the ends of lines would be passed over.
  if (text->find('\r') != std::string::npos) {
    throw std::runtime_error(file.string() + ": its lines end with CR LF");
  }
  return *text;
}

std::vector<fs::path> headers_below(const fs::path& folder) {
  std::vector<fs::path> headers;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
  }
  std::ranges::sort(headers);
  return headers;
}

struct Invariant {
  std::string file;
  std::string text;
  std::vector<std::string> scenarios;
};

/// "///   WM-I1: text", whose text goes on in lines that are indented further.
void add_invariants(const fs::path& folder, std::map<std::string, Invariant>& invariants) {
  static const std::regex first(R"(///   ([A-Z]{2}-I[0-9]+): +(.*))");
  static const std::regex further(R"(///    +(.*))");
  for (const fs::path& header : headers_below(folder)) {
    std::istringstream lines(text_of(header));
    Invariant* open = nullptr;
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (std::regex_match(line, match, first)) {
        open = &invariants[match[1]];
        *open = {header.filename().string(), match[2], {}};
      } else if (open != nullptr && std::regex_match(line, match, further)) {
        open->text += " " + match.str(1);
      } else {
        open = nullptr;
      }
    }
  }
}

/// Adds the scenarios whose headers cite an invariant.
void add_citations(std::map<std::string, Invariant>& invariants, const fs::path& models,
                   const std::vector<Entry>& entries) {
  static const std::regex id(R"(\b[A-Z]{2}-I[0-9]+\b)");
  std::map<std::string, std::string> texts;
  for (const Entry& entry : entries) {
    const std::string name = entry.name.substr(0, entry.name.find('/', entry.name.find('/') + 1));
    if (!texts.contains(name)) texts[name] = text_of(models / (name + ".hpp"));
  }
  for (const auto& [name, text] : texts) {
    for (std::sregex_iterator match(text.begin(), text.end(), id), end; match != end; ++match) {
      const auto invariant = invariants.find(match->str());
      if (invariant == invariants.end()) continue;
      auto& scenarios = invariant->second.scenarios;
      if (std::ranges::find(scenarios, name) == scenarios.end()) scenarios.push_back(name);
    }
  }
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string invariant_table(const fs::path& root, const std::vector<Entry>& entries) {
  std::map<std::string, Invariant> invariants;
  // The rules of whole runs (runtime/judge/rule_table.hpp) are of no piece: every run is judged.
  for (const char* folder : {"core", "runtime/tensormap"}) {
    add_invariants(root / folder, invariants);
  }
  add_citations(invariants, root / "models", entries);
  std::string text = "| invariant | file | what holds | scenarios |\n|---|---|---|---|\n";
  for (const auto& [id, invariant] : invariants) {
    if (invariant.scenarios.empty()) throw std::runtime_error("no scenario cites " + id);
    text += fmt::format("| {} | `{}` | {} | {} |\n", id, invariant.file, invariant.text,
                        joined(invariant.scenarios));
  }
  return text;
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::load:
      return "load";
    case Operation::store:
      return "store";
    case Operation::update:
      return "update";
  }
  return "unknown";
}

/// What other tools saw of weakenings, as stress/compare_tools has measured it.
class OtherTools {
 public:
  explicit OtherTools(const fs::path& file) {
    static const std::regex row("([^,]+,[^,]+),([^,]+),([^,]+),([^,]+),([^,]+)");
    std::istringstream lines(text_of(file));
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, row)) {
        throw std::runtime_error(file.string() + ": not a row of six: " + line);
      }
      seen_[match[1]] = {match[2], {match[3], match[4], match[5]}};
    }
  }

  /// Cells of a table, which are counted. Another scenario than the one that shows the weakening
  /// now says nothing of it.
  std::string cells(const WeakeningResult& result) {
    const auto found = seen_.find(result.site + "," + result.to);
    if (found == seen_.end() || found->second.witness != result.witness) {
      ++unmeasured_;
      return "not measured | |";
    }
    ++measured_;
    std::string text;
    for (std::size_t tool = 0; tool < tools; ++tool) {
      const std::string& said = found->second.said[tool];
      text += (tool == 0 ? "" : " | ") + said;
      if (said == "yes") ++yes_[tool];
    }
    return text;
  }

  /// Of all cells that were asked for.
  [[nodiscard]] std::string sums() const {
    return fmt::format(
        "TSan saw {} of the {} that were measured, helgrind {}, a minute of stress {}{}.\n",
        yes_[0], measured_, yes_[1], yes_[2],
        unmeasured_ == 0 ? "" : fmt::format("; {} were not measured", unmeasured_));
  }

 private:
  static constexpr std::size_t tools = 3;
  struct Seen {
    std::string witness;
    std::array<std::string, tools> said;
  };

  std::map<std::string, Seen> seen_;  // by "order,weakened to"
  std::array<int, tools> yes_{};
  int measured_ = 0;
  int unmeasured_ = 0;
};

/// Stands above the table of orders, and the sums below it.
constexpr const char* order_note =
    "The last three columns say what other tools saw of the weakening, on the scenario that\n"
    "shows it here. TRUST.md says why no run on x86-64 can show most of them.\n";

/// An index names a witness of each weakening, or is none.
void expect_killed(const WeakeningResult& result) {
  const std::string what = result.site + " to " + result.to;
  if (result.status == MutantStatus::survived) {
    throw cli::CliError(cli::exit_fail, what + " survived: " + why_it_survived(result));
  }
  if (result.status == MutantStatus::inconclusive) {
    throw cli::CliError(cli::exit_inconclusive, what + " is inconclusive: " + result.effect);
  }
}

std::string scenario_table(const std::vector<Entry>& entries) {
  std::string text = "| scenario | |\n|---|---|\n";
  for (const Entry& entry : entries) {
    text += fmt::format("| {} | {} |\n", entry.name, effort_text(entry.expected));
  }
  return text;
}

/// What comes before the memory orders.
std::string index_head(const std::string& root, const std::vector<Entry>& entries) {
  if (!fs::exists(fs::path(root) / "core/policy.hpp")) {
    throw std::runtime_error("there is no core/policy.hpp here; run it in the source tree");
  }
  return "### Invariants\n\n" + invariant_table(root, entries) + "\n### Memory orders\n\n";
}
/// What comes behind them.
std::string index_tail(const std::vector<Entry>& entries) {
  return "\n### Scenarios\n\n" + scenario_table(entries);
}

/// A file with an index: the text, and where the index is in it.
struct Indexed {
  explicit Indexed(const std::string& file)
      : text(text_of(file)), begin(text.find(begin_mark)), end(text.find(end_mark)) {
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
      throw std::runtime_error(
          fmt::format("{}: no part between the lines\n{}{}", file, begin_mark, end_mark));
    }
    begin += std::string_view(begin_mark).size();
  }
  [[nodiscard]] std::string_view index() const {
    return std::string_view(text).substr(begin, end - begin);
  }

  std::string text;
  std::size_t begin;
  std::size_t end;
};

}  // namespace

std::string order_table(const std::string& measured, const std::vector<WeakPoint>& points,
                        const CheckSettings& settings) {
  OtherTools others(measured);
  std::string rows;
  Weakener weakener(settings);
  for (const WeakPoint& point : points) {
    if (!point.whole) continue;
    const std::string start =
        fmt::format("| `{}` | {} | {} |", point.site->name, name_of(point.site->operation),
                    model::to_string(point.site->order));
    for (const std::memory_order order : weaker_orders(*point.site)) {
      const WeakeningResult result = weakener.weaken(point, order);
      if (settings.stop.stop_requested()) return {};
      expect_killed(result);
      rows += fmt::format("{} {} | {} | {} |\n", start, result.to, result.witness,
                          others.cells(result));
    }
    if (weaker_orders(*point.site).empty()) rows += start + " | | | | |\n";
  }
  return order_note + others.sums() +
         "\n| order | operation | | weakened to | shown by | TSan | helgrind | one minute of "
         "stress "
         "|\n|---|---|---|---|---|---|---|---|\n" +
         rows;
}

std::string protocol_index(const std::string& root, const std::vector<Entry>& entries,
                           const CheckSettings& settings) {
  const std::string head = index_head(root, entries);
  const std::vector<WeakPoint> points = weak_points(entries, settings.stop);
  if (settings.stop.stop_requested()) return {};
  // Those of the model: what a ring promises.
  std::vector<std::string> uses = uses_in_source(fs::path(root) / "models/support");
  std::ranges::copy(uses_in_source(fs::path(root) / "core"), std::back_inserter(uses));
  std::ranges::sort(uses);
  expect_same_uses(uses, uses_met(points));
  const fs::path measured = fs::path(root) / "models/pto2_check/other_tools.csv";
  return head + order_table(measured, points, settings) + index_tail(entries);
}

bool index_may_be_current(const std::string& file, const std::string& root,
                          const std::vector<Entry>& entries) {
  const Indexed indexed(file);
  return indexed.index().starts_with("\n" + index_head(root, entries)) &&
         indexed.index().ends_with(index_tail(entries) + "\n");
}

bool index_is_current(const std::string& file, const std::string& index, bool update) {
  Indexed indexed(file);
  const std::string wanted = "\n" + index + "\n";
  if (indexed.index() == wanted) return true;
  if (!update) return false;
  indexed.text.replace(indexed.begin, indexed.end - indexed.begin, wanted);
  cli::OutputFile output(file, "the index");
  output.write(indexed.text);
  output.finish();
  return true;
}

}  // namespace pto2::scenarios
