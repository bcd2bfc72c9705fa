/// Finds text in a source regardless of how its lines are broken and indented.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::mutants {

struct Span {
  std::size_t begin;
  std::size_t end;  ///< past the last character
  bool operator==(const Span&) const = default;
};

/// A text without the white space that C++ does not need: what is between two words is a blank.
class LooseText {
 public:
  explicit LooseText(std::string_view text);

  /// The places of `needle`, as offsets in the text that this was made of. Whole words match: "a"
  /// is not found in "ab". A needle of white space alone has no place.
  [[nodiscard]] std::vector<Span> find(std::string_view needle) const;

  /// Lines that have most of `needle` and little else, and how much of it, from 0 to 1, by groups
  /// of three characters.
  struct Likeness {
    Span span{0, 0};
    double share = 0;
  };
  [[nodiscard]] Likeness nearest(std::string_view needle) const;

 private:
  [[nodiscard]] bool cuts_word(std::size_t at) const;
  [[nodiscard]] Span span_of(std::size_t at, std::size_t size) const;

  std::string loose_;
  std::vector<std::size_t> offsets_;  // of each character of loose_ in the text
  std::vector<std::size_t> lines_;    // where each line that is not empty begins in loose_
};

/// What is left of the span of `text` and of its `replacement` without the words that both begin
/// and end with. The span is empty where something is only added.
struct Difference {
  Span span;
  std::string_view replacement;
};
[[nodiscard]] Difference difference(std::string_view text, Span span, std::string_view replacement);

/// A needle whose text has one name that is called otherwise now.
struct Renaming {
  std::string from;
  std::string to;
  Span span;  ///< of the needle with the new name
};

/// The places in `text` where `needle` stands but for one of its words that `text` does not have,
/// and that is another word there.
[[nodiscard]] std::vector<Renaming> find_renamed(std::string_view text, const LooseText& loose,
                                                 std::string_view needle);

/// `text` with the word `from` replaced by `to`.
[[nodiscard]] std::string with_word(std::string_view text, std::string_view from,
                                    std::string_view to);

/// Counted from 1.
[[nodiscard]] std::size_t line_of(std::string_view text, std::size_t offset);

}  // namespace pto2::mutants
