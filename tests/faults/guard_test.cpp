/// Kernels that write where they must not, or leave outputs that are no numbers, under a guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

/// What a kernel does with its arguments; the first is the address of this.
using Body = std::function<void(int64_t*)>;

void call_body(int64_t* args) {
  (*reinterpret_cast<const Body*>(args[0]))(args);
}

float* floats(int64_t* args, int i) {
  return pto_tensor(args, i).data<float>();
}

/// Writes every element of parameter i, and returns where the first is.
float* write(int64_t* args, int i, float value = 1) {
  const PTOTensor& tensor = pto_tensor(args, i);
  float* const first = floats(args, i);
  for (uint32_t row = 0; row < tensor.shape[0]; ++row) {
    for (uint32_t column = 0; column < tensor.shape[1]; ++column) {
      first[row * tensor.strides[0] + column * tensor.strides[1]] = value;
    }
  }
  return first;
}

/// Changes one byte, so that it is another whatever it was.
void spoil(void* address, std::ptrdiff_t bytes = 0) {
  auto* const byte = static_cast<unsigned char*>(address) + bytes;
  *byte = static_cast<unsigned char>(*byte + 1);
}

constexpr uint32_t rows = 4;
constexpr uint32_t columns = 64;
constexpr std::ptrdiff_t tensor_bytes = rows * columns * sizeof(float);

/// 1 KiB, as much as the heap is divided into: without zones the next buffer would touch it.
Tensor some_tensor() {
  const uint32_t shape[] = {rows, columns};
  return make_tensor(shape, 2);
}

Tensor view(const Tensor& tensor, uint32_t row, uint32_t column, uint32_t height, uint32_t width) {
  const uint32_t shape[] = {height, width};
  const uint32_t offsets[] = {row, column};
  return tensor.view(shape, offsets);
}

/// Submits kernels, whose bodies live as long as this.
class Graph {
 public:
  explicit Graph(PTO2Runtime* rt) : rt_(rt) { pto2_rt_init_tensor_pool(rt); }
  void submit(const Body& body, std::vector<PTOParam> params, int type = PTO2_WORKER_VECTOR,
              int32_t cluster = -1) {
    params.insert(params.begin(), make_scalar_param(reinterpret_cast<uint64_t>(&body)));
    pto2_rt_submit_task_clustered(rt_, 0, type, params.data(), static_cast<int32_t>(params.size()),
                                  cluster);
  }
  void submit_block(const Body& body, std::vector<PTOParam> params, int32_t parts) {
    params.insert(params.begin(), make_scalar_param(reinterpret_cast<uint64_t>(&body)));
    pto2_rt_submit_block_task(rt_, 0, PTO2_WORKER_VECTOR, params.data(),
                              static_cast<int32_t>(params.size()), parts);
  }
  [[nodiscard]] PTO2Runtime* runtime() const { return rt_; }

 private:
  PTO2Runtime* rt_;
};
using Build = std::function<void(Graph&)>;

const Body write_first = [](int64_t* args) { write(args, 1); };
const Body nothing = [](int64_t*) {};

class Guard : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(GuardKind guard, const Build& build, uint64_t seed = 1,
                DeviceConfig config = small_device()) {
    static constexpr KernelEntry kernels[] = {call_body};
    config.guard = guard;
    const auto entry = [&](PTO2Runtime* rt) {
      Graph graph(rt);
      build(graph);
    };
    RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
    EXPECT_THAT(result.damaged, IsEmpty()) << result.error.message;
    return result;
  }
  /// On several schedules; the run that follows each in this process is right.
  std::string message_of(const Build& build, ErrorCode code = ErrorCode::kernel_overran,
                         GuardKind guard = GuardKind::on, DeviceConfig config = small_device()) {
    std::string message;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(guard, build, seed, config);
      EXPECT_EQ(result.error.code, code) << result.error.message;
      EXPECT_THAT(result.error.hint, Not(IsEmpty()));
      expect_right(
          [](Graph& graph) { graph.submit(write_first, {make_output_param(some_tensor())}); });
      message = result.error.message;
    }
    return message;
  }
  void expect_right(const Build& build, GuardKind guard = GuardKind::all,
                    DeviceConfig config = small_device()) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(guard, build, seed, config);
      EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Guard, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Guard, NamesWhatIsWrittenBehindAnOutput) {
  const Body body = [](int64_t* args) { spoil(write(args, 1), tensor_bytes); };
  EXPECT_THAT(message_of([&](Graph& graph) {
                graph.submit(body, {make_output_param(some_tensor())}, PTO2_WORKER_CUBE);
              }),
              MatchesRegex("kernel 0, task 0 of ring 0, on aic[0-9]: parameter 1 \\(float32 \\[4, "
                           "64\\] at 0x[0-9a-f]+\\): wrote 1 byte behind its buffer, the first of "
                           "them 0 past its end, at 0x[0-9a-f]+"));
}

