// The rules that the tree keeps, each a function from the sources to its findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.hpp"

namespace pto2::tidy {

struct Finding {
  std::string path;
  std::size_t line;
  std::string message;
};
using Findings = std::vector<Finding>;

/// "path:line: message", one per line.
[[nodiscard]] std::string to_string(const Findings& findings);

/// core/ and the concurrent half of runtime/ (chip, scheduler, orchestrator, tensormap) reach
/// atomics, threads and waiting through the policy only: no std::atomic, thread, mutex, volatile,
/// sleep, fence or conditional compilation. core/policy.hpp may include <atomic>, for
/// std::memory_order.
[[nodiscard]] Findings check_seam(const SourceTree& tree);

/// Memory orders in the same files are written in the definitions of named sites, nowhere else.
[[nodiscard]] Findings check_named_orders(const SourceTree& tree);

/// Includes point one way: core to core and the standard library, models/checker to nothing of
/// ours, models to core and runtime, runtime to core, stress to all three; none of them to tests or
/// bench.
[[nodiscard]] Findings check_dependencies(const SourceTree& tree);

/// Each folder of runtime is in a layer, and includes only its own and those that stand above it in
/// the table of docs/ARCHITECTURE.md: a layer may use what was explained before it, so there is no
/// circle.
[[nodiscard]] Findings check_layers(const SourceTree& tree);

inline constexpr std::size_t max_function_lines = 50;
inline constexpr std::size_t max_file_lines = 500;
inline constexpr std::size_t max_columns = 100;

/// Functions fit a screen, files have one subject, lines fit the page.
[[nodiscard]] Findings check_sizes(const SourceTree& tree);

inline constexpr std::size_t max_class_functions = 40;
inline constexpr std::size_t max_class_members = 20;

/// Classes have one subject. Those that are larger are named in classes_beyond_the_limits with the
/// sizes that they have: a larger one is found, and a smaller one, so that the table follows.
[[nodiscard]] Findings check_classes(const SourceTree& tree);

/// A kind of event, an outcome of a run, an executor is one row of one table: no other file of the
/// product names more than two thirds of them, or has an alias of their enumeration.
[[nodiscard]] Findings check_tables(const SourceTree& tree);

/// In core, `///` above each named order says why it is enough, or what its partner is.
[[nodiscard]] Findings check_order_reasons(const SourceTree& tree);

/// Every id of an invariant or a precondition that is cited in core, runtime, models or tests is
/// defined once, by a line `///   XY-I1: ...` or `///   XY-P1: ...` of a file of core or runtime,
/// or by a row of the judge's table of rules.
[[nodiscard]] Findings check_invariant_ids(const SourceTree& tree);

/// Core and runtime assert with PTO2_INVARIANT, which no build drops, never with assert().
[[nodiscard]] Findings check_asserts(const SourceTree& tree);

/// Outside of tests nothing is printed to stderr with fmt::print(), which throws where stderr is
/// closed or its disk is full.
[[nodiscard]] Findings check_stderr(const SourceTree& tree);

/// Each core/NAME.hpp has a test tests/core/NAME_test.cpp.
[[nodiscard]] Findings check_mirrors(const SourceTree& tree);

/// Each tests/FOLDER/NAME_test.cpp is named by the CMakeLists.txt beside it or else above: whole,
/// in a loop over NAME that uses ${VARIABLE}_test.cpp, or found as *_test.cpp.
[[nodiscard]] Findings check_tests_are_built(const SourceTree& tree);

/// No TODO, FIXME, NOLINT or disabled tests.
[[nodiscard]] Findings check_loose_ends(const SourceTree& tree);

/// Suppression files under sanitizers/ hold comments only.
[[nodiscard]] Findings check_suppressions(const SourceTree& tree);

}  // namespace pto2::tidy
