/// What is measured goes into docs/PERFORMANCE.md and the folder of its plots.
#pragma once

#include <filesystem>

#include "bench/peers/results.hpp"

namespace pto2::bench {

/// Before anything is measured: throws std::runtime_error if update_page() could not do its work,
/// or if peers are left out, whose figures the page would lose.
void check_update(const std::filesystem::path& page, const Results& chosen);

/// Writes the tables and the plots. Throws std::runtime_error if that fails.
void update_page(const std::filesystem::path& page, const Results& results);

}  // namespace pto2::bench
