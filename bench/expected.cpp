#include "bench/expected.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace pto2::bench {
namespace {

std::string text_of(double figure, const Expectation& of) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", of.decimals, figure);
  return text;
}

/// Prints the table, and what is not as expected. Whether all is.
bool report(const std::string& work, const std::vector<Compared>& rows, const Expectation& of) {
  for (const Compared& row : rows) {
    std::printf("%-20s %-24s %7s%s\n", work.c_str(), row.part.c_str(),
                text_of(row.figure, of).c_str(),
                row.differs ? (" expected " + text_of(row.expected, of)).c_str() : "");
  }
  return std::ranges::none_of(rows, &Compared::differs);
}

void append_rows(const std::string& file, const std::string& subject, const Figures& figures) {
  std::ofstream out(file, std::ios::app);
  for (const auto& [work, parts] : figures) {
    out << nlohmann::json{{"subject", subject}, {"work", work}, {"per_task", parts}} << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

/// Empty: the text is not a number and nothing else.
std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Figures read_figures(std::istream& text) {
  Figures figures;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream row(line);
    std::string work, part, figure;
    std::getline(std::getline(std::getline(row, work, ','), part, ','), figure);
    const std::optional<double> value = number(figure);
    if (!value) throw std::invalid_argument("no figure in the line " + line);
    if (!figures[work].emplace(part, *value).second) {
      throw std::invalid_argument("a second figure in the line " + line);
    }
  }
  return figures;
}

void write_figures(std::ostream& text, const Figures& figures, const Expectation& of) {
  text << of.headings << '\n';
  for (const auto& [work, parts] : figures) {
    for (const auto& [part, figure] : parts) {
      text << work << ',' << part << ',' << text_of(figure, of) << '\n';
    }
  }
}

std::vector<Compared> compare(const PerTask& measured, const PerTask& expected,
                              const Expectation& of) {
  std::map<std::string, Compared> rows;
  for (const auto& [part, figure] : measured) rows[part] = {part, figure, 0, false};
  for (const auto& [part, figure] : expected) {
    rows.try_emplace(part, Compared{part, 0, 0, false}).first->second.expected = figure;
  }
  std::vector<Compared> result;
  for (auto& [part, row] : rows) {
    const double most = std::max(of.tolerance * row.expected, of.least_tolerance);
    row.differs = !(std::abs(row.figure - row.expected) <= most);  // also what is no number
    result.push_back(row);
  }
  return result;
}

bool parse(const std::vector<std::string>& arguments, FigureOptions& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--rows" && i + 1 < arguments.size()) {
      options.rows = arguments[++i];
    } else if (arguments[i] == "--update") {
      options.update = true;
    } else {
      return false;
    }
  }
  return true;
}

int check_figures(const Expectation& expected, const FigureOptions& options,
                  std::span<const Work> works) {
  Figures wanted;
  if (std::ifstream before(expected.file); !options.update) wanted = read_figures(before);
  Figures measured;
  bool as_expected = true;
  for (const auto& [name, measure] : works) {
    const PerTask& figures = measured[name] = measure();
    const PerTask& should_be = options.update ? figures : wanted[name];
    as_expected = report(name, compare(figures, should_be, expected), expected) && as_expected;
  }
  for (const auto& [name, figures] : wanted) {
    if (measured.contains(name)) continue;
    std::cerr << expected.subject << ": " << name << " is no longer measured\n";
    as_expected = false;
  }
  if (!options.rows.empty()) append_rows(options.rows, expected.subject, measured);
  if (options.update && as_expected) {
    std::ofstream after(expected.file);
    write_figures(after, measured, expected);
    if (!after.flush()) throw std::runtime_error("cannot write " + expected.file.string());
  }
  if (as_expected) return 0;
  std::cerr << expected.subject << ": not what " << expected.file
            << " expects; if it is meant, write it there with --update\n";
  return 1;
}

}  // namespace pto2::bench
