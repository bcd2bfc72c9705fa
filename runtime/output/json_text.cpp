#include "runtime/output/json_text.hpp"

#include <nlohmann/json.hpp>

namespace pto2::cli {

std::string text_of_json(const nlohmann::ordered_json& json) {
  constexpr int indentation = 2;
  return json.dump(indentation, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace pto2::cli
