#include "stress/oracles/recording_runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <ctime>
#include <initializer_list>
#include <string>
#include <vector>

namespace pto2::oracle {
namespace {

/// Where a view of a tensor lies is known by its axes: those of its memory alone.
TEST(RecordingRuntime, KnowsTheViewsOfWhatHasKeptItsAxes) {
  const uint64_t shape[] = {4, 4};
  const uint64_t corner[] = {2, 2};
  const auto knows = [&](auto&& change) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 0, shape, 2, DataType::INT32);
    runtime.ops->view(&runtime, change(runtime, tensor), corner, corner);
    runtime.ops->view(&runtime, tensor, corner, corner);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(knows([](PTO2Runtime&, uint64_t tensor) { return tensor; }));
  EXPECT_FALSE(knows([](PTO2Runtime& runtime, uint64_t tensor) {
    return runtime.ops->transpose(&runtime, tensor, 0, 1);
  }));
  EXPECT_FALSE(knows([&](PTO2Runtime& runtime, uint64_t tensor) {
    return runtime.ops->reshape(&runtime, tensor, shape, 2);
  }));
}

/// The tensor that was transposed or reshaped has its own axes still.
TEST(RecordingRuntime, AChangedTensorIsAnother) {
  const uint64_t shape[] = {4, 4};
  const uint64_t corner[] = {2, 2};
  RecordingRuntime runtime;
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 0, shape, 2, DataType::INT32);
  EXPECT_NE(runtime.ops->transpose(&runtime, tensor, 0, 1), tensor);
  EXPECT_NE(runtime.ops->reshape(&runtime, tensor, shape, 2), tensor);
  runtime.ops->view(&runtime, tensor, corner, corner);
  EXPECT_TRUE(runtime.boxes_are_apart());
}

/// Rows [0, 2) of a tensor are written; other rows are used behind them, or before.
TEST(RecordingRuntime, TilesThatTouchAreApart) {
  const uint64_t whole[] = {6, 2};
  const auto are_apart = [&](uint64_t written, uint64_t rows, uint64_t used) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 2, DataType::INT32);
    const auto tile = [&](uint64_t begin, uint64_t count) {
      const uint64_t shape[] = {count, 2};
      const uint64_t offset[] = {begin, 0};
      return Tensor{runtime.ops->view(&runtime, tensor, shape, offset)};
    };
    runtime.scope_begin();
    const PTOParam first[] = {make_output_param(tile(written, 2))};
    const PTOParam second[] = {make_output_param(tile(used, rows))};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(are_apart(0, 2, 2)) << "behind";
  EXPECT_TRUE(are_apart(4, 2, 2)) << "before";
  EXPECT_FALSE(are_apart(0, 2, 1));
  EXPECT_FALSE(are_apart(4, 3, 2));
}

/// An orchestration has a deadline for all its calls.
TEST(RecordingRuntime, ManyTilesTakeLittleTime) {
  constexpr uint64_t tiles = 30'000;
  const uint64_t whole[] = {tiles, 4};
  const uint64_t shape[] = {1, 4};
  RecordingRuntime runtime;
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 2, DataType::INT32);
  runtime.scope_begin();
  const std::clock_t begin = std::clock();
  for (uint64_t i = 0; i < tiles; ++i) {
    const uint64_t offset[] = {i, 0};
    const PTOParam tile[] = {
        make_inout_param({runtime.ops->view(&runtime, tensor, shape, offset)})};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, tile, 1);
  }
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
  EXPECT_TRUE(runtime.boxes_are_apart());
}

/// Each box of extents of its own, of which the half is written.
TEST(RecordingRuntime, BoxesTakeNoMoreMemoryForBeingCompared) {
  constexpr uint64_t boxes = 2'000;
  const uint64_t whole[] = {boxes, boxes};
  const auto bytes = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  RecordingRuntime runtime;
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 2, DataType::INT32);
  runtime.scope_begin();
  const size_t before = bytes();
  for (uint64_t i = 0; i < boxes; ++i) {
    const uint64_t shape[] = {1, i + 1};
    const uint64_t offset[] = {i, 0};
    const Tensor row{runtime.ops->view(&runtime, tensor, shape, offset)};
    const PTOParam param[] = {i % 2 == 0 ? make_inout_param(row) : make_input_param(row)};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, param, 1);
  }
  EXPECT_LT(bytes() - before, boxes * 2'000);
  EXPECT_TRUE(runtime.boxes_are_apart());
}

