/// Plants all mutants into one copy of the sources, in which each is chosen when a program starts
/// (chosen.hpp). Mutant schemata: Untch, Offutt, Harrold, "Mutation analysis using mutant
/// schemata", ISSTA 1993.
///
/// A function that mutants change has a body for each of them beside its own:
///
///   { if (chosen(7)) { with mutant 7 } else if (chosen(9)) { with mutant 9 } else { its own } }
///
/// Outside of functions an edit that adds something before or behind its needle, a member say, is
/// there for all; any other must replace an expression: `(chosen(7) ? with the bug : without)`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/mutants/mutant.hpp"
#include "models/mutants/needle.hpp"

namespace pto2::mutants {

/// A text file of the tree.
struct Source {
  std::string text;
  LooseText loose;
};

/// What mutants can be planted in: *.hpp, *.h and *.cpp of these folders, by path below the root.
inline constexpr const char* planted_folders[] = {"core", "runtime", "stress"};
using Sources = std::map<std::string, Source>;

/// Throws std::filesystem::filesystem_error, or MutantError if a file cannot be read.
[[nodiscard]] Sources read_sources(const std::filesystem::path& root);

/// An edit and where its needle stands.
struct Place {
  uint32_t number;  ///< of the mutant (number_of)
  const Mutant* mutant;
  const Edit* edit;
  std::string file;  ///< edit->file, or where the needle was found instead
  Span span;         ///< of the needle
  std::string from;  ///< a name that the needle has, which is called
  std::string to;    ///< so now; empty: all names are as they were
};

/// Where the edits of the mutant stand: each needle once in its file; or, if it is not there, once
/// in one other; or once in either but for a name that has changed (find_renamed). Throws
/// MutantError, which tells what is nearest, or how often it stands there.
[[nodiscard]] std::vector<Place> places_of(const Mutant& mutant, uint32_t number,
                                           const Sources& sources);

/// The text of `file` with the edits of `places`, all of them in it, in the order of the mutants.
/// Throws MutantError if two that are outside of functions overlap.
[[nodiscard]] std::string planted(const std::string& file, const std::string& text,
                                  const std::vector<Place>& places);

}  // namespace pto2::mutants
