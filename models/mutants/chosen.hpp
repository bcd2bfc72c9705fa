/// Which mutant a program with planted mutants runs with: the number in the variable PTO2_MUTANT of
/// its environment, or none. What planting writes into sources includes this; nothing else does. It
/// is C++17, as the headers of the interface are.
#pragma once

#include <cstdlib>

namespace pto2::mutants {

/// 0: none. Hidden, or a shared object that has it would stay loaded for ever (STB_GNU_UNIQUE).
__attribute__((visibility("hidden"))) inline int number_chosen = 0;

/// Before what is initialised with the program, or with a shared object of it, which has its own.
__attribute__((constructor(101))) static void read_choice() {
  if (const char* text = std::getenv("PTO2_MUTANT")) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 1 || number > 0x7fffffff) std::abort();
    number_chosen = static_cast<int>(number);
  }
}

/// Whether it runs with that one. Nothing that the compiler computes does.
constexpr bool chosen(int number) {
  return !__builtin_is_constant_evaluated() && number_chosen == number;
}

}  // namespace pto2::mutants
