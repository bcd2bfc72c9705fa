#include "models/mutants/planting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "models/mutants/source_text.hpp"

namespace pto2::mutants {
namespace {

std::string name_of(const Mutant& mutant) {
  return fmt::format("mutant {}", mutant.name);
}

/// `text` in one line, for messages.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

[[noreturn]] void fail_ambiguous(const Mutant& mutant, const Edit& edit, const std::string& file,
                                 const std::string& text, const std::vector<Span>& spans) {
  std::string lines;
  for (const Span& span : spans) {
    lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line_of(text, span.begin));
  }
  throw MutantError(
      fmt::format("{}: `{}` stands {} times in {} (lines {}); add what stands beside "
                  "the one that is meant",
                  name_of(mutant), in_one_line(edit.needle), spans.size(), file, lines));
}

[[noreturn]] void fail_lost(const Mutant& mutant, const Edit& edit, const Sources& sources) {
  std::string nearest;
  double share = 0;
  for (const auto& [file, source] : sources) {
    if (sources.contains(edit.file) && file != edit.file) continue;
    const LooseText::Likeness like = source.loose.nearest(edit.needle);
    if (like.share <= share) continue;
    share = like.share;
    nearest =
        fmt::format("; nearest is {}:{}: `{}`", file, line_of(source.text, like.span.begin),
                    in_one_line(std::string_view(source.text)
                                    .substr(like.span.begin, like.span.end - like.span.begin)));
  }
  throw MutantError(
      fmt::format("{}: `{}` stands neither in {} nor in another file{}. Write the "
                  "same bug into the source as it is now",
                  name_of(mutant), in_one_line(edit.needle), edit.file, nearest));
}

/// Whether the needle stands but for one name in its file, or else in one other, once.
bool find_renamed(Place& place, const Sources& sources) {
  const auto look_in = [&](const std::string& file, const Source& source) {
    const auto found = find_renamed(source.text, source.loose, place.edit->needle);
    for (const Renaming& renaming : found) {
      place.file = file;
      place.span = renaming.span;
      place.from = renaming.from;
      place.to = renaming.to;
    }
    return found.size();
  };
  if (const auto own = sources.find(place.edit->file); own != sources.end()) {
    return look_in(own->first, own->second) == 1;
  }
  std::size_t places = 0;
  for (const auto& [file, source] : sources) places += look_in(file, source);
  return places == 1;
}

/// What takes the place of the needle.
std::string replacement_of(const Place& place) {
  return place.to.empty() ? place.edit->replacement
                          : with_word(place.edit->replacement, place.from, place.to);
}

Place place_of(const Mutant& mutant, uint32_t number, const Edit& edit, const Sources& sources) {
  Place place{number, &mutant, &edit, edit.file, {0, 0}, {}, {}};
  std::vector<Span> spans;
  if (const auto own = sources.find(edit.file); own != sources.end()) {
    spans = own->second.loose.find(edit.needle);
  }
  if (spans.empty()) {
    for (const auto& [file, source] : sources) {
      for (const Span& span : source.loose.find(edit.needle)) {
        if (!spans.empty() && place.file != file) fail_lost(mutant, edit, sources);
        place.file = file;
        spans.push_back(span);
      }
    }
  }
  if (spans.empty()) {
    if (!find_renamed(place, sources)) fail_lost(mutant, edit, sources);
    return place;
  }
  if (spans.size() > 1) {
    fail_ambiguous(mutant, edit, place.file, sources.at(place.file).text, spans);
  }
  place.span = spans.front();
  return place;
}

/// Text that takes the place of a part of the file.
struct Replacement {
  Span span;
  std::string text;
};

/// `text`, which begins at offset `from` of its file, with what takes the place of parts of it.
/// Throws MutantError if two overlap.
std::string edited(std::string text, std::size_t from, std::vector<Replacement> replacements,
                   const std::string& file) {
  std::ranges::stable_sort(replacements, {}, [](const Replacement& r) { return r.span.begin; });
  std::size_t end = std::string::npos;
  for (auto r = replacements.rbegin(); r != replacements.rend(); ++r) {
    if (r->span.end > end) {
      throw MutantError(
          fmt::format("{}: `{}` is changed twice", file,
                      in_one_line(text.substr(r->span.begin - from, r->span.end - r->span.begin))));
    }
    end = r->span.begin;
    text.replace(r->span.begin - from, r->span.end - r->span.begin, r->text);
  }
  return text;
}

/// So that messages name the place in the source.
std::string line_directive(std::string_view text, std::size_t offset, const std::string& file) {
  return fmt::format("\n#line {} \"{}\"\n", line_of(text, offset), file);
}

/// An edit without what it leaves as it is.
struct Change {
  Place place;
  Replacement replacement;
};

/// The body of `function`, behind one for each mutant that changes it.
Replacement bodies(const std::string& file, const std::string& text,
                   const source::Function& function, const std::vector<Change>& changes) {
  const Span span{function.body_begin + 1, function.body_end};
  const std::string own = text.substr(span.begin, span.end - span.begin);
  const std::string line = line_directive(text, span.begin, file);
  std::map<uint32_t, std::vector<Replacement>> by_mutant;
  for (const Change& change : changes) {
    by_mutant[change.place.number].push_back(change.replacement);
  }
  std::string result;
  for (const auto& [number, replacements] : by_mutant) {
    result += fmt::format("\nif (::pto2::mutants::chosen({})) {{{}{}}} else", number, line,
                          edited(own, span.begin, replacements, file));
  }
  return {span, fmt::format("{} {{{}{}}}", result, line, own)};
}

/// Without a `return` or a semicolon around it, and with as many brackets opened as closed.
bool may_be_an_expression(std::string_view text) {
  if (text.starts_with("return ")) return false;
  const std::size_t last = text.find_last_not_of(" \n");
  const auto count = [&](const char* brackets) {
    return std::ranges::count_if(
        text, [&](char c) { return std::string_view(brackets).find(c) != std::string_view::npos; });
  };
  return last != std::string_view::npos && text[last] != ';' && count("([{") == count(")]}");
}

/// Whether what begins there is the one statement of an `if`, an `else` or a loop.
bool is_governed(std::string_view text, std::size_t begin) {
  const std::string_view before = text.substr(0, text.find_last_not_of(" \n", begin - 1) + 1);
  return before.ends_with(')') || before.ends_with("else") || before.ends_with("do");
}

/// What is written instead of a part of a function.
std::string in_its_place(std::string_view text, const Difference& rest) {
  const Span& gone = rest.span;
  const bool is_statement = gone.begin < gone.end && text[gone.end - 1] == ';';
  if (!rest.replacement.empty() || !is_statement) return std::string(rest.replacement);
  return is_governed(text, gone.begin) ? "{}" : "";
}

/// What stands instead of text that is in no function. What is only added there is there for all
/// mutants: a declaration, which does nothing by itself.
Replacement outside(const std::string& file, const std::string& text, const Change& change) {
  const Span added = change.replacement.span;
  if (added.begin == added.end) {
    const std::string line = in_one_line(change.replacement.text);
    if (line.find_first_of(";}") == std::string::npos) {
      throw MutantError(fmt::format(
          "{}: {}:{}: `{}` would be added for all mutants, because it is in no function that is "
          "recognised; replace the whole expression, or write the function without braces in its "
          "parameters",
          name_of(*change.place.mutant), file, line_of(text, added.begin), line));
    }
    return {added, "\n" + change.replacement.text + line_directive(text, added.end, file)};
  }
  const auto [begin, end] = change.place.span;
  const std::string needle = text.substr(begin, end - begin);
  const std::string instead = replacement_of(change.place);
  if (!may_be_an_expression(needle) || !may_be_an_expression(instead)) {
    throw MutantError(fmt::format(
        "{}: {}:{}: `{}` is to become `{}` in no function that is recognised; replace a whole "
        "expression there, without a semicolon, by another",
        name_of(*change.place.mutant), file, line_of(text, begin), in_one_line(needle),
        in_one_line(instead)));
  }
  return {change.place.span, fmt::format("(::pto2::mutants::chosen({}) ? ({}) : ({}))",
                                         change.place.number, instead, needle) +
                                 line_directive(text, end, file)};
}

/// The way from the folder of `file` to the root.
std::string way_up(const std::string& file) {
  std::string way;
  for (auto n = std::ranges::count(file, '/'); n > 0; --n) way += "../";
  return way;
}

}  // namespace

