#include "runtime/cli/doctor_checks.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "runtime/device/device.hpp"
#include "runtime/loader/file_descriptor.hpp"
#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::cli {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

Check check_cpus() {
  const uint32_t cpus = executors::usable_cpus();
  if (cpus >= 2) return {"cpus", CheckStatus::ok, fmt::format("{} usable", cpus)};
  return {"cpus", CheckStatus::warn, "1 usable: runs work, but nothing runs in parallel"};
}

/// MemAvailable of /proc/meminfo in bytes; nothing if unknown.
std::optional<double> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kib = 0;
  std::string rest;
  while (file >> name >> kib && std::getline(file, rest)) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  return std::nullopt;
}

/// The default rings reserve 4 GiB of addresses and touch what they use.
Check check_address_space() {
  const std::string advice = "use a smaller --heap, e.g. --heap 64M";
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY && static_cast<double>(limit.rlim_cur) < 8 * gib) {
    return {"address space", CheckStatus::warn,
            fmt::format("limited to {:.1f} GiB (ulimit -v); {}",
                        static_cast<double>(limit.rlim_cur) / gib, advice)};
  }
  int overcommit = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit;
  if (overcommit == 2) {
    return {"address space", CheckStatus::warn,
            "vm.overcommit_memory is 2, so reserved memory counts as used; " + advice};
  }
  return {"address space", CheckStatus::ok, "the rings can be reserved lazily"};
}

