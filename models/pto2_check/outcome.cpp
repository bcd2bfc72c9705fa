#include "models/pto2_check/outcome.hpp"

namespace pto2::scenarios {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::killed:
      return "killed";
    case Outcome::survived:
      return "survived";
    case Outcome::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

}  // namespace pto2::scenarios
