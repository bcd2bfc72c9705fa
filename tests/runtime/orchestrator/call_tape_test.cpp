/// What the tape of an orchestration's calls holds.
#include "runtime/orchestrator/call_tape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pto2 {
namespace {

std::vector<std::string> calls_of(const CallTape& tape) {
  std::vector<std::string> names;
  const uint64_t* call = tape.words().data();
  for (; kind_of(*call) != CallKind::end; call += size_of_call(call)) {
    names.emplace_back(call_name(kind_of(*call)));
  }
  EXPECT_EQ(call + 1, tape.words().data() + tape.words().size());
  return names;
}

constexpr uint64_t extents[] = {1, 2, 3, 4, 5};

TEST(CallTape, HasEachCallInItsWords) {
  CallTape tape(7);
  constexpr uint64_t tensor = uint64_t{9} << 32 | 3;
  tape.note(CallKind::scope_begin);
  tape.make(64, extents, 5, DataType::INT8);
  tape.view(tensor, extents, extents, 3);
  tape.reshape(tensor, extents, 2);
  tape.transpose(tensor, 0, 1);
  const PTOParam params[] = {make_scalar_param(8), make_input_param({tensor}), make_scalar_param(9),
                             make_output_param({tensor})};
  tape.submit({1, PTO2_WORKER_CUBE, params});
  tape.submit({1, PTO2_WORKER_CUBE, {}});
  tape.note(CallKind::scope_end);
  tape.note(CallKind::orchestration_done);
  EXPECT_EQ(calls_of(tape), (std::vector<std::string>{
                                "scope_begin", "make_tensor", "view", "reshape", "transpose",
                                "submit_task", "submit_task", "scope_end", "orchestration_done"}));
  // Handles are relative to the run's first: that of the view, and those of the submission.
  for (const std::size_t place : {9, 26, 27}) {
    EXPECT_EQ(tape.words()[place], uint64_t{2} << 32 | 3) << place;
  }
}

TEST(CallTape, GivesUpWhereItIsFull) {
  CallTape tape(1, 15);
  tape.make(64, extents, 5, DataType::INT8);
  tape.make(64, extents, 5, DataType::INT8);
  EXPECT_EQ(tape.given_up(), nullptr);
  EXPECT_EQ(calls_of(tape).size(), 2U);
  tape.note(CallKind::scope_begin);
  ASSERT_NE(tape.given_up(), nullptr);
  EXPECT_STREQ(tape.given_up(), "it makes too many calls");
  tape.note(CallKind::scope_end);
  EXPECT_TRUE(calls_of(tape).empty());
}

/// Each of which another table of functions, or the run itself, would have refused.
TEST(CallTape, HasNoCallsThatCannotComeAgain) {
  const int32_t cluster = 0;
  const Where pinned{.clusters = {&cluster, 1}};
  const PTOParam pipe = make_pipe_in_param(1);
  const std::vector<PTOParam> many(max_params + 1, make_scalar_param(1));
  const Request requests[] = {
      {0, 0, {}, &pinned},
      {0, 0, {&pipe, 1}},
      {0, 0, many},
      {0, 0, {static_cast<const PTOParam*>(nullptr), 1}},
  };
  for (const Request& request : requests) {
    CallTape tape;
    tape.submit(request);
    EXPECT_NE(tape.given_up(), nullptr);
  }
}

}  // namespace
}  // namespace pto2
