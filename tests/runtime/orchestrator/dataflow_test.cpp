#include "runtime/orchestrator/dataflow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace pto2 {
namespace {

/// External buffers of two elements each, in scopes.
class ExternalBuffers : public testing::Test {
 protected:
  ExternalBuffers() { dataflow_.scope_begin(1); }

  const TensorRecord& make(uint64_t address) {
    constexpr uint64_t shape[] = {2};
    const TensorResult made = dataflow_.tensors().make(address, shape, 1, DataType::FLOAT32);
    return *dataflow_.tensors().find(made.handle);
  }
  /// The front half of such a tensor.
  const TensorRecord& part_of(uint64_t address) {
    constexpr uint64_t shape[] = {2};
    constexpr uint64_t half[] = {1};
    constexpr uint64_t front[] = {0};
    TensorTable& tensors = dataflow_.tensors();
    const TensorResult made = tensors.make(address, shape, 1, DataType::FLOAT32);
    return *tensors.find(tensors.view(made.handle, half, front).handle);
  }
  void write(const TensorRecord& tensor, TaskId task) {
    ASSERT_TRUE(dataflow_.map().insert(*tensor.writes, tensor.region, task));
  }
  /// Scopes with a buffer each; returns the most that are known at a time.
  std::size_t name_many() {
    std::size_t most = 0;
    for (uint64_t i = 0; i < 100'000; ++i) {
      dataflow_.scope_begin(1);
      (void)make(0x100000 + 64 * i);
      dataflow_.scope_end();
      most = std::max(most, buffers());
    }
    return most;
  }
  std::size_t buffers() { return dataflow_.tensors().external_buffers(); }

  static DeviceConfig small() {
    DeviceConfig config;
    config.window = 16;
    return config;
  }

