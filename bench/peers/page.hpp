/// The generated part of docs/PERFORMANCE.md, and its plots.
#pragma once

#include <filesystem>
#include <string>

#include "bench/peers/results.hpp"

namespace pto2::bench {

/// The tables, in Markdown. `plots` says whether the plots stand between them.
[[nodiscard]] std::string tables_of(const Results& results, bool plots);

/// `page` with `text` between the lines that mark what is generated. Throws std::runtime_error if
/// it has no such lines.
[[nodiscard]] std::string with_generated(std::string page, const std::string& text);

inline constexpr const char* tasks_plot = "tasks.svg";
inline constexpr const char* granularity_plot = "granularity.svg";
inline constexpr const char* memory_plot = "memory.svg";
inline constexpr const char* plot_names[] = {tasks_plot, granularity_plot, memory_plot};

/// Writes the plots that the tables name, as SVG, with gnuplot. Throws std::runtime_error if that
/// fails.
void write_plots(const std::filesystem::path& folder, const Results& results);

}  // namespace pto2::bench
