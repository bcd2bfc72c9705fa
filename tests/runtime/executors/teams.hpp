/// The kinds of teams that the hardware policy has, for tests of what all of them promise.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/executors/team.hpp"

namespace pto2::executors {

struct KindOfTeam {
  const char* name;
  TeamOptions options;
};

inline std::vector<KindOfTeam> all_teams() {
  constexpr std::size_t stack = std::size_t{64} << 10;
  return {{"threads", {.executor = Executor::threads}},
          {"packed1", {.executor = Executor::packed, .host_threads = 1, .stack_bytes = stack}},
          {"packed2", {.executor = Executor::packed, .host_threads = 2, .stack_bytes = stack}},
          {"packed4", {.executor = Executor::packed, .host_threads = 4, .stack_bytes = stack}}};
}

/// Of a thread that is rung for each of its steps.
inline AfterStep end_if(bool is_last) {
  return is_last ? AfterStep::end : AfterStep::rung;
}

using EachTeam = testing::TestWithParam<KindOfTeam>;

inline std::string name_of_team(const testing::TestParamInfo<KindOfTeam>& test) {
  return test.param.name;
}

}  // namespace pto2::executors
