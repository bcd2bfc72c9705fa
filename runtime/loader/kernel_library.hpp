#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/loader/shared_object.hpp"

namespace pto2 {

/// kernel_entry of pto_kernel_api.h.
using KernelFunction = void (*)(int64_t*);

/// Ids of kernels are 0..max_kernel_count - 1.
constexpr int32_t max_kernel_count = 4096;

struct Kernel {
  std::string name;
  KernelFunction entry = nullptr;
};

/// The kernels of a workload, by function id. It keeps their images loaded.
class KernelLibrary {
 public:
  KernelLibrary() = default;
  /// Loads every FUNCID_NAME.so of a folder, e.g. 0_qk.so; other files are left alone. Throws
  /// LoadError for a folder without kernels, an .so whose name has another form, an id given
  /// twice, and whatever SharedObject and a missing kernel_entry give.
  static KernelLibrary from_folder(const std::string& folder);

  /// Adds the kernel `name` with id `func_id` from an image in memory. Throws LoadError.
  void add(int32_t func_id, const std::string& name, std::span<const std::byte> image);
  /// The same from a loaded object, which this takes over.
  void add(int32_t func_id, const std::string& name, SharedObject object);

  /// The kernel with this id, or nullptr. Valid until the next add().
  const Kernel* find(int32_t func_id) const;
  /// Number of kernels.
  size_t size() const { return objects_.size(); }
  /// One past the largest id.
  int32_t id_limit() const { return static_cast<int32_t>(kernels_.size()); }

 private:
  std::vector<std::optional<Kernel>> kernels_;  ///< by id
  std::vector<SharedObject> objects_;
};

}  // namespace pto2