TEST_P(Guard, NamesWhatIsWrittenInFrontOfAnOutput) {
  const Body body = [](int64_t* args) {
    spoil(write(args, 1), -1);
    write(args, 2);
  };
  EXPECT_THAT(
      message_of([&](Graph& graph) {
        graph.submit(body, {make_output_param(some_tensor()), make_output_param(some_tensor())});
      }),
      HasSubstr("wrote 1 byte in front of its buffer, the first of them 1 before it"));
}

/// The zones of the second output are its own, and all of a zone is looked at.
TEST_P(Guard, NamesTheOutputOfSeveral) {
  for (const std::ptrdiff_t place : {std::ptrdiff_t{-64}, tensor_bytes, tensor_bytes + 63}) {
    const Body body = [place](int64_t* args) {
      write(args, 1);
      spoil(write(args, 2), place);
    };
    EXPECT_THAT(
        message_of([&](Graph& graph) {
          graph.submit(body, {make_output_param(some_tensor()), make_output_param(some_tensor())});
        }),
        HasSubstr("parameter 2 "))
        << place;
  }
}

TEST_P(Guard, NamesWhatIsWrittenBesideAnInout) {
  for (const std::ptrdiff_t place : {std::ptrdiff_t{-1}, tensor_bytes}) {
    const Body body = [place](int64_t* args) { spoil(floats(args, 1), place); };
    EXPECT_THAT(message_of([&](Graph& graph) {
                  const Tensor tensor = some_tensor();
                  graph.submit(write_first, {make_output_param(tensor)});
                  graph.submit(body, {make_inout_param(tensor)});
                }),
                AllOf(HasSubstr("kernel 0, task 1 of ring 0, on "), HasSubstr("wrote 1 byte ")));
  }
}

/// Buffers go round in the heap several times: each has its zones wherever it is.
TEST_P(Guard, HoldsWhereTheHeapBeginsAgain) {
  DeviceConfig config = small_device();
  config.heap_bytes = 13 << 10;
  for (const int last : {1, 2, 3, 4, 5, 9, 10, 11}) {
    const Body body = [](int64_t* args) { spoil(write(args, 1), tensor_bytes); };
    const auto build = [&](Graph& graph, const Body& end) {
      for (int i = 0; i <= last; ++i) {
        PTO2_SCOPE(graph.runtime()) {
          graph.submit(i == last ? end : write_first, {make_output_param(some_tensor())});
        }
      }
    };
    expect_right([&](Graph& graph) { build(graph, write_first); }, GuardKind::on, config);
    EXPECT_THAT(message_of([&](Graph& graph) { build(graph, body); }, ErrorCode::kernel_overran,
                           GuardKind::on, config),
                HasSubstr(", task " + std::to_string(last) + " of ring 1, on "));
  }
}

TEST_P(Guard, NamesAnInputThatIsChanged) {
  const Body body = [](int64_t* args) { spoil(floats(args, 1), 5); };
  std::vector<float> memory(rows * columns, 1);
  for (const bool is_external : {false, true}) {
    EXPECT_THAT(message_of([&](Graph& graph) {
                  const uint32_t shape[] = {rows, columns};
                  Tensor tensor =
                      is_external ? make_tensor_external(memory.data(), shape, 2) : some_tensor();
                  if (!is_external) graph.submit(write_first, {make_output_param(tensor)});
                  graph.submit(body, {make_input_param(tensor)});
                }),
                HasSubstr("wrote 1 byte of it although it is INPUT, the first of them 5 bytes into "
                          "it"));
  }
}

