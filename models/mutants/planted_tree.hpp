/// A copy of this tree with all mutants planted, and the list of them for who runs them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/mutants/planting.hpp"

namespace pto2::mutants {

/// The mutants in files below ROOT/models/mutants, sorted by name. Throws MutantError if one cannot
/// be read, or two have the same name or number.
[[nodiscard]] std::vector<Mutant> read_mutants(const std::filesystem::path& root);

/// What write_planted_tree has to tell the one who reads it.
struct Planting {
  std::vector<Place> changed;         ///< found in another file, or with another name, than written
  std::vector<std::string> problems;  ///< mutants that cannot be planted, and why
};

/// Looks for the needles of all mutants in the sources of `root`.
[[nodiscard]] Planting check_mutants(const std::filesystem::path& root,
                                     const std::vector<Mutant>& mutants);

/// Writes into the files of the mutants below `root` where the needles of `changed` are now, and
/// what their names are called. Throws CliError if one cannot be written, which stays as it was.
void update_mutants(const std::filesystem::path& root, const std::vector<Place>& changed);

/// Makes `out` a copy of what a build needs of `root`, with the mutants planted. Files that are
/// right already are left alone, so that a build compiles no more than it must; others are removed.
/// Writes OUT/witnesses.cmake, which sets pto2_witnesses and pto2_quick_witnesses to the programs
/// that find mutants, and OUT/catalogue, a line `NAME NUMBER quick|long KIND WITNESS` for each.
/// Throws MutantError if `out` has files and is no such copy, finished or not, and CliError if one
/// cannot be written.
[[nodiscard]] Planting write_planted_tree(const std::filesystem::path& root,
                                          const std::filesystem::path& out,
                                          const std::vector<Mutant>& mutants);

}  // namespace pto2::mutants
