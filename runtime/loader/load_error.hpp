#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace pto2 {

/// A file or image that cannot be loaded. what() reads "PATH: PROBLEM; HINT".
class LoadError : public std::runtime_error {
 public:
  LoadError(std::string path, std::string problem, std::string hint)
      : std::runtime_error(path + ": " + problem + "; " + hint),
        path_(std::move(path)),
        problem_(std::move(problem)),
        hint_(std::move(hint)) {}

  /// The file, or the name that the image was given.
  const std::string& path() const { return path_; }
  /// What is wrong.
  const std::string& problem() const { return problem_; }
  /// What to do about it.
  const std::string& hint() const { return hint_; }

 private:
  std::string path_;
  std::string problem_;
  std::string hint_;
};

}  // namespace pto2