Sources read_sources(const std::filesystem::path& root) {
  Sources sources;
  for (const char* folder : planted_folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
      std::ifstream in(entry.path());
      std::string text{std::istreambuf_iterator<char>(in), {}};
      if (in.bad() || !in.is_open()) throw MutantError(entry.path().string() + " cannot be read");
      LooseText loose(text);
      sources.emplace(entry.path().lexically_relative(root).string(),
                      Source{std::move(text), std::move(loose)});
    }
  }
  return sources;
}

std::vector<Place> places_of(const Mutant& mutant, uint32_t number, const Sources& sources) {
  std::vector<Place> places;
  for (const Edit& edit : mutant.edits) {
    places.push_back(place_of(mutant, number, edit, sources));
  }
  return places;
}

std::string planted(const std::string& file, const std::string& text,
                    const std::vector<Place>& places) {
  const std::vector<source::Function> functions = source::find_functions(text);
  std::map<std::size_t, std::vector<Change>> in_function;
  std::vector<Replacement> replacements;
  for (const Place& place : places) {
    const std::string replacement = replacement_of(place);
    const Difference rest = difference(text, place.span, replacement);
    if (rest.span.begin == rest.span.end && rest.replacement.empty()) {
      throw MutantError(
          fmt::format("mutant {}: what it writes into {} is what stands there; write a bug",
                      place.mutant->name, file));
    }
    Change change{place, {rest.span, std::string(rest.replacement)}};
    const auto around = std::ranges::find_if(functions, [&](const source::Function& function) {
      return function.body_begin < rest.span.begin && rest.span.end <= function.body_end;
    });
    if (around == functions.end()) {
      replacements.push_back(outside(file, text, change));
    } else {
      change.replacement.text = in_its_place(text, rest);
      in_function[static_cast<std::size_t>(around - functions.begin())].push_back(change);
    }
  }
  for (const auto& [number, changes] : in_function) {
    replacements.push_back(bodies(file, text, functions[number], changes));
  }
  return fmt::format("#include \"{}models/mutants/chosen.hpp\"\n#line 1 \"{}\"\n", way_up(file),
                     file) +
         edited(text, 0, replacements, file);
}

}  // namespace pto2::mutants
