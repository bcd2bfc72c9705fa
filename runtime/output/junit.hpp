/// Results as JUnit's XML, which CI servers show.
#pragma once

#include <string>
#include <vector>

namespace pto2::cli {

struct JunitCase {
  std::string name;
  double seconds;
  std::string failure;  ///< empty: none
  bool skipped;         ///< inconclusive
};

/// A suite of one file. `interrupted`: there were to be more cases.
[[nodiscard]] std::string junit_text(const std::string& suite, const std::vector<JunitCase>& cases,
                                     bool interrupted);

}  // namespace pto2::cli
