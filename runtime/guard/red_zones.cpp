#include "runtime/guard/red_zones.hpp"

#include <array>
#include <cstring>

namespace pto2::guard {
namespace {

constexpr uint64_t longest_zone = packed_output_alignment + red_zone;

/// Unlike what kernels write by mistake: no byte is zero, and the bytes change from one to the
/// next. The multiplier is Knuth's (MMIX).
constexpr std::array<std::byte, longest_zone> make_pattern() {
  std::array<std::byte, longest_zone> pattern{};
  uint64_t state = 1;
  for (std::byte& byte : pattern) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::byte>(state >> 56 | 1);
  }
  return pattern;
}
constexpr std::array<std::byte, longest_zone> zone_pattern = make_pattern();

uint64_t bytes_behind(uint64_t bytes) {
  return packed_output_bytes(bytes + guarded_zones.behind) - bytes - red_zone;
}

}  // namespace

std::optional<Damage> find_damage(uint64_t address, const std::byte* expected, uint64_t bytes) {
  const auto* const found = reinterpret_cast<const std::byte*>(address);
  if (std::memcmp(found, expected, bytes) == 0) return std::nullopt;
  Damage damage{0, 0};
  for (uint64_t i = 0; i < bytes; ++i) {
    if (found[i] == expected[i]) continue;
    if (damage.bytes++ == 0) damage.first = address + i;
  }
  return damage;
}

void paint_zones(uint64_t buffer, uint64_t bytes) {
  std::memcpy(reinterpret_cast<std::byte*>(buffer - red_zone), zone_pattern.data(), red_zone);
  std::memcpy(reinterpret_cast<std::byte*>(buffer + bytes), zone_pattern.data(),
              bytes_behind(bytes));
}

std::optional<Damage> damage_in_front(uint64_t buffer) {
  return find_damage(buffer - red_zone, zone_pattern.data(), red_zone);
}

std::optional<Damage> damage_behind(uint64_t buffer, uint64_t bytes) {
  return find_damage(buffer + bytes, zone_pattern.data(), bytes_behind(bytes));
}

}  // namespace pto2::guard