/// Of a large one both ends are looked at.
TEST_P(Guard, LooksAtBothEndsOfALargeInput) {
  std::vector<float> memory(100'000, 1);
  for (const std::ptrdiff_t place : {0, 399'999}) {
    const Body body = [place](int64_t* args) { spoil(floats(args, 1), place); };
    EXPECT_THAT(message_of([&](Graph& graph) {
                  const uint32_t shape[] = {100'000};
                  graph.submit(body,
                               {make_input_param(make_tensor_external(memory.data(), shape, 1))});
                }),
                HasSubstr(std::to_string(place) + " bytes into it"));
  }
}

/// The part itself, or another one that begins before that one has ended, and finds the damage.
TEST_P(Guard, NamesAPartOfABlockTask) {
  const Body body = [](int64_t* args) {
    if (args[3] == 5) spoil(floats(args, 1), tensor_bytes + 7);
  };
  EXPECT_THAT(
      message_of(
          [&](Graph& graph) { graph.submit_block(body, {make_output_param(some_tensor())}, 6); }),
      ContainsRegex("(wrote|written) 1 byte behind its buffer, the first of them 7 past its "
                    "end"));
}

/// In front of it, between its rows and behind it, in the rest of the buffer.
TEST_P(Guard, NamesWhatIsWrittenBesideAView) {
  for (const std::ptrdiff_t element : {-1, 8, 63, 72}) {
    const Body body = [element](int64_t* args) { spoil(write(args, 1) + element); };
    EXPECT_THAT(message_of([&](Graph& graph) {
                  const Tensor tensor = some_tensor();
                  graph.submit(write_first, {make_output_param(tensor)});
                  graph.submit(body, {make_inout_param(view(tensor, 1, 16, 2, 8))});
                }),
                AllOf(HasSubstr("float32 [2, 8]"),
                      HasSubstr("wrote 1 byte of its buffer that the view does not show")))
        << element;
  }
}

/// Two tasks of which each writes a part of one buffer do not accuse each other.
TEST_P(Guard, LetsOthersWriteTheRestOfABuffer) {
  expect_right([&](Graph& graph) {
    const Tensor tensor = some_tensor();
    graph.submit(write_first, {make_output_param(tensor)});
    for (int i = 0; i < 6; ++i) {
      for (uint32_t column = 0; column < columns; column += 8) {
        graph.submit(write_first, {make_inout_param(view(tensor, 0, column, rows, 8))});
      }
    }
  });
}

/// Nothing orders a reader before a task that writes later.
TEST_P(Guard, LetsOthersWriteWhatIsRead) {
  std::atomic<int> readers{0};
  const Body read = [&](int64_t*) { ++readers; };
  const Body rewrite = [](int64_t* args) { write(args, 1, 2); };
  expect_right([&](Graph& graph) {
    const Tensor tensor = some_tensor();
    graph.submit(write_first, {make_output_param(tensor)});
    for (int i = 0; i < 20; ++i) {
      graph.submit(read, {make_input_param(tensor)});
      graph.submit(rewrite, {make_inout_param(tensor)});
    }
  });
  EXPECT_EQ(readers, 100);
}

TEST_P(Guard, NamesAPinnedTaskAndOneOnAScheduler) {
  const Body body = [](int64_t* args) { spoil(write(args, 1), tensor_bytes); };
  EXPECT_THAT(message_of([&](Graph& graph) {
                graph.submit(body, {make_output_param(some_tensor())}, PTO2_WORKER_VECTOR,
                             pto2_rt_allocate_cluster(graph.runtime()));
              }),
              HasSubstr("on aiv"));
  EXPECT_THAT(message_of([&](Graph& graph) {
                graph.submit(body, {make_output_param(some_tensor())}, PTO2_WORKER_AI_CPU);
              }),
              HasSubstr("on cpu"));
}

/// A kernel that was not given the buffer: whoever comes next sees it, or the end of the run.
TEST_P(Guard, FindsWhatAStrangerWrote) {
  float* address = nullptr;
  const Body tell = [&](int64_t* args) { address = write(args, 1); };
  const Body body = [&](int64_t*) { spoil(address, tensor_bytes); };
  for (const bool is_read : {true, false}) {
    const std::string message = message_of([&](Graph& graph) {
      const Tensor tensor = some_tensor();
      const Tensor token = some_tensor();
      graph.submit(tell, {make_output_param(tensor), make_output_param(token)});
      graph.submit(body, {make_inout_param(token)});
      if (is_read) graph.submit(nothing, {make_input_param(tensor), make_inout_param(token)});
    });
    EXPECT_THAT(message, HasSubstr("somebody else had written 1 byte behind its buffer"));
    EXPECT_THAT(message, HasSubstr(is_read ? "task 2 of ring 0, before it began on aiv"
                                           : "task 0 of ring 0, after the last kernel"));
  }
}

/// The same, of a buffer whose place in the heap is used again.
TEST_P(Guard, FindsWhatAStrangerWroteBeforeTheHeapIsUsedAgain) {
  DeviceConfig config = small_device();
  config.heap_bytes = 13 << 10;
  float* address = nullptr;
  const Body tell = [&](int64_t* args) { address = write(args, 1); };
  const Body body = [&](int64_t* args) { spoil(address, tensor_bytes + 0 * args[0]); };
  EXPECT_THAT(
      message_of(
          [&](Graph& graph) {
            const Tensor token = some_tensor();
            graph.submit(write_first, {make_output_param(token)});
            PTO2_SCOPE(graph.runtime()) {
              graph.submit(tell, {make_output_param(some_tensor()), make_inout_param(token)});
              graph.submit(body, {make_inout_param(token)});
            }
            for (int i = 0; i < 10; ++i) {
              PTO2_SCOPE(graph.runtime()) {
                graph.submit(write_first,
                             {make_output_param(some_tensor()), make_inout_param(token)});
              }
            }
          },
          ErrorCode::kernel_overran, GuardKind::on, config),
      HasSubstr("after the last kernel that was given it"));
}

TEST_P(Guard, SaysNothingOfRightKernels) {
  DeviceConfig config = small_device();
  for (const GuardKind guard : {GuardKind::off, GuardKind::on, GuardKind::all}) {
    config.guard = guard;
    expect_graph(GetParam(), config, [](TaskGraph& graph) {
      std::vector<Value> values{graph.task({})};
      for (uint32_t i = 1; i < 40; ++i) {
        values.push_back(graph.task({values.back(), values[i / 2]}, 1 + i));
        if (i % 7 == 0) graph.update(values[i], {values[i - 1]});
      }
    });
  }
}

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

/// Several tasks write an output together, and a task with nothing else allocates one.
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

}  // namespace
}  // namespace pto2::test
