#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "runtime/loader/file_bytes.hpp"
#include "runtime/loader/load_error.hpp"

namespace pto2::test {

inline std::string image_path(const std::string& name) {
  return std::string(TEST_IMAGES) + "/" + name + ".so";
}

inline std::vector<std::byte> image(const std::string& name) {
  return read_file_bytes(image_path(name));
}

/// What LoadError says when `action` is refused; empty, and a failure, when it is not.
template <class Action>
std::string load_error(Action action) {
  try {
    action();
  } catch (const LoadError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no LoadError";
  return {};
}

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pto2-loader-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string add(const std::string& name, std::span<const std::byte> bytes) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pto2::test
