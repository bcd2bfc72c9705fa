/// Compares the uses of memory orders that scenarios met with those that stand in the source: a use
/// that no execution passes would not be weakened, and nobody would notice.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/pto2_check/weak_points.hpp"

namespace pto2::scenarios {

/// The places of the headers in `folder` that ask P::order for the order of a site, sorted, as
/// place_text has them; a line with two has two entries. Throws std::runtime_error if a header
/// cannot be read.
std::vector<std::string> uses_in_source(const std::filesystem::path& folder);

/// The same of the uses that a scenario met which is explored without --deep.
std::vector<std::string> uses_met(const std::vector<WeakPoint>& points);

/// Throws std::runtime_error, which names the place, if one is in the source and was not met, or
/// the other way round. Both are sorted.
void expect_same_uses(const std::vector<std::string>& in_source,
                      const std::vector<std::string>& met);

}  // namespace pto2::scenarios
