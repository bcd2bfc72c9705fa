/// Reading the values of settings from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pto2::cli {

/// A decimal number, with K, M or G (or k, m, g) for 2^10, 2^20, 2^30. Nothing for anything else,
/// also for a product past 64 bits.
std::optional<uint64_t> parse_size(std::string_view text);

/// A decimal number alone.
std::optional<uint64_t> parse_count(std::string_view text);

/// "4 K" and the like for a person: the largest of K, M, G that divides `value`.
std::string size_text(uint64_t value);

}  // namespace pto2::cli
