/// The program plant_mutants.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "models/mutants/planted_tree.hpp"
#include "runtime/output/stderr_text.hpp"

namespace {

using pto2::cli::print_to_stderr;
using pto2::mutants::Mutant;
using pto2::mutants::Place;
using pto2::mutants::Planting;

/// Whether all could be planted.
bool report(const Planting& planting, std::size_t mutants) {
  for (const Place& place : planting.changed) {
    print_to_stderr(
        "{}: it stands in {}{}; --update writes that\n", place.mutant->path, place.file,
        place.to.empty() ? "" : fmt::format(", and {} is {} now", place.from, place.to));
  }
  for (const std::string& text : planting.problems) print_to_stderr("{}\n", text);
  if (planting.problems.empty()) return true;
  print_to_stderr("{} of {} mutants cannot be planted\n", planting.problems.size(), mutants);
  return false;
}

int run(int argc, char** argv) {
  CLI::App app("Plants the mutants of models/mutants.", "plant_mutants");
  std::string root;
  std::string out;
  app.add_option("root", root, "the source tree")->required()->check(CLI::ExistingDirectory);
  app.add_option(
      "--out", out,
      "write a copy of the tree there, with all mutants planted; without it, see whether "
      "each can be");
  bool update = false;
  app.add_flag("--update", update,
               "write into the mutants to which files their text has moved, and new names");
  CLI11_PARSE(app, argc, argv);
  const std::vector<Mutant> mutants = pto2::mutants::read_mutants(root);
  const Planting planting = out.empty() ? pto2::mutants::check_mutants(root, mutants)
                                        : pto2::mutants::write_planted_tree(root, out, mutants);
  if (update) {
    pto2::mutants::update_mutants(root, planting.changed);
    print_to_stderr("{} places updated\n", planting.changed.size());
    return report({{}, planting.problems}, mutants.size()) ? 0 : 1;
  }
  return report(planting, mutants.size()) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    print_to_stderr("plant_mutants: {}\n", error.what());
    return 1;
  }
}
