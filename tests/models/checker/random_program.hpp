/// Random straight-line programs for comparisons.
#pragma once

#include <random>

#include "models/litmus/program.hpp"

namespace pto2::model::litmus {

/// What a family of random programs is rich in.
struct Flavour {
  int threads;
  int instructions;  ///< in all
  int locations;
  int fences;      ///< chance of a fence, in percent
  int updates;     ///< chance of a read-modify-write, in percent
  int sc;          ///< chance that an order is seq_cst, in percent
  int waits = 0;   ///< chance that a thread waits for a value, in percent
  int values = 0;  ///< how many values there are; 0: each write has its own
  int weak = 0;    ///< chance that a compare-exchange may fail spuriously, in percent
};

Program random_program(std::mt19937_64& random, const Flavour& flavour);

}  // namespace pto2::model::litmus
