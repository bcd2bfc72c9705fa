#include "models/mutants/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace pto2::source {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_blanks_in_front(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Walks over a text and blanks out what is not code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), result_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      blank_to(text_.find('\n', at_));
    } else if (rest.starts_with("/*")) {
      blank_past(text_.find("*/", at_ + 2), 2);
    } else if (rest.starts_with("R\"") && !follows_word()) {
      raw_literal();
    } else if (rest[0] == '"' && in_include()) {
      at_ = std::min(text_.size(), text_.find('\n', at_));
    } else if (rest[0] == '"' || (rest[0] == '\'' && !follows_word())) {
      literal(rest[0]);
    } else {
      ++at_;
    }
  }

  /// A quote right after a letter or digit is a digit separator, or belongs to a prefix (u8"").
  [[nodiscard]] bool follows_word() const { return at_ > 0 && is_word(text_[at_ - 1]); }

  /// A comment before the directive is blank by now.
  [[nodiscard]] bool in_include() const {
    std::string_view before = std::string_view(result_).substr(0, at_);
    const std::size_t newline = before.rfind('\n');
    before.remove_prefix(newline == std::string_view::npos ? 0 : newline + 1);
    before = without_blanks_in_front(before);
    if (!before.starts_with('#')) return false;
    return without_blanks_in_front(before.substr(1)).starts_with("include");
  }

  void raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(open);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    blank_past(text_.find(close, open), close.size());
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    ++at_;
    blank_to(end);
    at_ = std::min(text_.size(), at_ + 1);
  }

  void blank_past(std::size_t found, std::size_t length) {
    blank_to(found == std::string_view::npos ? found : found + length);
  }

  void blank_to(std::size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') result_[at_] = ' ';
    }
  }

  std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
};

/// Blanks preprocessor lines with their continuations: the braces of a macro need not match.
void blank_directives(std::string& code) {
  bool continued = false;
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::size_t first = code.find_first_not_of(" \t", start);
    const bool directive = continued || (first < end && code[first] == '#');
    continued = directive && end > start && code[end - 1] == '\\';
    if (directive) std::fill(code.begin() + start, code.begin() + end, ' ');
    start = end + 1;
  }
}

enum class Block { scope, function, initializer };

/// What a brace opens, by the text since the last statement or block.
Block classify(const std::string& head) {
  static const std::regex scope(R"(^\s*(template\s*<[^{}]*>\s*)?(inline\s+)?)"
                                R"((namespace|class|struct|union|enum|extern)\b[^()]*$)");
  static const std::regex noise(
      R"(\[\[[^\]]*\]\]|alignas\s*\([^()]*\)|\brequires\b[^{};]*?(?=\b(class|struct)\s))");
  static const std::regex constructor_list(R"(\)\s*(noexcept\s*)?:[^:])");
  const std::size_t last = head.find_last_not_of(" \t\n");
  if (std::regex_match(std::regex_replace(head, noise, ""), scope)) return Block::scope;
  if (last == std::string::npos || head.find('(') == std::string::npos) return Block::initializer;
  const char before = head[last];
  if (before == '=' || before == '(' || before == ',') return Block::initializer;
  const bool names_member = is_word(before) || before == '>';
  if (names_member && std::regex_search(head, constructor_list)) return Block::initializer;
  return Block::function;
}

/// Finds function bodies in text without comments, literals and directives.
class FunctionFinder {
 public:
  explicit FunctionFinder(std::string_view code) : code_(code) {}

  std::vector<Function> run() {
    for (; at_ < code_.size(); ++at_) step(code_[at_]);
    return std::move(functions_);
  }

 private:
  void step(char c) {
    if (c == '\n') ++line_;
    if (c == '{') {
      open();
    } else if (c == '}' || c == ';') {
      head_.clear();
    } else if (c == ':' && is_access_specifier()) {
      head_.clear();
    } else if (!head_.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (head_.empty()) head_line_ = line_;
      head_ += c;
    }
  }

  [[nodiscard]] bool is_access_specifier() const {
    return head_ == "public" || head_ == "private" || head_ == "protected";
  }

  void open() {
    const Block block = classify(head_);
    if (block == Block::scope) return head_.clear();
    const std::size_t first_line = head_.empty() ? line_ : head_line_;
    const std::size_t begin = at_;
    skip_block();
    if (block == Block::function) {
      functions_.push_back({first_line, line_, begin, at_});
      head_.clear();
    } else {
      head_ += '}';  // a constructor's list goes on behind it
    }
  }

  /// From an opening brace to its closing one.
  void skip_block() {
    for (std::size_t depth = 0; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '\n') ++line_;
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) return;
    }
  }

  std::string_view code_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string head_;
  std::size_t head_line_ = 1;
  std::vector<Function> functions_;
};

}  // namespace

std::string without_comments_and_literals(std::string_view text) {
  return Blanker(text).run();
}

std::vector<Function> find_functions(std::string_view text) {
  std::string code = without_comments_and_literals(text);
  blank_directives(code);
  return FunctionFinder(code).run();
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace pto2::source