/// A box that was compared before is compared with those that are written later: of other extents,
/// or of its own, which are no grid any more.
TEST(RecordingRuntime, ABoxIsComparedWithWhatIsWrittenBehindItsUse) {
  const uint64_t whole[] = {12};
  const auto are_apart = [&](uint64_t begin, uint64_t count, bool is_used_again) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 1, DataType::INT32);
    const auto view = [&](uint64_t from, uint64_t elements) {
      return Tensor{runtime.ops->view(&runtime, tensor, &elements, &from)};
    };
    const auto submit = [&](const PTOParam& param) {
      runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, &param, 1);
    };
    runtime.scope_begin();
    const Tensor first = view(0, 4);
    submit(make_input_param(first));
    submit(make_output_param(view(8, 4)));
    submit(make_input_param(first));
    submit(make_output_param(view(begin, count)));
    EXPECT_TRUE(runtime.boxes_are_apart());
    if (is_used_again) submit(make_input_param(first));
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(are_apart(4, 4, true));
  EXPECT_TRUE(are_apart(5, 2, true));
  EXPECT_TRUE(are_apart(3, 2, false)) << "nobody reads what is written";
  EXPECT_FALSE(are_apart(3, 2, true));
  EXPECT_FALSE(are_apart(2, 4, true));
}

/// Who writes buffers without reading them depends on the tasks that allocated them, by a node
/// each.
TEST(RecordingRuntime, AnOwnerTakesANode) {
  RecordingRuntime runtime;
  const uint64_t shape[] = {4};
  const auto output = [&] {
    return make_output_param({runtime.ops->make_tensor(&runtime, 0, shape, 1, DataType::INT32)});
  };
  const PTOParam both[] = {output(), output()};
  runtime.scope_begin();
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, &both[0], 1);
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, &both[1], 1);
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, both, 2);
  ASSERT_EQ(runtime.tasks().size(), 3U);
  EXPECT_THAT(runtime.tasks()[2].owners, testing::ElementsAre(0, 1));
  EXPECT_EQ(runtime.program().back().dep_nodes, 2U);
}

/// Of two tasks that write all of a buffer unread, the second takes the place of the first if it
/// reads what that wrote, or what its last reader did.
TEST(RecordingRuntime, WhoWritesAllOfItBehindTheLastWriterTakesItsPlace) {
  const uint64_t shape[] = {4};
  for (const bool is_behind : {true, false}) {
    RecordingRuntime runtime;
    const auto external = [&](uint64_t address) {
      return Tensor{runtime.ops->make_tensor(&runtime, address, shape, 1, DataType::INT32)};
    };
    const Tensor data = external(0x1000);
    const Tensor link = external(0x2000);
    const Tensor other = external(0x3000);
    const auto submit = [&](const std::vector<PTOParam>& params) {
      runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params.data(),
                               static_cast<uint32_t>(params.size()));
    };
    runtime.scope_begin();
    submit({make_output_param(data)});
    submit({make_input_param(data), make_output_param(link)});
    submit({make_input_param(is_behind ? link : other), make_output_param(data)});
    submit({make_input_param(data)});
    EXPECT_EQ(runtime.tasks()[3].producers.size(), is_behind ? 1U : 2U);
    EXPECT_EQ(runtime.tasks()[3].producers.back(), 2U);
    const size_t displaced = is_behind ? 1 : 0;
    EXPECT_EQ(runtime.program()[3].displaced, std::vector<size_t>(displaced, 0));
  }
}

std::string text_of(const Call& call) {
  switch (call.kind) {
    case CallKind::scope_begin:
      return "begin";
    case CallKind::scope_end:
      return "end";
    case CallKind::submit:
      return fmt::format("outputs {}, nodes {}, entries {}, replaces {}", call.output_bytes,
                         call.dep_nodes, call.map_entries, call.replaced);
    case CallKind::open_group:
    case CallKind::close_group:
      break;
  }
  return "group";
}

