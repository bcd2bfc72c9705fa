/// Reads a file, or stdin, to its end.
#pragma once

#include <string>

namespace pto2 {

/// What the file holds; "-" is stdin. Throws TraceError if it cannot be read, std::bad_alloc.
[[nodiscard]] std::string read_whole(const std::string& path);

}  // namespace pto2
