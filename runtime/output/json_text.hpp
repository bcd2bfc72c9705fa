/// Results as JSON text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pto2::cli {

/// A document of its own: lines with indentation, and one '\n' at its end. What is no UTF-8, as in
/// what a program has printed or a file is called, is replaced.
[[nodiscard]] std::string text_of_json(const nlohmann::ordered_json& json);
/// A text for other documents, in which the same is replaced.
[[nodiscard]] std::string as_utf8(const std::string& text);

}  // namespace pto2::cli