std::string text_of(const RecordedTask& task) {
  return fmt::format("reads of {}, keeps {}, until {}", task.producers, task.owners,
                     task.scope_end);
}

/// A buffer and memory of the caller's, in two scopes. An INOUT takes the place of those who wrote
/// before, but for the one who allocated the buffer.
TEST(RecordingRuntime, WritesDownWhatWasAskedFor) {
  RecordingRuntime runtime;
  const uint64_t shape[] = {5};
  const auto make = [&](uint64_t address) {
    return Tensor{runtime.ops->make_tensor(&runtime, address, shape, 1, DataType::INT32)};
  };
  const auto submit = [&](std::initializer_list<PTOParam> params) {
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params.begin(),
                             static_cast<uint32_t>(params.size()));
  };
  const Tensor external = make(64);
  const Tensor other = make(128);
  const Tensor buffer = make(0);
  runtime.scope_begin();
  submit({make_scalar_param(1), make_output_param(buffer), make_inout_param(external)});
  runtime.scope_begin();
  submit({make_input_param(buffer), make_inout_param(make(64))});
  submit({make_inout_param(buffer)});
  runtime.scope_end();
  submit({make_inout_param(buffer), make_output_param(other)});
  submit({make_output_param(buffer), make_output_param(make(0))});
  runtime.scope_end();

  std::vector<std::string> calls;
  for (const Call& call : runtime.program()) calls.push_back(text_of(call));
  EXPECT_THAT(calls, testing::ElementsAre("begin",                                          //
                                          "outputs [20], nodes 0, entries 2, replaces []",  //
                                          "begin",                                          //
                                          "outputs [], nodes 1, entries 1, replaces [0]",   //
                                          "outputs [], nodes 1, entries 1, replaces []",    //
                                          "end",                                            //
                                          "outputs [], nodes 2, entries 2, replaces [2]",   //
                                          "outputs [20], nodes 1, entries 2, replaces []",  //
                                          "end"));
  std::vector<std::string> tasks;
  for (const RecordedTask& task : runtime.tasks()) tasks.push_back(text_of(task));
  EXPECT_THAT(tasks, testing::ElementsAre("reads of [], keeps [], until 5",      //
                                          "reads of [0], keeps [], until 3",     //
                                          "reads of [0], keeps [], until 3",     //
                                          "reads of [0, 2], keeps [], until 5",  //
                                          "reads of [], keeps [0], until 5"));
  EXPECT_TRUE(runtime.is_exact());
}

/// Which of the boxes (first row, rows) of a tensor of six rows can be told apart. The first one is
/// written, the second is used.
TEST(RecordingRuntime, AViewOfAViewLiesInIt) {
  const uint64_t whole[] = {6, 2};
  const auto are_apart = [&](uint64_t outer, uint64_t inner) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, whole, 2, DataType::INT32);
    const auto view = [&](uint64_t of, uint64_t begin, uint64_t rows) {
      const uint64_t shape[] = {rows, 2};
      const uint64_t offset[] = {begin, 0};
      return runtime.ops->view(&runtime, of, shape, offset);
    };
    runtime.scope_begin();
    const PTOParam first[] = {make_output_param(Tensor{view(tensor, 0, 3)})};
    const PTOParam second[] = {make_input_param(Tensor{view(view(tensor, outer, 3), inner, 1)})};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(are_apart(2, 1));
  EXPECT_FALSE(are_apart(2, 0));
}

/// The same memory, with another number of dimensions: where the numbers of the boxes are apart
/// along the first of them, too.
TEST(RecordingRuntime, BoxesOfDifferentSpacesAreNotApart) {
  const uint64_t rows[] = {2, 2};
  const uint64_t flat[] = {4};
  const uint64_t half[] = {2};
  const auto are_apart = [&](bool flat_first) {
    RecordingRuntime runtime;
    const Tensor square{runtime.ops->make_tensor(&runtime, 64, rows, 2, DataType::INT32)};
    const uint64_t line = runtime.ops->make_tensor(&runtime, 64, flat, 1, DataType::INT32);
    const Tensor end{runtime.ops->view(&runtime, line, half, half)};
    const PTOParam first[] = {make_output_param(flat_first ? end : square)};
    const PTOParam second[] = {make_input_param(flat_first ? square : end)};
    runtime.scope_begin();
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
    EXPECT_TRUE(runtime.boxes_are_apart());
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
    return runtime.boxes_are_apart();
  };
  EXPECT_FALSE(are_apart(false));
  EXPECT_FALSE(are_apart(true));
}

