/// What `pto2 replay --help` tells, whichever program it ends up in.
#pragma once

#include <string>

namespace pto2::cli {

[[nodiscard]] std::string replay_footer();

}  // namespace pto2::cli
