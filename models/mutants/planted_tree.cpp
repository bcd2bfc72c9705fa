#include "models/mutants/planted_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "models/mutants/planting.hpp"
#include "models/mutants/source_text.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::mutants {
namespace {

namespace fs = std::filesystem;

/// What a build of the witnesses needs.
constexpr const char* copied[] = {
    "CMakeLists.txt", "CMakePresets.json", "bench",      "core",   "docs",
    "models",         "runtime",           "sanitizers", "stress", "tests"};
/// Programs that are quickly built: their mutants are those that --quick runs.
constexpr const char* quick_programs[] = {"chip_test"};

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) throw MutantError(path.string() + " cannot be read");
  return text;
}

/// Only if it is not there yet. What there is stays if it cannot be.
void write(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read(path) == text) return;
  fs::create_directories(path.parent_path());
  cli::OutputFile out(path, "the text");
  out.write(text);
  out.finish();
}

bool is_quick(const Mutant& mutant) {
  return std::ranges::find(quick_programs, program_of(mutant)) != std::end(quick_programs);
}

/// The files of `root` that are copied, below it.
std::set<fs::path> files_of(const fs::path& root) {
  std::set<fs::path> files;
  for (const char* name : copied) {
    if (!fs::is_directory(root / name)) {
      files.insert(name);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / name)) {
      if (entry.is_regular_file() && entry.path().extension() != ".mutant") {
        files.insert(entry.path().lexically_relative(root));
      }
    }
  }
  return files;
}

/// With what a list of witnesses begins.
constexpr const char* witnesses_mark = "set(pto2_witnesses";

/// A copy has its list before it has anything else.
void refuse_other_files(const fs::path& out) {
  if (!fs::exists(out) || fs::is_empty(out)) return;
  const fs::path list = out / "witnesses.cmake";
  if (fs::exists(list) && read(list).starts_with(witnesses_mark)) return;
  throw MutantError(out.string() +
                    " has other files; name an empty folder, or a copy that was written before");
}

/// Removes what is in the copied folders of `out` and not among `files`.
void remove_others(const fs::path& out, const std::set<fs::path>& files) {
  std::vector<fs::path> others;
  for (const char* name : copied) {
    if (!fs::is_directory(out / name)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(out / name)) {
      const bool wanted = files.contains(entry.path().lexically_relative(out));
      if (!entry.is_directory() && !wanted) others.push_back(entry.path());
    }
  }
  for (const fs::path& other : others) fs::remove(other);
}

/// A file may be a program: its rights go with it.
void replicate(const fs::path& from, const fs::path& to) {
  write(to, read(from));
  if (fs::status(to).permissions() != fs::status(from).permissions()) {
    fs::permissions(to, fs::status(from).permissions());
  }
}

std::string catalogue_of(const std::vector<Mutant>& mutants) {
  std::string text;
  for (const Mutant& mutant : mutants) {
    text += fmt::format("{} {} {} {} {}\n", mutant.name, number_of(mutant),
                        is_quick(mutant) ? "quick" : "long", mutant.kind, mutant.witness);
  }
  return text;
}

std::string witnesses_of(const std::vector<Mutant>& mutants) {
  std::set<std::string> all;
  std::set<std::string> quick;
  for (const Mutant& mutant : mutants) {
    all.insert(program_of(mutant));
    if (is_quick(mutant)) quick.insert(program_of(mutant));
  }
  std::string text = witnesses_mark;
  for (const std::string& program : all) text += "\n  " + program;
  text += ")\nset(pto2_quick_witnesses";
  for (const std::string& program : quick) text += "\n  " + program;
  return text + ")\n";
}

/// The edits of all mutants by the file in which they stand.
std::map<std::string, std::vector<Place>> find_places(const Sources& sources,
                                                      const std::vector<Mutant>& mutants,
                                                      Planting& planting) {
  std::map<std::string, std::vector<Place>> places;
  for (const Mutant& mutant : mutants) {
    try {
      for (Place& place : places_of(mutant, number_of(mutant), sources)) {
        if (place.file != place.edit->file || !place.to.empty()) planting.changed.push_back(place);
        places[place.file].push_back(std::move(place));
      }
    } catch (const MutantError& error) {
      planting.problems.emplace_back(error.what());
    }
  }
  return places;
}

}  // namespace

std::vector<Mutant> read_mutants(const fs::path& root) {
  std::vector<Mutant> mutants;
  for (const auto& entry : fs::recursive_directory_iterator(root / "models/mutants")) {
    if (entry.path().extension() != ".mutant") continue;
    mutants.push_back(
        parse_mutant(entry.path().lexically_relative(root).string(), read(entry.path())));
  }
  std::ranges::sort(mutants, {}, &Mutant::name);
  const auto twice = std::ranges::adjacent_find(mutants, {}, &Mutant::name);
  if (twice != mutants.end()) throw MutantError(fmt::format("two mutants {}", twice->name));
  std::map<uint32_t, std::string> names;
  for (const Mutant& mutant : mutants) {
    const auto [other, is_new] = names.emplace(number_of(mutant), mutant.name);
    if (is_new) continue;
    throw MutantError(
        fmt::format("the mutants {} and {} have the same number; give one another name",
                    other->second, mutant.name));
  }
  return mutants;
}

void update_mutants(const fs::path& root, const std::vector<Place>& changed) {
  for (const Place& place : changed) {
    std::string text;
    const Edit* edit = place.mutant->edits.data() - 1;
    const std::string before = read(root / place.mutant->path);
    for (const std::string_view line : source::split_lines(before)) {
      const bool begins = line.starts_with("In: ");
      edit += begins ? 1 : 0;
      if (edit != place.edit) {
        text.append(line);
      } else if (begins) {
        text.append("In: ").append(place.file);
      } else {
        text.append(place.to.empty() ? std::string(line) : with_word(line, place.from, place.to));
      }
      text += '\n';
    }
    write(root / place.mutant->path, text);
  }
}

Planting check_mutants(const fs::path& root, const std::vector<Mutant>& mutants) {
  Planting planting;
  const Sources sources = read_sources(root);
  for (const auto& [file, places] : find_places(sources, mutants, planting)) {
    try {
      (void)planted(file, sources.at(file).text, places);
    } catch (const MutantError& error) {
      planting.problems.emplace_back(error.what());
    }
  }
  return planting;
}

Planting write_planted_tree(const fs::path& root, const fs::path& out,
                            const std::vector<Mutant>& mutants) {
  Planting planting;
  const Sources sources = read_sources(root);
  const auto places = find_places(sources, mutants, planting);
  const std::set<fs::path> files = files_of(root);
  refuse_other_files(out);
  write(out / "witnesses.cmake", witnesses_of(mutants));
  remove_others(out, files);
  for (const fs::path& file : files) {
    if (!places.contains(file.string())) replicate(root / file, out / file);
  }
  for (const auto& [file, its] : places) {
    write(out / file, planted(file, sources.at(file).text, its));
  }
  write(out / "catalogue", catalogue_of(mutants));
  return planting;
}

}  // namespace pto2::mutants
