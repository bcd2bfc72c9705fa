#include "tests/tidy/classes.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

#include "models/mutants/source_text.hpp"

namespace pto2::tidy {
namespace {

/// The offset of the brace that closes the one at `open`, or the end.
std::size_t closing(std::string_view code, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i;
  }
  return code.size();
}

/// The statements of a body without what is in braces. A body of a function ends its statement, the
/// braces of an initialiser do not.
std::vector<std::string> statements_of(std::string_view body) {
  std::vector<std::string> statements{""};
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == ';') {
      statements.emplace_back();
    } else if (body[i] == '{') {
      i = closing(body, i);
      const std::size_t next = std::min(body.find_first_not_of(" \t\n", i + 1), body.size());
      const bool goes_on = next < body.size() && (body[next] == ';' || body[next] == ',' ||
                                                  body[next] == '{' || body[next] == '=');
      if (!goes_on) statements.emplace_back();
    } else {
      statements.back() += body[i];
    }
  }
  return statements;
}

/// Without attributes, arguments of templates, and what stands behind `=`.
std::string reduced(std::string text) {
  static const std::regex ignored(
      R"(\[\[[^\]]*\]\]|\b(public|private|protected)\s*:|alignas\s*\([^)]*\))");
  static const std::regex arguments(R"(<[^<>]*>)");
  static const std::regex operators(R"(operator\s*[^\s\w(]+)");
  text = std::regex_replace(text, operators, "operator_");
  text = std::regex_replace(text, ignored, " ");
  for (std::string before; before != text;) {
    before = text;
    text = std::regex_replace(text, arguments, "");
  }
  return text.substr(0, text.find('='));
}

void count(const std::string& statement, ClassSize& size) {
  static const std::regex other(
      R"(^\s*(using|typedef|friend|static_assert|enum|class|struct|union|$))"
      R"(|^\s*template\s*(class|struct|using)\b)");
  static const std::regex shared(R"(^\s*(inline\s+)?static\b)");
  const std::string text = reduced(statement);
  if (std::regex_search(text, other)) return;
  if (text.find('(') != std::string::npos) {
    ++size.functions;
  } else if (!std::regex_search(text, shared)) {
    size.members += 1 + static_cast<std::size_t>(std::ranges::count(text, ','));
  }
}

}  // namespace

std::vector<ClassSize> find_classes(std::string_view text) {
  static const std::regex head(
      R"(\b(enum\s+)?(class|struct)\s+(alignas\s*\([^)]*\)\s*)?(\w+)(?!\s*[>,.])\b[^;{}()]*\{)");
  const std::string code = source::without_comments_and_literals(text);
  std::vector<ClassSize> classes;
  for (std::sregex_iterator match(code.begin(), code.end(), head), end; match != end; ++match) {
    if ((*match)[1].matched) continue;
    const auto begin = static_cast<std::size_t>(match->position());
    const std::size_t open = begin + static_cast<std::size_t>(match->length()) - 1;
    const auto line = std::ranges::count(code.substr(0, begin), '\n') + 1;
    ClassSize size{(*match)[4], static_cast<std::size_t>(line), 0, 0};
    const std::string_view body(code.data() + open + 1, closing(code, open) - open - 1);
    for (const std::string& statement : statements_of(body)) count(statement, size);
    classes.push_back(std::move(size));
  }
  return classes;
}

}  // namespace pto2::tidy
