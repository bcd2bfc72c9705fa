/// Instructions by layer, from what callgrind has counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <string>

namespace pto2::bench {

/// Instructions by layer: a folder of the project, "core" or "runtime/scheduler"; "libraries" for
/// what no function of the project does itself.
using Profile = std::map<std::string, int64_t>;

/// Reads a profile in the format of Callgrind (Valgrind manual, "Callgrind Format Specification"),
/// whose positions are lines and whose first event is Ir. An instruction belongs to the file that
/// its line stands in; if that is none of the project's, to the function that it was inlined into.
/// Throws std::runtime_error if the counts do not add up to the total that the profile tells.
[[nodiscard]] Profile read_profile(std::istream& text, const std::filesystem::path& project);

}  // namespace pto2::bench