Check check_sealed_memory() {
  const std::string name = "sealed memory files";
  const FileDescriptor file(memfd_create("pto2-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) {
    return {name, CheckStatus::fail,
            fmt::format("memfd_create: {}; images cannot be loaded", std::strerror(errno))};
  }
  const bool written = write(file.get(), "x", 1) == 1;
  const bool sealed =
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0;
  const bool refused = write(file.get(), "x", 1) == -1;
  if (written && sealed && refused) return {name, CheckStatus::ok, "memfd_create and F_ADD_SEALS"};
  return {name, CheckStatus::fail, "a sealed file could be written or not be sealed"};
}

Check check_clock() {
  using Clock = std::chrono::steady_clock;
  constexpr int samples = 1000;
  auto smallest = std::chrono::nanoseconds::max();
  for (int i = 0; i < samples; ++i) {
    const auto begin = Clock::now();
    auto end = Clock::now();
    while (end == begin) end = Clock::now();
    smallest = std::min<std::chrono::nanoseconds>(smallest, end - begin);
  }
  const std::string found = fmt::format("steady clock, steps of {} ns", smallest.count());
  if (smallest <= std::chrono::microseconds(1)) return {"clock", CheckStatus::ok, found};
  return {"clock", CheckStatus::warn, found + "; kernel times and traces will be coarse"};
}

Check check_instrumentation() {
  std::string found;
#if defined(__SANITIZE_ADDRESS__)
  found = "built with AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
  found = "built with ThreadSanitizer; races show on --executor threads";
#endif
  const char* const preload = std::getenv("LD_PRELOAD");
  if (preload != nullptr && std::strstr(preload, "vgpreload") != nullptr) {
    found += std::string(found.empty() ? "" : ", ") +
             "under valgrind; use --executor threads and few --blocks";
  }
  if (found.empty()) return {"instrumentation", CheckStatus::ok, "none"};
  return {"instrumentation", CheckStatus::warn, found + "; times mean little"};
}

/// Each logical thread of a chip is an OS thread on the executor `threads`.
Check check_platforms() {
  std::string found;
  constexpr uint32_t own_threads = 2;  // the program's, and that which reminds the orchestrator
  uint32_t most_threads = 0;
  for (const Chip& chip : known_chips()) {
    found += fmt::format("{}{}: {}", found.empty() ? "" : "; ", chip.name, shape_text(chip));
    most_threads = std::max(most_threads, own_threads + 1 + chip.schedulers + chip.cores());
  }
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  if (limit.rlim_cur >= most_threads) return {"platforms", CheckStatus::ok, found};
  return {"platforms", CheckStatus::warn,
          fmt::format("{}; {} threads are allowed (ulimit -u), so --executor threads needs fewer "
                      "--blocks",
                      found, limit.rlim_cur)};
}

Check check_images(const workloads::Workload& workload) {
  const std::string name = "images of " + workload.name();
  try {
    const workloads::WorkloadImages images = workloads::find_workload_images(workload.name());
    const auto orchestration = OrchestrationLibrary::from_file(images.orchestration);
    orchestration.bind(nullptr);
    const KernelLibrary kernels = KernelLibrary::from_folder(images.kernels);
    return {name, CheckStatus::ok,
            fmt::format("orchestration and {} kernels load", kernels.size())};
  } catch (const std::exception& error) {
    return {name, CheckStatus::fail, error.what()};
  }
}

RunResult run_example(workloads::CaseData& data) {
  const workloads::WorkloadImages images = workloads::find_workload_images("vector_example");
  const auto orchestration = OrchestrationLibrary::from_file(images.orchestration, data.entry());
  const KernelLibrary kernels = KernelLibrary::from_folder(images.kernels);
  std::vector<KernelEntry> entries;
  for (int32_t id = 0; id < kernels.id_limit(); ++id) {
    const Kernel* kernel = kernels.find(id);
    entries.push_back(kernel == nullptr ? nullptr : kernel->entry);
  }
  std::vector<uint64_t> args = data.args();
  DeviceConfig config;
  config.heap_bytes = uint64_t{16} << 20;
  return launch(config, {},
                {entries,
                 [&](PTO2Runtime* runtime) {
                   orchestration.bind(runtime);
                   orchestration.entry(runtime, args.data(), static_cast<int>(args.size()));
                 },
                 {}});
}

Check check_run() {
  const std::string name = "run of vector_example";
  try {
    const workloads::Workload& workload = workloads::find_workload("vector_example");
    const auto data = workload.make_case(workload.cases().front().name);
    const RunResult result = run_example(*data);
    if (result.error.code != ErrorCode::ok) {
      return {name, CheckStatus::fail, result.error.message};
    }
    const workloads::Verification verification = data->verify();
    if (!verification.pass) {
      return {name, CheckStatus::fail, "wrong result: " + verification.detail};
    }
    if (result.tasks != data->expected_tasks()) {
      return {name, CheckStatus::fail,
              fmt::format("{} tasks instead of {}", result.tasks, data->expected_tasks())};
    }
    return {name, CheckStatus::ok,
            fmt::format("{} tasks in {:.2f} ms on {} host threads", result.tasks,
                        static_cast<double>(result.wall_ns) * 1e-6, result.host_threads)};
  } catch (const std::exception& error) {
    return {name, CheckStatus::fail, error.what()};
  }
}

}  // namespace

const char* status_name(CheckStatus status) {
  switch (status) {
    case CheckStatus::ok:
      return "ok";
    case CheckStatus::warn:
      return "warn";
    case CheckStatus::fail:
      return "fail";
  }
  return "unknown";
}

Check check_memory(std::optional<double> available) {
  if (!available) {
    return {"memory", CheckStatus::warn, "unknown: /proc/meminfo has no MemAvailable"};
  }
  const std::string found = fmt::format("{:.1f} GiB available", *available / gib);
  if (*available < 0.25 * gib) {
    return {"memory", CheckStatus::fail, found + "; small cases need 0.25 GiB"};
  }
  if (*available < 2 * gib) {
    return {"memory", CheckStatus::warn, found + "; production cases need 2 GiB"};
  }
  return {"memory", CheckStatus::ok, found};
}

std::vector<Check> run_doctor_checks() {
  std::vector<Check> checks = {
      check_cpus(),  check_memory(available_memory()), check_address_space(), check_sealed_memory(),
      check_clock(), check_instrumentation(),          check_platforms()};
  for (const workloads::Workload* workload : workloads::all_workloads()) {
    checks.push_back(check_images(*workload));
  }
  checks.push_back(check_run());
  return checks;
}

}  // namespace pto2::cli
