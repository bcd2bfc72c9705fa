#include "runtime/output/json_text.hpp"

#include <nlohmann/json.hpp>

namespace pto2::cli {

std::string text_of_json(const nlohmann::ordered_json& json) {
  constexpr int indentation = 2;
  return json.dump(indentation, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string as_utf8(const std::string& text) {
  return nlohmann::ordered_json::parse(text_of_json(text)).get<std::string>();
}

}  // namespace pto2::cli
