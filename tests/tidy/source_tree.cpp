#include "tests/tidy/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace pto2::tidy {
namespace fs = std::filesystem;

namespace {

bool ends_with_any(const std::string& path, std::initializer_list<const char*> endings) {
  return std::ranges::any_of(endings, [&](const char* ending) { return path.ends_with(ending); });
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct PipeCloser {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

}  // namespace

bool SourceFile::is_cpp() const {
  return ends_with_any(path, {".cpp", ".hpp", ".h"});
}

bool SourceFile::is_code() const {
  return is_cpp() || ends_with_any(path, {".cmake", "CMakeLists.txt", ".sh", ".py"}) ||
         path == "dev" || path == ".ci/run";
}

std::vector<std::string> list_by_git(const fs::path& root) {
  const std::string command = "git -C " + shell_quoted(root.string()) +
                              " ls-files -z --cached --others --exclude-standard 2>/dev/null";
  const std::unique_ptr<std::FILE, PipeCloser> pipe(popen(command.c_str(), "r"));
  if (!pipe) return {};
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    output.append(buffer.data(), n);
  }
  std::vector<std::string> paths;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = output.find('\0', start);
    paths.push_back(output.substr(start, end - start));
    start = end + 1;
  }
  return paths;
}

std::vector<std::string> list_by_walk(const fs::path& root) {
  std::vector<std::string> paths;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename().string();
    const bool outside = name == "build" || (name.starts_with(".") && name != ".ci");
    if (entry->is_directory() && outside) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.push_back(entry->path().lexically_relative(root).generic_string());
    }
  }
  return paths;
}

SourceTree read_source_tree(const fs::path& root) {
  std::vector<std::string> paths = list_by_git(root);
  if (paths.empty()) paths = list_by_walk(root);
  std::ranges::sort(paths);
  SourceTree tree;
  for (const std::string& path : paths) {
    SourceFile file{path, {}};
    const bool read = file.is_code() || ends_with_any(path, {".supp", ".md"});
    if (!read || !fs::exists(root / path)) continue;  // git still lists a file just deleted
    file.text = read_file(root / path);
    tree.push_back(std::move(file));
  }
  return tree;
}

}  // namespace pto2::tidy
