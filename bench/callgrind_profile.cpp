#include "bench/callgrind_profile.hpp"

#include <cctype>
#include <stdexcept>

namespace pto2::bench {
namespace {

namespace fs = std::filesystem;

/// The folder of a file of the project; empty: it is none.
std::string layer_of(const std::string& file, const fs::path& project) {
  const fs::path relative = fs::path(file).lexically_relative(project);
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative.parent_path().generic_string();
}

class Reader {
 public:
  explicit Reader(const fs::path& project) : project_(project) {}

  void read(const std::string& line) {
    if (line.empty() || line.front() == '#') return;
    if (std::isdigit(static_cast<unsigned char>(line.front())) != 0 || line.front() == '+' ||
        line.front() == '-' || line.front() == '*') {
      return count(line);
    }
    if (starts(line, "calls=")) {
      inclusive_ = true;
    } else if (starts(line, "fl=")) {
      function_ = place_ = file(line.substr(3));
    } else if (starts(line, "fi=") || starts(line, "fe=")) {
      place_ = file(line.substr(3));
    } else if (starts(line, "fn=")) {
      place_ = function_;
    } else if (starts(line, "cfi=") || starts(line, "cfl=")) {
      file(line.substr(4));
    } else if (starts(line, "totals: ") || starts(line, "summary: ")) {
      total_ = std::stoll(line.substr(line.find(' ')));
    }
  }
  [[nodiscard]] Profile result() const {
    int64_t sum = 0;
    for (const auto& [layer, instructions] : profile_) sum += instructions;
    if (sum == total_ && sum != 0) return profile_;
    throw std::runtime_error("the profile counts " + std::to_string(total_) +
                             " instructions, and its lines " + std::to_string(sum));
  }

 private:
  static bool starts(const std::string& line, const char* with) { return line.starts_with(with); }

  /// The layer of "(7) path", which gives the path the number, or of "(7)".
  std::string file(const std::string& name) {
    const std::size_t end = name.find(')');
    if (name.empty() || name.front() != '(' || end == std::string::npos) {
      return layer_of(name, project_);
    }
    std::string& layer = layers_[name.substr(0, end)];
    if (end + 2 < name.size()) layer = layer_of(name.substr(end + 2), project_);
    return layer;
  }
  /// "LINE COST". Behind a call it is what the callee cost, which its own lines tell.
  void count(const std::string& line) {
    if (inclusive_) {
      inclusive_ = false;
      return;
    }
    const std::string& layer = place_.empty() ? function_ : place_;
    profile_[layer.empty() ? "libraries" : layer] += std::stoll(line.substr(line.find(' ')));
  }

  const fs::path& project_;
  std::map<std::string, std::string> layers_;
  std::string function_;
  std::string place_;
  bool inclusive_ = false;
  int64_t total_ = -1;
  Profile profile_;
};

}  // namespace

Profile read_profile(std::istream& text, const fs::path& project) {
  Reader reader(project);
  for (std::string line; std::getline(text, line);) reader.read(line);
  return reader.result();
}

}  // namespace pto2::bench
