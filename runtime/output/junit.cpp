#include "runtime/output/junit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "runtime/output/json_text.hpp"

namespace pto2::cli {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// As UTF-8, with U+FFFD for what is none, and for the two characters that XML 1.0 (section 2.2)
/// has not: U+FFFE and U+FFFF.
std::string as_characters(const std::string& text) {
  std::string result = as_utf8(text);
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = result.find(none, at)) != std::string::npos;) {
      result.replace(at, none.size(), "\xef\xbf\xbd");
    }
  }
  return result;
}

/// As the value of an attribute. Control characters but line breaks become '?'.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : as_characters(text)) {
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
