/// The edge of a program that counts or measures.
#pragma once

#include <exception>
#include <iostream>

namespace pto2::bench {

/// What execute() returns; 3, with a message after the program's name, if it throws.
template <class Execute>
int run_program(const char* name, Execute&& execute) {
  try {
    return execute();
  } catch (const std::exception& problem) {
    std::cerr << name << ": " << problem.what() << '\n';
    return 3;
  }
}

}  // namespace pto2::bench
