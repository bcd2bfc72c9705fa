#pragma once

#include <cstdint>
#include <string>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/loader/shared_object.hpp"

namespace pto2 {

/// A loaded orchestration (pto_orchestration_api.h). Loading binds it to no runtime; afterwards it
/// is bound to one at a time, so that launches side by side need an image each.
class OrchestrationLibrary {
 public:
  static constexpr const char* default_entry = "aicpu_orchestration_entry";

  /// `entry_name` is the function that builds the graph. Throws LoadError.
  static OrchestrationLibrary from_file(const std::string& path,
                                        const std::string& entry_name = default_entry);
  explicit OrchestrationLibrary(SharedObject object, const std::string& entry_name = default_entry);

  /// Makes `runtime` the one that the image's tensors are made in. Throws LoadError when the image
  /// was built for a later version of the interface; older ones run.
  void bind(PTO2Runtime* runtime) const;
  /// What the image says about its arguments. After bind().
  PTO2OrchestrationConfig config(uint64_t* args, int arg_count) const;
  /// Builds the graph in `runtime`. After bind().
  void entry(PTO2Runtime* runtime, uint64_t* args, int arg_count) const;

  const std::string& path() const { return object_.path(); }

 private:
  SharedObject object_;
  uint32_t (*bind_)(PTO2Runtime*);
  PTO2OrchestrationConfig (*config_)(uint64_t*, int);
  void (*entry_)(PTO2Runtime*, uint64_t*, int);
};

}  // namespace pto2
