/// A mutant: a bug that is planted in the sources, and the witness that must find it. Each has a
/// file NAME.mutant in a folder below models/mutants:
///
///   Mutant: NAME
///   Piece: what it is a bug of
///   Witness: piece/scenario[/word|/lock]   a scenario of the model checker
///   Witness: PROGRAM ARGUMENT...           or a program of this tree that states a property
///   Kind: KIND                             seeded, random, unit or executor, where Mutant::kind
///                                          does not follow from the witness
///
///   The story: what goes wrong, in a sentence or two.
///
///   In: core/FILE.hpp
///   - text of that file
///   + what stands there instead
///
/// with an `In:` and its lines for every place that changes. The text that is replaced, the needle,
/// must be unique in its file. White space counts only where it keeps words apart, so a needle
/// outlives new indentation and lines broken elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::mutants {

/// A mutant that cannot be read or planted; the text names its file.
class MutantError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Edit {
  std::string file;         ///< relative to the root of the tree
  std::string needle;       ///< never empty
  std::string replacement;  ///< may be empty
};

struct Mutant {
  std::string path;  ///< of its file, relative to the root of the tree
  std::string name;
  std::string witness;
  std::string kind;  ///< of the witness: checker, seeded, random, unit or executor
  std::vector<Edit> edits;
};

/// Reads the text of the file `path`, which is NAME.mutant. Throws MutantError.
[[nodiscard]] Mutant parse_mutant(std::string_view path, std::string_view text);

/// What chooses the mutant (chosen.hpp): from 1 to 2^31 - 1, by its name and what it changes, and
/// not by what other mutants there are. So a witness that was built before it, or with another text
/// of it, runs with no bug and does not find it, instead of finding another.
[[nodiscard]] uint32_t number_of(const Mutant& mutant);

/// The program that runs the witness: its first word, or pto2-check for a scenario.
[[nodiscard]] std::string program_of(const Mutant& mutant);

}  // namespace pto2::mutants
