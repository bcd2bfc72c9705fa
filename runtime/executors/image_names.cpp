#include "runtime/executors/image_names.hpp"

#include <dlfcn.h>

#include <atomic>
#include <utility>

#include "runtime/executors/fork_locks.hpp"
#include "runtime/executors/handler_lock.hpp"

namespace pto2 {
namespace {

std::atomic_flag list_taken;

bool keep_list_from_forks() {
  executors::keep_from_forks(list_taken, executors::ForkRank::image_names);
  return true;
}
[[maybe_unused]] const bool is_list_kept = keep_list_from_forks();

}  // namespace

ImageName::ImageName(const void* inside, std::string path)
    : begin_(image_of(inside)), path_(std::move(path)) {
  const HandlerLock lock(list_taken);
  next_ = std::exchange(newest_, this);
}

ImageName::~ImageName() {
  const HandlerLock lock(list_taken);
  ImageName** place = &newest_;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
}

void ImageName::set_kernel(const std::string& name) {
  std::string copy = name;
  const HandlerLock lock(list_taken);
  kernel_.swap(copy);
}

const ImageName* ImageName::find(const void* begin) {
  const ImageName* image = begin == nullptr ? nullptr : newest_;
  while (image != nullptr && image->begin_ != begin) image = image->next_;
  return image;
}

std::string_view ImageName::path_of(const void* begin) {
  const HandlerLock lock(list_taken);
  const ImageName* const image = find(begin);
  return image == nullptr ? std::string_view() : image->path_;
}

std::string_view ImageName::kernel_of(const void* begin) {
  const HandlerLock lock(list_taken);
  const ImageName* const image = find(begin);
  return image == nullptr ? std::string_view() : image->kernel_;
}

const void* image_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

std::string kernel_text(std::size_t number, void (*entry)(int64_t*)) {
  std::string text = "kernel " + std::to_string(number);
  const auto name = ImageName::kernel_of(image_of(reinterpret_cast<const void*>(entry)));
  if (!name.empty()) text.append(" (").append(name).append(")");
  return text;
}

}  // namespace pto2
