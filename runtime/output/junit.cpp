#include "runtime/output/junit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/output/json_text.hpp"

namespace pto2::cli {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// As the value of an attribute in XML. Control characters but line breaks become '?', and what is
/// no UTF-8 U+FFFD.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : as_utf8(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += is_control(c) ? '?' : c;
    }
  }
  return result;
}

std::string content_of(const JunitCase& test) {
  if (!test.failure.empty()) return fmt::format("<failure message=\"{}\"/>", escaped(test.failure));
  return test.skipped ? "<skipped message=\"inconclusive\"/>" : "";
}

}  // namespace

std::string junit_text(const std::string& suite, const std::vector<JunitCase>& cases,
                       bool interrupted) {
  const auto failures =
      std::ranges::count_if(cases, [](const JunitCase& test) { return !test.failure.empty(); });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
      "name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      escaped(suite), cases.size(), failures, std::ranges::count_if(cases, &JunitCase::skipped));
  if (interrupted) {
    text += "  <properties><property name=\"interrupted\" value=\"true\"/></properties>\n";
  }
  for (const JunitCase& test : cases) {
    text += fmt::format("  <testcase name=\"{}\" time=\"{:.3f}\">{}</testcase>\n",
                        escaped(test.name), test.seconds, content_of(test));
  }
  return text + "</testsuite>\n";
}

}  // namespace pto2::cli
