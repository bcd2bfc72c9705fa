/// Figures of tasks that are counted, not timed, and the file of what is expected of them: what
/// benchmarks without noise have in common.
#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace pto2::bench {

/// What a task of some work costs, by part of the runtime; and under `all` the sum of all parts.
using PerTask = std::map<std::string, double>;
inline constexpr const char* all = "all";
using Figures = std::map<std::string, PerTask>;  // by work

/// What is expected of a subject, and how far a figure may be from it: this part of it, or so much.
struct Expectation {
  std::string subject;
  std::filesystem::path file;  ///< comma-separated: work, part, figure; below one line of headings
  std::string headings;
  int decimals;  ///< of a figure in it
  double tolerance;
  double least_tolerance;
};

/// Reads the text of such a file. Throws std::invalid_argument for a figure that is none, or for a
/// second one of the same part.
[[nodiscard]] Figures read_figures(std::istream& text);
void write_figures(std::ostream& text, const Figures& figures, const Expectation& of);

struct Compared {
  std::string part;
  double figure;
  double expected;
  bool differs;
};
/// Each part that was measured, or is expected. One that is missing on either side is 0 there.
[[nodiscard]] std::vector<Compared> compare(const PerTask& measured, const PerTask& expected,
                                            const Expectation& of);

/// What is wanted beside the comparison.
struct FigureOptions {
  std::string rows;     ///< a file to which a JSON object per work is appended; empty: none
  bool update = false;  ///< what is measured is what is expected from now on
};
/// Reads `[--rows FILE] [--update]`. False: that is not what they are.
[[nodiscard]] bool parse(const std::vector<std::string>& arguments, FigureOptions& options);

struct Work {
  std::string name;
  std::function<PerTask()> measure;
};
/// Measures all of it, and prints the figures and what they should have been. The exit code: 0, or
/// 1 if a figure is not as expected, in either direction: what was won is written down, so that it
/// is not lost in silence; or if a work is expected that is not measured, or a figure is no number.
/// Throws std::runtime_error if a file cannot be written.
[[nodiscard]] int check_figures(const Expectation& expected, const FigureOptions& options,
                                std::span<const Work> works);

}  // namespace pto2::bench