/// The same memory twice, of which a part is written as the first, and one used as the second.
struct Tile {
  std::vector<uint64_t> whole;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> offset;
  DataType type = DataType::INT32;
};
bool are_apart(const Tile& written, const Tile& used) {
  RecordingRuntime runtime;
  const auto tile_of = [&](const Tile& of) {
    const uint64_t whole = runtime.ops->make_tensor(
        &runtime, 64, of.whole.data(), static_cast<uint32_t>(of.whole.size()), of.type);
    return Tensor{runtime.ops->view(&runtime, whole, of.shape.data(), of.offset.data())};
  };
  const PTOParam first[] = {make_output_param(tile_of(written))};
  const PTOParam second[] = {make_input_param(tile_of(used))};
  runtime.scope_begin();
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
  return runtime.boxes_are_apart();
}

TEST(RecordingRuntime, BoxesOfOtherLayoutsAreNotApart) {
  // Both are elements 4 to 7.
  EXPECT_FALSE(are_apart({{4, 2}, {2, 2}, {2, 0}}, {{2, 4}, {1, 4}, {1, 0}}));
  // Bytes 0 to 7, and 4 to 7.
  EXPECT_FALSE(are_apart({{8}, {2}, {0}}, {{8}, {2}, {2}, DataType::FLOAT16}));
  // The same box of numbers is another one.
  EXPECT_FALSE(are_apart({{4, 2}, {1, 2}, {1, 0}}, {{2, 4}, {1, 2}, {1, 0}}));
  // How many rows there are says nothing of where one is.
  EXPECT_TRUE(are_apart({{4, 2}, {2, 2}, {2, 0}}, {{2, 2}, {1, 2}, {1, 0}}));
}

/// Its begin has as many axes as its extent has, whatever it is a view of.
TEST(RecordingRuntime, AViewOfFewerAxesIsNotKnown) {
  RecordingRuntime runtime;
  const uint64_t square[] = {4, 4};
  const uint64_t flat[] = {16};
  const uint64_t part[] = {4};
  const uint64_t start[] = {0};
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, square, 2, DataType::INT32);
  const uint64_t line = runtime.ops->reshape(&runtime, tensor, flat, 1);
  const PTOParam first[] = {make_output_param({tensor})};
  const PTOParam second[] = {make_input_param({runtime.ops->view(&runtime, line, part, start)})};
  runtime.scope_begin();
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, first, 1);
  runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, second, 1);
  EXPECT_FALSE(runtime.boxes_are_apart());
}

/// However a task uses a tensor that there is not: nothing is known of it any more.
TEST(RecordingRuntime, AnUnknownTensorIsAMistake) {
  const Tensor unknown{12345};
  for (const PTOParam& param :
       {make_input_param(unknown), make_output_param(unknown), make_inout_param(unknown)}) {
    RecordingRuntime runtime;
    runtime.scope_begin();
    const PTOParam known[] = {make_scalar_param(12345)};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, known, 1);
    EXPECT_TRUE(runtime.boxes_are_apart());
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, &param, 1);
    EXPECT_FALSE(runtime.boxes_are_apart());
    EXPECT_EQ(runtime.tasks().size(), 1U);
  }
}

/// Nor is anything known where there are no parameters, or more than anybody takes: a number below
/// 0 is large.
TEST(RecordingRuntime, ParametersThatThereAreNotAreAMistake) {
  const std::vector<PTOParam> params(33, make_scalar_param(1));
  const auto knows = [](const PTOParam* from, uint32_t count) {
    RecordingRuntime runtime;
    runtime.scope_begin();
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, from, count);
    EXPECT_EQ(runtime.tasks().size(), runtime.boxes_are_apart() ? 1U : 0U);
    return runtime.boxes_are_apart();
  };
  EXPECT_TRUE(knows(params.data(), 32));
  EXPECT_FALSE(knows(params.data(), 33));
  EXPECT_FALSE(knows(params.data(), ~uint32_t{0}));
  EXPECT_FALSE(knows(nullptr, 1));
  EXPECT_TRUE(knows(nullptr, 0));
}

