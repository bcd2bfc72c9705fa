#include "pto2/checker/report.hpp"

namespace pto2::model {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

}  // namespace pto2::model
