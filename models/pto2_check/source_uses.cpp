#include "models/pto2_check/source_uses.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

void add_uses_in(const std::filesystem::path& header, std::vector<std::string>& uses) {
  static const std::regex use(R"(P::order\(\w+::\w+\))");
  static const std::regex comment(R"(^\s*//)");
  std::ifstream lines(header);
  if (!lines) throw std::runtime_error(header.string() + " cannot be read");
  const std::string file = (header.parent_path().filename() / header.filename()).string();
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_search(line, comment)) continue;
    const auto count = std::distance(std::sregex_iterator(line.begin(), line.end(), use), {});
    uses.insert(uses.end(), static_cast<std::size_t>(count), fmt::format("{}:{}", file, number));
  }
}

std::vector<std::string> beyond(const std::vector<std::string>& all,
                                const std::vector<std::string>& known) {
  std::vector<std::string> rest;
  std::ranges::set_difference(all, known, std::back_inserter(rest));
  return rest;
}

}  // namespace

std::vector<std::string> uses_in_source(const std::filesystem::path& folder) {
  std::vector<std::string> uses;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hpp") add_uses_in(entry.path(), uses);
  }
  std::ranges::sort(uses);
  return uses;
}

std::vector<std::string> uses_met(const std::vector<WeakPoint>& points) {
  std::vector<std::string> uses;
  for (const WeakPoint& point : points) {
    const bool explored = std::ranges::any_of(
        point.entries, [](const Entry* entry) { return entry->expected.effort != Effort::many; });
    if (point.uses.size() == 1 && explored) uses.push_back(place_text(point.uses[0]));
  }
  std::ranges::sort(uses);
  return uses;
}

void expect_same_uses(const std::vector<std::string>& in_source,
                      const std::vector<std::string>& met) {
  if (const auto unmet = beyond(in_source, met); !unmet.empty()) {
    throw std::runtime_error(unmet[0] +
                             " asks for a memory order that no scenario comes to without "
                             "--deep; add a scenario that does");
  }
  if (const auto unknown = beyond(met, in_source); !unknown.empty()) {
    throw std::runtime_error(unknown[0] +
                             " asks for a memory order, but not in one line as "
                             "P::order(ORDERS::SITE); write it so");
  }
}

}  // namespace pto2::scenarios
