// Classes of a source and what they declare.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::tidy {

struct ClassSize {
  std::string name;
  std::size_t line;       ///< of its head, from 1
  std::size_t functions;  ///< members that are functions, with a body or without
  std::size_t members;    ///< data members that each object has
};

/// Those with a body, nested ones included, in order. What is nested counts for itself alone.
[[nodiscard]] std::vector<ClassSize> find_classes(std::string_view text);

}  // namespace pto2::tidy
