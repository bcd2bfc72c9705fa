/// Just enough C++ to plant mutants and to keep rules of style: comments and literals set aside,
/// functions found by braces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::source {

/// `text` with the contents of comments, string and character literals replaced by blanks, so that
/// offsets and line numbers stay. Includes keep their file name: `#include "x"` is not a literal.
[[nodiscard]] std::string without_comments_and_literals(std::string_view text);

struct Function {
  std::size_t first_line;  ///< of the signature, counted from 1
  std::size_t last_line;   ///< of the closing brace
  std::size_t body_begin;  ///< offset of the opening brace in the text
  std::size_t body_end;    ///< offset of the closing brace
  [[nodiscard]] std::size_t lines() const { return last_line - first_line + 1; }
};

/// The outermost function bodies in namespaces and classes, in order. Lambdas and local classes
/// belong to the function around them; tables, enumerations and classes are no functions.
[[nodiscard]] std::vector<Function> find_functions(std::string_view text);

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace pto2::source
