#include "runtime/chip/chip.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/chip/config_error.hpp"

namespace pto2 {
namespace {

constexpr std::array numbers{
    ChipNumber{"blocks", &Chip::clusters, 1, max_clusters},
    // A block without cores of a type would leave tasks of that type waiting for ever.
    ChipNumber{"cubes_per_block", &Chip::cubes_per_cluster, 1, max_cores_per_cluster},
    ChipNumber{"vectors_per_block", &Chip::vectors_per_cluster, 1, max_cores_per_cluster},
    ChipNumber{"schedulers", &Chip::schedulers, 1, max_schedulers},
    ChipNumber{"accelerators", &Chip::accelerators, 0, max_accelerators, true},
};

void check_name(const std::string& name) {
  constexpr std::size_t longest = 64;
  const bool plain = std::ranges::all_of(name, [](char c) {
    constexpr std::string_view marks = "_-.";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
  if (!name.empty() && name.size() <= longest && plain) return;
  throw ConfigError(fmt::format("name is '{}', but must be 1..{} letters, digits, '_', '-' or '.'",
                                name, longest),
                    {"name"});
}

std::string counted(uint32_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Accelerators are to blame where the blocks would fit alone.
[[noreturn]] void refuse_size(const Chip& chip) {
  const bool blocks_fit = chip.cores() - chip.accelerators <= max_cores;
  const std::string and_others =
      chip.accelerators == 0 ? "" : " and " + counted(chip.accelerators, "accelerator");
  const std::string text = fmt::format(
      "{} blocks of {} cores{} are {} cores, but a chip has at most {}; use fewer {}",
      chip.clusters, chip.cubes_per_cluster + chip.vectors_per_cluster, and_others, chip.cores(),
      max_cores,
      blocks_fit ? "blocks, cores per block or accelerators" : "blocks or cores per block");
  if (blocks_fit) throw ConfigError(text, {"blocks", "accelerators"});
  throw ConfigError(text, {"blocks"});
}

}  // namespace

const char* core_type_name(CoreType type) {
  static constexpr std::array<const char*, core_types> names{"cube", "vector", "ai_cpu",
                                                             "accelerator"};
  return names[static_cast<uint32_t>(type)];
}

std::string Chip::name_of(WorkerId worker) const {
  static constexpr std::array<const char*, core_types> names{"aic", "aiv", "cpu", "acc"};
  const CoreType type = type_of(worker);
  return names[static_cast<uint32_t>(type)] + std::to_string(worker.value - first_worker(type));
}

std::span<const ChipNumber> chip_numbers() {
  return numbers;
}

void validate(const Chip& chip) {
  check_name(chip.name);
  for (const ChipNumber& number : numbers) {
    check_range(number.name, chip.*number.member, number.low, number.high);
  }
  if (chip.cores() > max_cores) refuse_size(chip);
  if (chip.schedulers > chip.clusters) {
    throw ConfigError(
        fmt::format(
            "schedulers is {}, but each needs a block of its own and there {} {}; use fewer "
            "schedulers or more blocks",
            chip.schedulers, chip.clusters == 1 ? "is" : "are", chip.clusters),
        {"schedulers", "blocks"});
  }
}

std::string shape_text(const Chip& chip) {
  return fmt::format(
      "{} of {} cube and {} vector cores, {}{}", counted(chip.clusters, "block"),
      chip.cubes_per_cluster, chip.vectors_per_cluster, counted(chip.schedulers, "scheduler"),
      chip.accelerators == 0 ? "" : ", " + counted(chip.accelerators, "accelerator"));
}

std::span<const Chip> known_chips() {
  static const std::array chips{
      Chip{"a2a3sim", 24, 1, 2, 3, 0},
      Chip{"a5sim", 36, 1, 2, 4, 0},
  };
  return chips;
}

}  // namespace pto2
