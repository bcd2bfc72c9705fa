#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "runtime/loader/file_descriptor.hpp"

namespace pto2 {

/// A copy of an image in an anonymous file, which is sealed: nobody can change it any more.
class SealedImage {
 public:
  /// `path` is only for messages. Throws LoadError.
  SealedImage(std::span<const std::byte> bytes, const std::string& path);
  ~SealedImage();
  SealedImage(SealedImage&& other) noexcept
      : file_(std::move(other.file_)),
        name_(std::move(other.name_)),
        bytes_(std::exchange(other.bytes_, {})) {}
  SealedImage& operator=(SealedImage&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(name_, other.name_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  /// A path to it, which takes no memory: who unloads an image asks for it, and may not fail.
  const std::string& name() const { return name_; }
  /// No other file has its name from now on.
  void keep_name() { file_.release(); }

 private:
  FileDescriptor file_;
  std::string name_;
  std::span<const std::byte> bytes_;  ///< mapped
};

}  // namespace pto2
