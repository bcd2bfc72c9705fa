/// What the images are called that are loaded under no name of their own, for messages: the dynamic
/// loader knows the anonymous file alone that each was loaded from.
///
/// Handlers of signals ask for it, so asking allocates nothing; and what they interrupt holds no
/// lock of this, unless it loads an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pto2 {

/// Names the image that an address is in, as long as it lives.
class ImageName {
 public:
  ImageName(const void* inside, std::string path);
  ~ImageName();
  ImageName(const ImageName&) = delete;
  ImageName& operator=(const ImageName&) = delete;

  /// Of the kernel that the image has.
  void set_kernel(const std::string& name);

  // Of the image that begins there; empty: it has none. Valid while the image is loaded.
  [[nodiscard]] static std::string_view path_of(const void* begin);
  [[nodiscard]] static std::string_view kernel_of(const void* begin);

 private:
  [[nodiscard]] static const ImageName* find(const void* begin);
  static inline ImageName* newest_ = nullptr;

  const void* const begin_;
  const std::string path_;
  std::string kernel_;
  ImageName* next_;
};

/// Where the image of an address begins; null: it is in none.
[[nodiscard]] const void* image_of(const void* address);
/// "kernel 3 (sum)", or "kernel 3" if the image of its entry has no name.
[[nodiscard]] std::string kernel_text(std::size_t number, void (*entry)(int64_t*));

}  // namespace pto2
