/// Kernels that leave outputs that are no numbers, or unwritten, under a guard that looks at
/// values.
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/faults/guarded_graph.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_P(Guard, NamesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Body body = [&](int64_t* args) { write(args, 1)[7] = nan; };
  const Build build = [&](Graph& graph) { graph.submit(body, {make_output_param(some_tensor())}); };
  EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all),
              HasSubstr("parameter 1 (float32 [4, 64]"));
  EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all),
              HasSubstr("made 1 element NaN"));
  expect_right(build, GuardKind::on);
}

/// Half floats of either kind, and infinity, which is a number here.
TEST_P(Guard, KnowsNaNOfEachType) {
  const auto run_with = [&](DataType type, uint16_t bits, bool is_nan) {
    const Body body = [&](int64_t* args) {
      for (int i = 0; i < 8; ++i) pto_tensor(args, 1).data<uint16_t>()[i] = bits;
    };
    const RunResult result = run(GuardKind::all, [&](Graph& graph) {
      const uint32_t shape[] = {8};
      graph.submit(body, {make_output_param(make_tensor(shape, 1, type))});
    });
    EXPECT_EQ(result.error.code, is_nan ? ErrorCode::bad_output : ErrorCode::ok) << bits;
  };
  run_with(DataType::FLOAT16, 0x7c00, false);
  run_with(DataType::FLOAT16, 0x7c01, true);
  run_with(DataType::FLOAT16, 0xfe00, true);
  run_with(DataType::BFLOAT16, 0x7c01, false);
  run_with(DataType::BFLOAT16, 0x7f80, false);
  run_with(DataType::BFLOAT16, 0xffc0, true);
  run_with(DataType::INT16, 0xffff, false);
}

/// It came from outside, and is not the kernel's fault.
TEST_P(Guard, LetsNaNOfAnInputPass) {
  std::vector<float> memory(rows * columns, std::nanf(""));
  const Body copy = [](int64_t* args) {
    std::memcpy(floats(args, 2), floats(args, 1), tensor_bytes);
  };
  expect_right([&](Graph& graph) {
    const uint32_t shape[] = {rows, columns};
    const Tensor output = some_tensor();
    graph.submit(copy, {make_input_param(make_tensor_external(memory.data(), shape, 2)),
                        make_output_param(output)});
    graph.submit(copy, {make_input_param(output), make_output_param(some_tensor())});
  });
}

TEST_P(Guard, NamesAnOutputThatIsNotWritten) {
  const Body body = [](int64_t* args) {
    write(args, 1);
    std::memset(floats(args, 1) + 3, 0xFF, 2 * sizeof(float));
  };
  const Build build = [&](Graph& graph) { graph.submit(body, {make_output_param(some_tensor())}); };
  EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all),
              AllOf(HasSubstr("kernel 0, task 0 of ring 0, on aiv"),
                    HasSubstr("left 2 elements unwritten (uninitialised output)")));
  EXPECT_THAT(
      message_of([&](Graph& graph) { graph.submit(nothing, {make_output_param(some_tensor())}); },
                 ErrorCode::bad_output, GuardKind::all),
      HasSubstr("left 256 elements unwritten"));
}

/// Before what is in its place is written, which would hide it; and the first of several.
TEST_P(Guard, NamesAnUnwrittenOutputWhosePlaceIsUsedAgain) {
  DeviceConfig config = small_device();
  config.heap_bytes = 13 << 10;
  const Build build = [](Graph& graph) {
    for (int i = 0; i < 20; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const bool is_written = i != 1 && i != 2;
        graph.submit(is_written ? write_first : nothing, {make_output_param(some_tensor())});
      }
    }
  };
  EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all, config),
              AllOf(HasSubstr("kernel 0, task 1 of ring 1, on "),
                    HasSubstr("left 256 elements unwritten")));
}

/// Who reads it need not run for that.
TEST_P(Guard, NamesAnOutputThatIsReadUnwritten) {
  std::atomic<int> readers{0};
  const Body read = [&](int64_t*) { ++readers; };
  EXPECT_THAT(message_of(
                  [&](Graph& graph) {
                    const Tensor tensor = some_tensor();
                    graph.submit(nothing, {make_output_param(tensor)});
                    graph.submit(read, {make_input_param(tensor)});
                  },
                  ErrorCode::bad_output, GuardKind::all),
              HasSubstr("task 0 of ring 0, on aiv"));
  EXPECT_EQ(readers, 0);
}

/// Several tasks write an output together.
TEST_P(Guard, LetsOthersWriteTheRestOfAnOutput) {
  const Body row = [](int64_t* args) {
    for (uint32_t i = 0; i < columns; ++i) floats(args, 2)[args[1] * columns + i] = 1;
  };
  expect_right([&](Graph& graph) {
    const Tensor tensor = some_tensor();
    for (uint64_t i = 0; i < rows; ++i) {
      graph.submit(row, {make_scalar_param(i), make_output_param(tensor)});
    }
  });
}

/// Then it is not the first task's to write all of it, whatever tasks its slot had before.
TEST_P(Guard, LetsATaskAllocateForOthers) {
  expect_right([&](Graph& graph) {
    for (int i = 0; i < 100; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        graph.submit(write_first, {make_output_param(some_tensor())});
      }
    }
    for (int i = 0; i < 100; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const Tensor tensor = some_tensor();
        graph.submit_idle(make_output_param(tensor));
        graph.submit(write_first, {make_inout_param(view(tensor, 0, 0, rows - 1, columns))});
      }
    }
  });
}

