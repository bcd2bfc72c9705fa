// What a run can be, tell or end in stands in one table each.
#include <algorithm>
#include <regex>
#include <set>

#include "models/mutants/source_text.hpp"
#include "tests/tidy/rules.hpp"

namespace pto2::tidy {
namespace {

struct TableOfKind {
  const char* kind;    // an enumeration
  const char* header;  // that has it
  const char* table;   // the file that lists its names
};
constexpr TableOfKind tables[] = {
    {"EventKind", "runtime/record/event.hpp", "runtime/record/event.cpp"},
    {"ErrorCode", "runtime/record/outcome.hpp", "runtime/record/outcome.cpp"},
    {"ExecutorKind", "runtime/device/executor_table.hpp", "runtime/device/executor_table.cpp"},
};

bool is_of_the_product(const SourceFile& file) {
  static constexpr const char* folders[] = {"core", "models", "runtime", "stress"};
  return file.is_cpp() &&
         std::ranges::any_of(folders, [&](const char* folder) { return file.is_under(folder); });
}

const std::string& text_of(const SourceTree& tree, const std::string& path) {
  static const std::string none;
  const auto found = std::ranges::find(tree, path, &SourceFile::path);
  return found == tree.end() ? none : found->text;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

/// The names in `enum class KIND .. { .. }`.
std::set<std::string> enumerators(const std::string& header, const std::string& kind) {
  const std::string code = source::without_comments_and_literals(header);
  std::smatch list;
  if (!std::regex_search(code, list, std::regex("enum class " + kind + R"(\b[^{;]*\{([^}]*)\})"))) {
    return {};
  }
  return matches(list[1], std::regex(R"((\w+)\s*(?:=[^,]*)?(?:,|\s*$))"));
}

}  // namespace

Findings check_tables(const SourceTree& tree) {
  Findings findings;
  for (const auto& [kind, header, table] : tables) {
    const std::set<std::string> all = enumerators(text_of(tree, header), kind);
    const std::regex name("\\b" + std::string(kind) + R"(::(\w+))");
    const std::regex alias(R"(\busing\s+(?:enum\s+)?(?:\w+\s*=\s*)?(?:\w*::)*)" +
                           std::string(kind) + R"(\b())");
    for (const SourceFile& file : tree) {
      if (!is_of_the_product(file) || file.path == header || file.path == table) continue;
      const std::string code = source::without_comments_and_literals(file.text);
      if (matches(code, name).size() * 3 > all.size() * 2 || !matches(code, alias).empty()) {
        findings.push_back({file.path, 1,
                            "lists the names of " + std::string(kind) +
                                "; the table that does is " + table + ", ask it"});
      }
    }
  }
  return findings;
}

}  // namespace pto2::tidy
