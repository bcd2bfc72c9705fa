// Every test is part of a program.
#include <map>
#include <regex>

#include "tests/tidy/rules.hpp"

namespace pto2::tidy {
namespace {

constexpr std::string_view test_ending = "_test.cpp";

/// Whether `text` has `argument`, a regular expression, as one of a command's.
bool has_argument(const std::string& text, const std::string& argument) {
  return std::regex_search(text, std::regex("[\\s(]" + argument + "(?=[\\s)])"));
}

/// Whether a loop over NAME uses VARIABLE_test.cpp.
bool has_in_a_loop(const std::string& text, const std::string& name) {
  const std::regex loop("\\bforeach\\(\\s*(\\w+)\\s(?:[^)]*\\s)?" + name + "[\\s)]");
  for (std::sregex_iterator match(text.begin(), text.end(), loop), end; match != end; ++match) {
    if (has_argument(text, "\\$\\{" + match->str(1) + "\\}_test\\.cpp")) return true;
  }
  return false;
}

/// Whether the CMakeLists.txt with this text builds `name`_test.cpp, a path from there.
bool builds(const std::string& list, const std::string& name) {
  static const std::regex comment("#[^\n]*");
  static const std::regex removal("\\bREMOVE_ITEM\\s[^)]*\\)");
  const std::string text = std::regex_replace(list, comment, "");
  const std::string kept = std::regex_replace(text, removal, ")");
  const std::string file = name + "_test\\.cpp";
  if (has_argument(kept, file) || has_in_a_loop(kept, name)) return true;
  // A glob does not look into folders.
  if (name.find('/') != std::string::npos) return false;
  const bool is_removed = std::regex_search(text, std::regex("REMOVE_ITEM\\s[^)]*\\s" + file));
  return has_argument(kept, "\\*_test\\.cpp") && !is_removed;
}

}  // namespace

Findings check_tests_are_built(const SourceTree& tree) {
  std::map<std::string, const std::string*> lists;
  for (const SourceFile& file : tree) {
    if (file.path.ends_with("/CMakeLists.txt")) {
      lists[file.path.substr(0, file.path.rfind('/'))] = &file.text;
    }
  }
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_under("tests") || !file.path.ends_with(test_ending)) continue;
    std::string folder = file.path.substr(0, file.path.rfind('/'));
    while (!lists.contains(folder) && folder.find('/') != std::string::npos)
      folder.resize(folder.rfind('/'));
    const std::size_t begin = folder.size() + 1;
    const auto list = lists.find(folder);
    if (list == lists.end() ||
        !builds(*list->second,
                file.path.substr(begin, file.path.size() - begin - test_ending.size()))) {
      findings.push_back({file.path, 1, "is in no test program: " + folder + "/CMakeLists.txt"});
    }
  }
  return findings;
}

}  // namespace pto2::tidy