/// The run refuses it, which is not to end the recording.
TEST(RecordingRuntime, ATensorOfNoElementsIsRecorded) {
  RecordingRuntime runtime;
  const uint64_t none[] = {0};
  const uint64_t some[] = {4};
  const uint64_t start[] = {2};
  runtime.scope_begin();
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, some, 1, DataType::INT32);
  for (const uint64_t empty : {runtime.ops->make_tensor(&runtime, 128, none, 1, DataType::INT32),
                               runtime.ops->view(&runtime, tensor, none, start)}) {
    const PTOParam param = make_inout_param({empty});
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, &param, 1);
    EXPECT_EQ(runtime.ops->numel(&runtime, empty), 0U);
  }
  EXPECT_EQ(runtime.tasks().size(), 2U);
}

/// A tensor has 1 to 5: of a shape of more, or fewer than 0, nothing is read.
TEST(RecordingRuntime, DimensionsThatThereAreNotAreAMistake) {
  const std::vector<uint64_t> shape(PTO_MAX_DIMS, 1);
  const auto is_known = [&](bool reshapes, uint32_t ndims) {
    RecordingRuntime runtime;
    uint64_t tensor =
        runtime.ops->make_tensor(&runtime, 64, shape.data(), reshapes ? 1 : ndims, DataType::INT32);
    if (reshapes) tensor = runtime.ops->reshape(&runtime, tensor, shape.data(), ndims);
    EXPECT_EQ(tensor != 0, runtime.boxes_are_apart()) << ndims;
    return runtime.boxes_are_apart();
  };
  for (const bool reshapes : {false, true}) {
    for (const uint32_t ndims : {1U, 5U}) EXPECT_TRUE(is_known(reshapes, ndims)) << ndims;
    for (const uint32_t ndims : {0U, 6U, ~0U}) EXPECT_FALSE(is_known(reshapes, ndims)) << ndims;
  }
}

TEST(RecordingRuntime, KnowsTheFormOfATensor) {
  RecordingRuntime runtime;
  const uint64_t rows[] = {2, 6};
  const uint64_t cube[] = {2, 2, 3};
  const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, rows, 2, DataType::INT32);
  EXPECT_EQ(runtime.ops->ndims(&runtime, tensor), 2u);
  EXPECT_EQ(runtime.ops->numel(&runtime, tensor), 12u);
  const uint64_t reshaped = runtime.ops->reshape(&runtime, tensor, cube, 3);
  EXPECT_EQ(runtime.ops->ndims(&runtime, reshaped), 3u);
  EXPECT_EQ(runtime.ops->numel(&runtime, reshaped), 12u);
  const uint64_t part[] = {2, 3};
  const uint64_t offset[] = {0, 3};
  EXPECT_EQ(runtime.ops->numel(&runtime, runtime.ops->view(&runtime, tensor, part, offset)), 6u);
}

TEST(RecordingRuntime, AProgramLacksTheGroups) {
  RecordingRuntime runtime;
  runtime.scope_begin();
  EXPECT_TRUE(runtime.is_exact());
  pto2_rt_allocate_cluster(&runtime);
  EXPECT_FALSE(runtime.is_exact());
  EXPECT_TRUE(runtime.boxes_are_apart());
}

TEST(RecordingRuntime, SeesEachEndOfAPipe) {
  for (const PTOParam& param : {make_pipe_in_param(0), make_pipe_out_param(0)}) {
    RecordingRuntime runtime;
    runtime.scope_begin();
    EXPECT_FALSE(runtime.has_pipes());
    const PTOParam params[] = {param, make_scalar_param(0)};
    runtime.ops->submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params, 2);
    EXPECT_TRUE(runtime.has_pipes());
  }
}

}  // namespace
}  // namespace pto2::oracle
