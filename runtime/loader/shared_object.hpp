#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "runtime/executors/image_names.hpp"
#include "runtime/loader/elf_image.hpp"
#include "runtime/loader/sealed_image.hpp"

namespace pto2 {

/// A loaded shared object. Its bytes are copied into a sealed anonymous file, validated (ElfImage)
/// and loaded from there, so that nobody can change them between the check and the use, nor while
/// they are mapped. Undefined symbols are errors (RTLD_NOW), its own stay private (RTLD_LOCAL).
/// Every load is an image of its own, also of the same bytes. All failures are LoadError.
class SharedObject {
 public:
  static SharedObject from_file(const std::string& path);
  /// `name` stands for the path in messages.
  static SharedObject from_bytes(std::span<const std::byte> bytes, const std::string& name);

  ~SharedObject();
  SharedObject(SharedObject&& other) noexcept;
  SharedObject& operator=(SharedObject&& other) noexcept;

  /// The address of a function that the image itself exports; LoadError with `hint` when there is
  /// none. Valid while this lives.
  void* symbol(const std::string& name, const char* hint = declare_it) const;
  /// The same, as a pointer to a function of type F.
  template <class F>
  F* function(const std::string& name, const char* hint = declare_it) const {
    return reinterpret_cast<F*>(symbol(name, hint));
  }

  const std::string& path() const { return path_; }
  /// What messages call the kernel that it has.
  void set_kernel(const std::string& name) { name_->set_kernel(name); }

  static constexpr const char* declare_it =
      "declare it extern \"C\" and give it default visibility";

 private:
  SharedObject(std::string path, SealedImage copy);
  void close() noexcept;

  std::string path_;
  SealedImage copy_;  ///< open while loaded: see close()
  ElfImage image_;    ///< of it
  void* handle_ = nullptr;
  std::unique_ptr<ImageName> name_;
};

}  // namespace pto2
