#include "models/pto2_check/mutant_status.hpp"

namespace pto2::scenarios {

const char* to_string(MutantStatus status) {
  switch (status) {
    case MutantStatus::killed:
      return "killed";
    case MutantStatus::survived:
      return "survived";
    case MutantStatus::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

}  // namespace pto2::scenarios
