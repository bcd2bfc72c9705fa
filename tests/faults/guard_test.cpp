/// Kernels that write where they must not, under a guard.
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/guarded_graph.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;

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

TEST_P(Guard, FindsWhatAStrangerWroteInFront) {
  float* address = nullptr;
  const Body tell = [&](int64_t* args) { address = write(args, 1); };
  const Body body = [&](int64_t*) { spoil(address, -3); };
  EXPECT_THAT(message_of([&](Graph& graph) {
                const Tensor token = some_tensor();
                graph.submit(tell, {make_output_param(some_tensor()), make_output_param(token)});
                graph.submit(body, {make_inout_param(token)});
              }),
              AllOf(HasSubstr("somebody else had written 1 byte in front of its buffer, the first "
                              "of them 3 before it"),
                    HasSubstr("after the last kernel")));
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

}  // namespace
}  // namespace pto2::test
