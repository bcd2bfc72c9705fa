/// What a check of a kernel finds.
#pragma once

#include <stdexcept>
#include <string>

namespace pto::checks {

/// Where a kernel issues an instruction. The texts outlive the kernel.
struct Site {
  const char* instruction = "";
  const char* file = "";
  int line = 0;

  friend bool operator==(const Site& a, const Site& b) {
    return a.instruction == b.instruction && a.file == b.file && a.line == b.line;
  }
};

/// "TADD at kernel.cpp:12"
inline std::string text_of(const Site& site) {
  const std::string path = site.file;
  return std::string(site.instruction) + " at " + path.substr(path.find_last_of('/') + 1) + ":" +
         std::to_string(site.line);
}

/// Leaves a kernel that did what it must not, so that its run ends. Its text is short: a run keeps
/// 239 characters of it.
class Finding : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pto::checks
