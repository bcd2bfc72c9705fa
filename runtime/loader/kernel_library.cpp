#include "runtime/loader/kernel_library.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "runtime/loader/load_error.hpp"

namespace pto2 {
namespace {

struct KernelFile {
  int32_t func_id;
  std::string name;
};

/// Parses "FUNCID_NAME.so"; NAME may hold letters, digits, '_', '-' and '.'.
KernelFile parse_file_name(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const size_t separator = stem.find('_');
  int32_t id = -1;
  const char* end = stem.data() + std::min(separator, stem.size());
  const auto [stop, error] = std::from_chars(stem.data(), end, id);
  // A number may have a sign there, and be 0.
  if (separator == std::string::npos || separator + 1 == stem.size() || error != std::errc() ||
      stop != end || stem.starts_with('-')) {
    throw LoadError(path.string(), "is not named FUNCID_NAME.so",
                    "name kernels like 0_qk.so, with the id that submit_task is given");
  }
  return {id, stem.substr(separator + 1)};
}

std::vector<std::filesystem::path> shared_objects_in(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    throw LoadError(folder, "cannot be listed: " + error.message(), "name a folder of kernels");
  }
  std::vector<std::filesystem::path> files;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() == ".so") files.push_back(entries->path());
  }
  if (error) throw LoadError(folder, "cannot be listed: " + error.message(), "check the disk");
  if (files.empty()) {
    const bool has_sources =
        std::filesystem::exists(std::filesystem::path(folder) / "kernel_config.py", error);
    throw LoadError(folder, "holds no kernel",
                    has_sources
                        ? "pto2 run-folder compiles and runs what its kernel_config.py names"
                        : "put FUNCID_NAME.so files there, e.g. 0_qk.so");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

KernelLibrary KernelLibrary::from_folder(const std::string& folder) {
  KernelLibrary library;
  for (const std::filesystem::path& path : shared_objects_in(folder)) {
    const KernelFile file = parse_file_name(path);
    library.add(file.func_id, file.name, SharedObject::from_file(path.string()));
  }
  return library;
}

void KernelLibrary::add(int32_t func_id, const std::string& name,
                        std::span<const std::byte> image) {
  add(func_id, name, SharedObject::from_bytes(image, name));
}

void KernelLibrary::add(int32_t func_id, const std::string& name, SharedObject object) {
  if (func_id < 0 || func_id >= max_kernel_count) {
    throw LoadError(object.path(), "has kernel id " + std::to_string(func_id),
                    "use ids from 0 to " + std::to_string(max_kernel_count - 1));
  }
  if (const Kernel* other = find(func_id)) {
    throw LoadError(object.path(),
                    "has kernel id " + std::to_string(func_id) + ", as has " + other->name,
                    "give each kernel an id of its own");
  }
  Kernel kernel{name, object.function<void(int64_t*)>("kernel_entry")};
  const auto index = static_cast<size_t>(func_id);
  if (kernels_.size() <= index) kernels_.resize(index + 1);
  object.set_kernel(name);
  objects_.push_back(std::move(object));
  kernels_[index] = std::move(kernel);
}

const Kernel* KernelLibrary::find(int32_t func_id) const {
  if (func_id < 0 || func_id >= id_limit()) return nullptr;
  const auto& kernel = kernels_[static_cast<size_t>(func_id)];
  return kernel ? &*kernel : nullptr;
}

}  // namespace pto2
