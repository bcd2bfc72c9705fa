// The project's own files, as the tidy rules see them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pto2::tidy {

struct SourceFile {
  std::string path;  // relative to the root, with forward slashes
  std::string text;

  [[nodiscard]] bool is_under(const std::string& folder) const {
    return path.starts_with(folder + "/");
  }
  [[nodiscard]] bool is_cpp() const;
  /// C++, CMake and shell: what the rules about text in general apply to.
  [[nodiscard]] bool is_code() const;
};

using SourceTree = std::vector<SourceFile>;

/// Reads the text files under `root`: those git tracks or would track, or, where git cannot say,
/// all outside build/ and hidden folders. Sorted by path. Throws std::runtime_error on a file that
/// cannot be read.
[[nodiscard]] SourceTree read_source_tree(const std::filesystem::path& root);

/// The two ways of listing, relative to `root`. git's is empty when git has no answer.
[[nodiscard]] std::vector<std::string> list_by_git(const std::filesystem::path& root);
[[nodiscard]] std::vector<std::string> list_by_walk(const std::filesystem::path& root);

}  // namespace pto2::tidy
