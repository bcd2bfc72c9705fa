#include "bench/peers/surroundings.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::bench {
namespace {

/// Of libgomp, libomp (which reads those of others, too), StarPU, hwloc and oneTBB.
constexpr std::array<std::string_view, 9> prefixes{"OMP_", "GOMP_",  "KMP_", "LIBOMP_", "STARPU_",
                                                   "TBB_", "HWLOC_", "ITT_", "OMPT_"};

bool is_of_a_peer(std::string_view name) {
  return std::ranges::any_of(prefixes, [=](std::string_view p) { return name.starts_with(p); });
}

}  // namespace

void expect_cpus(uint32_t count) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return;
  const auto usable = static_cast<uint32_t>(CPU_COUNT(&cpus));
  if (usable >= count) return;
  throw std::runtime_error(
      fmt::format("{} CPUs are needed, and this process may use {}", count, usable));
}

void leave_peers_as_they_come(std::ostream& told) {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (is_of_a_peer(text)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) {
    unsetenv(name.c_str());
    told << "peers: without the setting " << name << '\n';
  }
}

}  // namespace pto2::bench
