#include "models/mutants/mutant.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "models/mutants/source_text.hpp"

namespace pto2::mutants {
namespace {

constexpr std::string_view kinds[] = {"checker", "seeded", "random", "unit", "executor"};

/// What a witness says of its kind.
std::string kind_of(const std::string& witness) {
  static const std::regex scenario("^[a-z_]+/");
  static const std::regex executor("^executors_|--executor (packed|threads)");
  static const std::regex seeded("seeded|^pto2-simulate");
  static const std::regex random("^pto2-simulate .*--random-graphs");
  if (std::regex_search(witness, scenario)) return "checker";
  if (std::regex_search(witness, random)) return "random";
  if (std::regex_search(witness, executor)) return "executor";
  return std::regex_search(witness, seeded) ? "seeded" : "unit";
}

class Parser {
 public:
  Parser(std::string_view path, std::string_view text)
      : path_(path), lines_(source::split_lines(text)) {}

  Mutant run() {
    for (const std::string_view line : lines_) {
      ++number_;
      take(line);
    }
    finish();
    mutant_.path = path_;
    return std::move(mutant_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("In: ")) return begin_edit(line.substr(4));
    if (mutant_.edits.empty()) return take_field(line);
    if (line.starts_with('-')) return take_needle(line.substr(1));
    if (line.starts_with('+')) return append(mutant_.edits.back().replacement, line.substr(1));
    if (!line.empty()) fail("behind `In:` lines begin with `-` or `+`");
  }

  void take_field(std::string_view line) {
    take_field(line, "Mutant: ", mutant_.name);
    take_field(line, "Witness: ", mutant_.witness);
    take_field(line, "Kind: ", mutant_.kind);
  }

  void take_field(std::string_view line, std::string_view field, std::string& value) {
    if (!line.starts_with(field)) return;
    if (!value.empty()) fail(fmt::format("a second line `{}`", field));
    value = line.substr(field.size());
  }

  void begin_edit(std::string_view file) {
    check_edit();
    mutant_.edits.push_back({std::string(file), "", ""});
  }

  void take_needle(std::string_view line) {
    if (!mutant_.edits.back().replacement.empty()) {
      fail("a line `-` behind `+`; a further place needs an `In:` of its own");
    }
    append(mutant_.edits.back().needle, line);
  }

  static void append(std::string& text, std::string_view line) {
    if (line.starts_with(' ')) line.remove_prefix(1);
    text.append(line).push_back('\n');
  }

  void check_edit() const {
    if (!mutant_.edits.empty() && mutant_.edits.back().needle.empty()) {
      fail("an `In:` without a line `-`, the text that is replaced");
    }
  }

  void finish() {
    const std::string name = std::filesystem::path(path_).stem().string();
    if (mutant_.name != name) fail(fmt::format("no line `Mutant: {}`", name));
    if (mutant_.witness.empty()) fail("no line `Witness: `");
    if (mutant_.edits.empty()) fail("no line `In: FILE`, below which the bug stands");
    check_edit();
    if (mutant_.kind.empty()) mutant_.kind = kind_of(mutant_.witness);
    if (std::ranges::count(kinds, mutant_.kind) == 0) {
      fail(fmt::format("no kind `{}`", mutant_.kind));
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw MutantError(fmt::format("{}:{}: {}", path_, number_, what));
  }

  std::string_view path_;
  std::vector<std::string_view> lines_;
  std::size_t number_ = 0;
  Mutant mutant_;
};

}  // namespace

Mutant parse_mutant(std::string_view path, std::string_view text) {
  return Parser(path, text).run();
}

uint32_t number_of(const Mutant& mutant) {
  // FNV-1a, 64 bits (draft-eastlake-fnv).
  uint64_t hash = 0xcbf29ce484222325;
  const auto take = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;  // no text has it: where one ends counts
  };
  take(mutant.name);
  for (const Edit& edit : mutant.edits) {
    take(edit.needle);
    take(edit.replacement);
  }
  return static_cast<uint32_t>(hash % 0x7fffffff) + 1;
}

std::string program_of(const Mutant& mutant) {
  if (mutant.kind == "checker") return "pto2-check";
  return mutant.witness.substr(0, mutant.witness.find(' '));
}

}  // namespace pto2::mutants
