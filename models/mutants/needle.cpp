#include "models/mutants/needle.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace pto2::mutants {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Calls take(what stands before it, word) for each word, and at last with what is left and "".
template <class Take>
void for_each_word(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_word);
    const auto end = std::find_if_not(begin, text.end(), is_word);
    take(std::string_view(text.begin(), begin), std::string_view(begin, end));
    text = std::string_view(end, text.end());
  }
}

/// Names alone: no numbers.
std::set<std::string_view> words_of(std::string_view text) {
  std::set<std::string_view> words;
  for_each_word(text, [&](std::string_view, std::string_view word) {
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0) words.insert(word);
  });
  return words;
}

using Trigrams = std::map<std::string_view, int>;

Trigrams trigrams_of(std::string_view text) {
  Trigrams result;
  for (std::size_t i = 0; i + 3 <= text.size(); ++i) ++result[text.substr(i, 3)];
  return result;
}

/// The share of `wanted` that stands in `text`. What else stands there counts a little against it.
double share_of(const Trigrams& wanted, std::string_view text) {
  double common = 0;
  double all = 0;
  double others = 0;
  const Trigrams there = trigrams_of(text);
  for (const auto& [trigram, count] : wanted) {
    all += count;
    if (const auto found = there.find(trigram); found != there.end()) {
      common += std::min(count, found->second);
    }
  }
  for (const auto& [trigram, count] : there) others += count;
  return common == 0 ? 0 : common / (all + (others - common) / 8);
}

/// Whether there was any at `i`, which is behind it then.
bool skip_space(std::string_view text, std::size_t& i) {
  const std::size_t begin = i;
  while (i < text.size() && is_space(text[i])) ++i;
  return i != begin;
}

/// Whether the text ends inside of a string.
bool ends_quoted(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
  }
  return quoted;
}

/// How much of each text the words take that both begin with. White space counts in strings alone.
std::pair<std::size_t, std::size_t> common_words(std::string_view a, std::string_view b) {
  std::pair<std::size_t, std::size_t> end{0, 0};
  for (std::size_t i = 0, j = 0;;) {
    const bool cut = i > 0 && j > 0 && is_word(a[i - 1]) &&
                     ((i < a.size() && is_word(a[i])) || (j < b.size() && is_word(b[j])));
    if (!cut) end = {i, j};
    const bool after_word = i > 0 && is_word(a[i - 1]);
    const bool quoted = ends_quoted(a.substr(0, i));
    const bool apart_a = !quoted && skip_space(a, i);
    const bool apart_b = !quoted && skip_space(b, j);
    if (i == a.size() || j == b.size() || a[i] != b[j]) return end;
    // One of them goes on with the word, the other has another one.
    if (after_word && is_word(a[i]) && apart_a != apart_b) return end;
    ++i;
    ++j;
  }
}

}  // namespace

LooseText::LooseText(std::string_view text) {
  bool space = false;
  bool line = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) {
      space = true;
      line = line || text[i] == '\n';
      continue;
    }
    if (space && !loose_.empty() && is_word(loose_.back()) && is_word(text[i])) {
      loose_ += ' ';
      offsets_.push_back(i);
    }
    if (line) lines_.push_back(loose_.size());
    loose_ += text[i];
    offsets_.push_back(i);
    space = false;
    line = false;
  }
}

std::vector<Span> LooseText::find(std::string_view needle) const {
  const std::string wanted = LooseText(needle).loose_;
  std::vector<Span> places;
  if (wanted.empty()) return places;
  for (std::size_t at = loose_.find(wanted); at != std::string::npos;
       at = loose_.find(wanted, at + 1)) {
    if (!cuts_word(at) && !cuts_word(at + wanted.size())) {
      places.push_back(span_of(at, wanted.size()));
    }
  }
  return places;
}

LooseText::Likeness LooseText::nearest(std::string_view needle) const {
  const std::string wanted = LooseText(needle).loose_;
  const Trigrams trigrams = trigrams_of(wanted);
  Likeness best;
  for (const std::size_t begin : lines_) {
    // Whole lines, as many as the needle may need.
    const auto next =
        std::ranges::lower_bound(lines_, begin + std::max<std::size_t>(wanted.size(), 1));
    const std::size_t end = next == lines_.end() ? loose_.size() : *next;
    const double share = share_of(trigrams, std::string_view(loose_).substr(begin, end - begin));
    if (share > best.share) best = {span_of(begin, end - begin), share};
  }
  return best;
}

/// Whether a word goes on from the character before `at` to the one there.
bool LooseText::cuts_word(std::size_t at) const {
  return at > 0 && at < loose_.size() && is_word(loose_[at - 1]) && is_word(loose_[at]);
}

Span LooseText::span_of(std::size_t at, std::size_t size) const {
  return {offsets_[at], offsets_[at + size - 1] + 1};
}

std::vector<Renaming> find_renamed(std::string_view text, const LooseText& loose,
                                   std::string_view needle) {
  const std::set<std::string_view> words = words_of(text);
  std::string_view unknown;
  for (const std::string_view word : words_of(needle)) {
    if (words.contains(word)) continue;
    if (!unknown.empty()) return {};
    unknown = word;
  }
  std::vector<Renaming> found;
  if (unknown.empty()) return found;
  for (const std::string_view word : words) {
    for (const Span& span : loose.find(with_word(needle, unknown, word))) {
      found.push_back({std::string(unknown), std::string(word), span});
    }
  }
  return found;
}

std::string with_word(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for_each_word(text, [&](std::string_view between, std::string_view word) {
    result.append(between).append(word == from ? to : word);
  });
  return result;
}

Difference difference(std::string_view text, Span span, std::string_view replacement) {
  const std::string_view old = text.substr(span.begin, span.end - span.begin);
  const auto [first, first_new] = common_words(old, replacement);
  // The rest, read backwards.
  const std::string rest(old.rbegin(), old.rend() - static_cast<std::ptrdiff_t>(first));
  const std::string rest_new(replacement.rbegin(),
                             replacement.rend() - static_cast<std::ptrdiff_t>(first_new));
  const auto [last, last_new] = common_words(rest, rest_new);
  Span left{span.begin + first, span.end - last};
  if (std::all_of(text.begin() + left.begin, text.begin() + left.end, is_space) &&
      !ends_quoted(old.substr(0, first))) {
    left.end = left.begin;
  }
  return {left, replacement.substr(first_new, replacement.size() - first_new - last_new)};
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

}  // namespace pto2::mutants