  Dataflow dataflow_{small(), 1};
};

/// However many a run names: it remembers those that it may meet again.
TEST_F(ExternalBuffers, OfEndedScopesAreForgotten) {
  const std::size_t most = name_many();
  EXPECT_GT(most, 1U);
  EXPECT_LT(most, 10'000U);
}

TEST_F(ExternalBuffers, OfOneLargeScopeAreForgottenAtItsEnd) {
  dataflow_.scope_begin(1);
  for (uint64_t i = 0; i < 5000; ++i) (void)make(0x100000 + 64 * i);
  EXPECT_EQ(buffers(), 5000U);
  dataflow_.scope_end();
  EXPECT_EQ(buffers(), 0U);
}

/// Until who wrote them retires.
TEST_F(ExternalBuffers, ThatAreWrittenAreRemembered) {
  const TaskId task = make_id(0, 0);
  dataflow_.scope_begin(1);
  write(make(0x1000), task);
  write(part_of(0x2000), task);
  dataflow_.scope_end();
  (void)name_many();
  dataflow_.scope_begin(1);
  EXPECT_EQ(make(0x1000).writes->writer, task);
  EXPECT_TRUE(make(0x2000).writes->may_have_parts);
  dataflow_.scope_end();
  dataflow_.map().sync({1, 0, 0, 0});
  (void)name_many();
  EXPECT_EQ(make(0x1000).writes->writer, no_task);
  EXPECT_FALSE(make(0x2000).writes->may_have_parts);
}

/// One external buffer on two rings, of which the second has the scopes of all depths but the
/// first.
class Producers : public testing::Test {
 protected:
  Producers() {
    dataflow_.scope_begin(1);
    constexpr uint64_t shape[] = {2};
    buffer_.id = dataflow_.tensors().make(0x1000, shape, 1, DataType::FLOAT32).handle;
  }

  /// A task that writes the buffer and waits for nobody.
  void write(TaskId task) {
    const TensorRecord& tensor = *dataflow_.tensors().find(buffer_.id);
    ASSERT_TRUE(dataflow_.map().insert(*tensor.writes, tensor.region, task));
    dataflow_.enter(next(), task);
  }
  /// Whom the next task waits for, which names the buffer so often.
  std::vector<TaskId> of_reader(std::size_t times = 1) {
    const std::vector<PTOParam> params(times, make_input_param(buffer_));
    Submission task = next();
    task.params = params;
    EXPECT_TRUE(dataflow_.resolve(task));
    return {task.producers.begin(), task.producers.end()};
  }

  Submission next() {
    Submission task{};
    task.serial = ++serial_;
    return task;
  }

 private:
  static DeviceConfig two_rings() {
    DeviceConfig config;
    config.rings = 2;
    config.window = 16;
    return config;
  }

 protected:
  Dataflow dataflow_{two_rings(), 1};
  Tensor buffer_{};

 private:
  uint64_t serial_ = 0;
};

TEST_F(Producers, AreNamedOncePerTask) {
  const TaskId writer = make_id(0, 0);
  write(writer);
  EXPECT_EQ(of_reader(2), std::vector{writer});
  EXPECT_EQ(of_reader(2), std::vector{writer});
}

TEST_F(Producers, AreNotNamedAgainOnceTheyWereFoundConsumed) {
  const TaskId writers[] = {make_id(0, 0), make_id(0, 1)};
  for (const TaskId writer : writers) write(writer);
  EXPECT_EQ(of_reader().size(), 2U);
  dataflow_.note_consumed(writers[0]);
  EXPECT_EQ(of_reader(), std::vector{writers[1]});
  EXPECT_EQ(of_reader(), std::vector{writers[1]});
}

/// A scope that holds an older task of the ring may be open, and keeps them from retiring.
TEST_F(Producers, OfARingOfSeveralDepthsAreNamedUntilTheyRetire) {
  const TaskId writer = make_id(1, 0);
  write(writer);
  dataflow_.note_consumed(writer);
  EXPECT_EQ(of_reader(), std::vector{writer});
  dataflow_.map().sync({0, 1, 0, 0});
  EXPECT_TRUE(of_reader().empty());
}

TEST_F(Producers, AreNamedAlthoughTheFormerTaskOfTheirSlotWasConsumed) {
  write(make_id(0, 0));
  dataflow_.note_consumed(make_id(0, 0));
  dataflow_.map().sync({1, 0, 0, 0});
  const TaskId writer = make_id(0, 16);
  write(writer);
  EXPECT_EQ(of_reader(), std::vector{writer});
}

/// Who writes a buffer in two parts without reading it, whether it is executed or counted.
TEST_F(Producers, AndOwnersAreNamedOnce) {
  constexpr uint64_t shape[] = {2};
  Tensor tensor{};
  tensor.id = dataflow_.tensors().make(0, shape, 1, DataType::FLOAT32).handle;
  const std::vector<PTOParam> params(2, make_output_param(tensor));
  const TaskId owner = make_id(0, 0);
  Submission first = next();
  first.params = std::span(params).first(1);
  ASSERT_TRUE(dataflow_.resolve(first));
  dataflow_.enter(first, owner);
  dataflow_.place(first, first.needs(), owner, 0x10000,
                  [](const Submission&, uint32_t, const TensorRecord&) {});
  for (const bool counted : {false, true}) {
    Submission task = next();
    task.counted = counted;
    task.params = params;
    EXPECT_TRUE(dataflow_.resolve(task));
    EXPECT_EQ(std::vector(task.owners.begin(), task.owners.end()), std::vector{owner});
    EXPECT_TRUE(task.producers.empty());
  }
}

/// A tensor of an outer scope, whose buffer the first task of an inner one allocates.
TEST_F(Producers, MemoryOfAnInnerScopeIsThereUntilThatEnds) {
  constexpr uint64_t shape[] = {2};
  Tensor tensor{};
  tensor.id = dataflow_.tensors().make(0, shape, 1, DataType::FLOAT32).handle;
  const PTOParam output = make_output_param(tensor);
  const PTOParam input = make_input_param(tensor);
  Submission first = next();
  dataflow_.scope_begin(first.serial);
  first.depth = 1;
  first.params = std::span(&output, 1);
  ASSERT_TRUE(dataflow_.resolve(first));
  dataflow_.enter(first, make_id(1, 0));
  dataflow_.place(first, first.needs(), make_id(1, 0), 0x10000,
                  [](const Submission&, uint32_t, const TensorRecord&) {});
  for (const bool is_there : {true, false}) {
    Submission reader = next();
    reader.params = std::span(&input, 1);
    EXPECT_EQ(dataflow_.resolve(reader), is_there);
    if (is_there) dataflow_.scope_end();
  }
}

/// Who depends on whom where all of a buffer is written again and again, unread.
class Rewritten : public Producers, public testing::WithParamInterface<bool> {
 protected:
  Rewritten() : data_(external(0x2000)), link_(external(0x3000)), other_(external(0x4000)) {}

  /// Submits a task of ring 0, executed or counted; whom it waits for.
  std::vector<TaskId> submit(uint64_t local, std::vector<PTOParam> params) {
    return submit(make_id(0, local), std::move(params));
  }
  std::vector<TaskId> submit(TaskId id, std::vector<PTOParam> params) {
    Submission task = next();
    task.id = id;
    task.counted = GetParam();
    task.params = params;
    EXPECT_TRUE(dataflow_.resolve(task));
    if (!task.counted) dataflow_.enter(task, id);
    dataflow_.place(task, task.needs(), id, 0x10000,
                    [](const Submission&, uint32_t, const TensorRecord&) {});
    return {task.producers.begin(), task.producers.end()};
  }
  Tensor external(uint64_t address) { return make(address); }
  Tensor make(uint64_t address = 0) {
    constexpr uint64_t shape[] = {2};
    Tensor tensor{};
    tensor.id = dataflow_.tensors().make(address, shape, 1, DataType::FLOAT32).handle;
    return tensor;
  }
  static std::vector<TaskId> tasks(std::vector<uint64_t> locals) {
    std::vector<TaskId> result;
    for (const uint64_t local : locals) result.push_back(make_id(0, local));
    return result;
  }

  Tensor data_;   // written again and again
  Tensor link_;   // by which the writers are ordered, if they are
  Tensor other_;  // of which nobody reads anything
};

INSTANTIATE_TEST_SUITE_P(All, Rewritten, testing::Bool(),
                         [](const auto& which) { return which.param ? "Counted" : "Executed"; });

TEST_P(Rewritten, TheLastWriterIsEnoughIfItReadsWhatTheOneBeforeWrote) {
  submit(0, {make_output_param(data_), make_output_param(link_)});
  EXPECT_EQ(submit(1, {make_input_param(link_), make_output_param(data_)}), tasks({0}));
  EXPECT_EQ(submit(2, {make_input_param(data_)}), tasks({1}));
}

TEST_P(Rewritten, TheLastWriterIsEnoughIfItReadsWhatTheLastReaderWrote) {
  submit(0, {make_output_param(data_)});
  submit(1, {make_input_param(data_), make_output_param(other_)});
  submit(2, {make_input_param(data_), make_output_param(link_)});
  EXPECT_EQ(submit(3, {make_input_param(link_), make_output_param(data_)}), tasks({2}));
  EXPECT_EQ(submit(4, {make_input_param(data_)}), tasks({3}));
}

TEST_P(Rewritten, BothAreMetIfNothingOrdersThem) {
  submit(0, {make_output_param(data_)});
  submit(1, {make_input_param(data_), make_output_param(link_)});
  submit(2, {make_input_param(data_), make_output_param(other_)});
  submit(3, {make_input_param(link_), make_output_param(data_)});
  EXPECT_EQ(submit(4, {make_input_param(data_)}), tasks({0, 3})) << "behind an earlier reader only";
}

/// It keeps a buffer of another task, and waits for nobody.
TEST_P(Rewritten, WhoOnlyHoldsTheLastWriterIsNotBehindIt) {
  const Tensor own = make();
  submit(0, {make_output_param(own), make_output_param(data_)});
  EXPECT_TRUE(submit(1, {make_output_param(own), make_output_param(data_)}).empty());
  EXPECT_EQ(submit(2, {make_input_param(data_)}), tasks({0, 1}));
}

/// How far that ring has retired, and so whether the reader is met, depends on the run.
TEST_P(Rewritten, ReadersOfOtherRingsOrderNobody) {
  submit(0, {make_output_param(data_)});
  submit(make_id(1, 0), {make_input_param(data_), make_output_param(link_)});
  submit(1, {make_input_param(link_), make_output_param(data_)});
  EXPECT_EQ(submit(2, {make_input_param(data_)}), tasks({0, 1}));
}

TEST_P(Rewritten, ReadersOfTheNewWritersRingOrderNobody) {
  submit(0, {make_output_param(data_)});
  submit(make_id(1, 0), {make_input_param(data_), make_output_param(link_)});
  submit(make_id(1, 1), {make_input_param(link_), make_output_param(data_)});
  EXPECT_EQ(submit(1, {make_input_param(data_)}), (std::vector{make_id(0, 0), make_id(1, 1)}));
}

}  // namespace
}  // namespace pto2