/// It is no allocation for others if nobody has written anything before it is read.
TEST_P(Guard, NamesAnAllocationThatIsReadUnwritten) {
  const Body read = [](int64_t*) {};
  const auto read_after = [&](uint32_t written_rows, uint32_t read_row) {
    return [&read, written_rows, read_row](Graph& graph) {
      const Tensor tensor = some_tensor();
      graph.submit_idle(make_output_param(tensor));
      if (written_rows != 0) {
        graph.submit(write_first, {make_inout_param(view(tensor, 0, 0, written_rows, columns))});
      }
      const Tensor rest = view(tensor, read_row, 0, rows - read_row, columns);
      graph.submit(read, {make_input_param(rest)});
    };
  };
  EXPECT_THAT(message_of(read_after(0, 0), ErrorCode::bad_output, GuardKind::all),
              AllOf(HasSubstr("kernel 1, task 0 of ring 0, on aiv"),
                    HasSubstr("left 256 elements unwritten (uninitialised output)")));
  EXPECT_THAT(message_of(read_after(2, 2), ErrorCode::bad_output, GuardKind::all),
              HasSubstr("left 128 elements unwritten"));
  expect_right(read_after(1, 0));
}

/// A task that writes it may have it as an input, too.
TEST_P(Guard, LetsATaskReadAnAllocationThatItWrites) {
  const Body write_second = [](int64_t* args) { write(args, 2); };
  expect_right([&](Graph& graph) {
    const Tensor tensor = some_tensor();
    graph.submit_idle(make_output_param(tensor));
    graph.submit(write_second, {make_input_param(tensor), make_inout_param(tensor)});
  });
}

/// Not even at its end.
TEST_P(Guard, LetsAnAllocationBeThatNobodyReads) {
  expect_right([](Graph& graph) { graph.submit_idle(make_output_param(some_tensor())); });
}

/// It may have come through a pipe.
TEST_P(Guard, LetsNaNOfAPipePass) {
  const Body body = [](int64_t* args) { write(args, 1, std::nanf("")); };
  const Build build = [&](Graph& graph) {
    graph.submit(body, {make_output_param(some_tensor()), make_pipe_in_param(0)},
                 PTO2_WORKER_VECTOR, pto2_rt_allocate_cluster(graph.runtime()));
  };
  expect_right(build);
}

/// A NaN that a kernel fills with, say. The bits of -1 are one as well, but not of those that
/// operations make.
TEST_P(Guard, LetsNaNOfAScalarPass) {
  const auto build_with = [&](uint64_t scalar) {
    const Body body = [](int64_t* args) { write(args, 1, std::nanf("")); };
    return Build([scalar, body](Graph& graph) {
      graph.submit(body, {make_output_param(some_tensor()), make_scalar_param(scalar)});
    });
  };
  const uint64_t of_floats[] = {0x7fc00000, 0xffc00000, 0xffffffffffc00000, 0x7ff8000000000000,
                                0xfff8000000000000};
  for (const uint64_t nan : of_floats) expect_right(build_with(nan));
  const uint64_t others[] = {7, 0x7f800000, ~uint64_t{0}, 0x7ff8};
  for (const uint64_t number : others) {
    EXPECT_THAT(message_of(build_with(number), ErrorCode::bad_output, GuardKind::all),
                HasSubstr("made 256 elements NaN"));
  }
}

/// Parts of a block task, too, of which each writes a share.
TEST_P(Guard, LooksAtABlockTaskWhenItsLastPartHasEnded) {
  const Body row = [](int64_t* args) {
    for (uint32_t i = 0; i < columns; ++i) floats(args, 1)[args[3] * columns + i] = 1;
  };
  for (const int32_t parts : {4, 3}) {
    const Build build = [&](Graph& graph) {
      graph.submit_block(row, {make_output_param(some_tensor())}, parts);
    };
    if (parts == 4) {
      expect_right(build);
    } else {
      EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all),
                  HasSubstr("left 64 elements unwritten"));
    }
  }
}

/// Whatever the number of its parts was: the next task has one.
TEST_P(Guard, LooksAtATaskBehindABlockTask) {
  const Body row = [](int64_t* args) {
    for (uint32_t i = 0; i < columns; ++i) floats(args, 1)[args[3] * columns + i] = 1;
  };
  const Build build = [&](Graph& graph) {
    graph.submit_block(row, {make_output_param(some_tensor())}, rows);
    graph.submit(nothing, {make_output_param(some_tensor())});
  };
  EXPECT_THAT(message_of(build, ErrorCode::bad_output, GuardKind::all),
              HasSubstr("left 256 elements unwritten"));
}

/// Also of a run of which nobody asks for anything else: nothing is recorded, nothing is timed.
TEST_P(Guard, LooksAtARunThatIsNotRecorded) {
  static constexpr KernelEntry kernels[] = {call_body};
  DeviceConfig config = small_device();
  config.guard = GuardKind::all;
  const auto entry = [](PTO2Runtime* rt) {
    Graph graph(rt);
    graph.submit(nothing, {make_output_param(some_tensor())});
  };
  const RunResult result = launch_on(GetParam(), config, {kernels, entry, {}}, 1);
  EXPECT_EQ(result.error.code, ErrorCode::bad_output) << result.error.message;
}

}  // namespace
}  // namespace pto2::test
