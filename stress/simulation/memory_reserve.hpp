/// What a program that keeps its findings in memory needs to tell them when memory has ended.
#pragma once

namespace pto2::simulations {

/// Of the program, in two parts: one for the runs that are under way when memory ends, so that they
/// come to their ends, and one for the report, which no run can take.
class MemoryReserve {
 public:
  /// Sets it aside, as far as there is any, and sees to it (std::set_new_handler) that who asks for
  /// memory when there is no more has the first part. Only then does operator new throw. Once,
  /// before threads.
  static void install();
  /// Throws std::bad_alloc if memory has ended: then nothing that ran meanwhile is to be judged.
  static void check();
  /// The runs are over: what is left may be used.
  static void release();
};

}  // namespace pto2::simulations
