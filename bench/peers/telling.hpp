/// What peers_bench tells of what it has found out.
#pragma once

#include <filesystem>
#include <string>

#include "bench/peers/results.hpp"

namespace pto2::bench {

/// Prints the tables and who failed, appends the rows to a file and writes `page`, each of the two
/// if it is named. Returns the exit code: 3 if a runtime failed; the page stays as it is then.
/// Throws std::runtime_error if something cannot be written, when all has been printed.
[[nodiscard]] int tell(const Results& results, const std::string& rows_file,
                       const std::filesystem::path& page);

}  // namespace pto2::bench
