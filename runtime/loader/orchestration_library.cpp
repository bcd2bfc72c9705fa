#include "runtime/loader/orchestration_library.hpp"

#include "runtime/loader/load_error.hpp"

namespace pto2 {

OrchestrationLibrary OrchestrationLibrary::from_file(const std::string& path,
                                                     const std::string& entry_name) {
  return OrchestrationLibrary(SharedObject::from_file(path), entry_name);
}

OrchestrationLibrary::OrchestrationLibrary(SharedObject object, const std::string& entry_name)
    : object_(std::move(object)),
      bind_(object_.function<uint32_t(PTO2Runtime*)>(
          "pto2_bind_runtime",
          "an orchestration has it from pto_orchestration_api.h; is this a kernel?")),
      config_(
          object_.function<PTO2OrchestrationConfig(uint64_t*, int)>("aicpu_orchestration_config")),
      entry_(object_.function<void(PTO2Runtime*, uint64_t*, int)>(entry_name)) {}

void OrchestrationLibrary::bind(PTO2Runtime* runtime) const {
  const uint32_t version = bind_(runtime);
  if (version == 0 || version > PTO2_ORCHESTRATION_ABI) {
    throw LoadError(path(),
                    "is built for version " + std::to_string(version) +
                        " of the orchestration interface, not for 1 to " +
                        std::to_string(PTO2_ORCHESTRATION_ABI),
                    "build it against this version's pto_orchestration_api.h");
  }
}

PTO2OrchestrationConfig OrchestrationLibrary::config(uint64_t* args, int arg_count) const {
  return config_(args, arg_count);
}

void OrchestrationLibrary::entry(PTO2Runtime* runtime, uint64_t* args, int arg_count) const {
  entry_(runtime, args, arg_count);
}

}  // namespace pto2
