/// How an attempt to break the core on purpose came out.
#pragma once

namespace pto2::scenarios {

enum class MutantStatus {
  killed,        ///< a scenario shows what goes wrong
  survived,      ///< no scenario does, or none in the time that there is for a mutant
  inconclusive,  ///< the search was stopped before it could tell
};

const char* to_string(MutantStatus status);

}  // namespace pto2::scenarios
