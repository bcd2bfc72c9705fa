#include "runtime/tensormap/tensor_table.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "runtime/executors/kept_memory.hpp"
#include "tests/support/element_set.hpp"

namespace pto2 {
namespace {

using Shape = std::vector<uint64_t>;

class TensorTableTest : public ::testing::Test {
 protected:
  TensorResult make(uint64_t address, const Shape& shape, DataType dtype = DataType::FLOAT32) {
    return table_.make(address, shape.data(), static_cast<uint32_t>(shape.size()), dtype);
  }
  TensorResult view(uint64_t of, const Shape& shape, const Shape& offsets) {
    return table_.view(of, shape.data(), offsets.data());
  }
  TensorResult reshape(uint64_t of, const Shape& shape) {
    return table_.reshape(of, shape.data(), static_cast<uint32_t>(shape.size()));
  }
  PTOTensor shown(uint64_t handle) { return table_.find(handle)->shown(); }
  void expect_error(const TensorResult& result, const std::string& part) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.handle, 0U);
    EXPECT_NE(std::string(result.error).find(part), std::string::npos) << result.error;
  }

  TensorTable table_{7};
};

TEST_F(TensorTableTest, FillsADescriptor) {
  const TensorResult made = make(0x1000, {2, 3, 4}, DataType::BFLOAT16);
  ASSERT_TRUE(made.ok());
  const PTOTensor tensor = shown(made.handle);
  EXPECT_EQ(tensor.address, 0x1000U);
  EXPECT_EQ(tensor.ndims, 3U);
  EXPECT_EQ(tensor.dtype, DataType::BFLOAT16);
  const uint32_t shape[] = {2, 3, 4, 1, 1};
  const uint32_t strides[] = {12, 4, 1, 0, 0};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(tensor.shape[i], shape[i]);
    EXPECT_EQ(tensor.strides[i], strides[i]);
  }
  const TensorRecord& record = *table_.find(made.handle);
  EXPECT_EQ(record.numel(), 24U);
  EXPECT_EQ(record.bytes(), 48U);
  EXPECT_TRUE(record.is_contiguous());
  EXPECT_TRUE(record.external);
  EXPECT_EQ(record.owner.task, no_task);
}

/// Where the record of a tensor was that had its memory from a task.
TEST_F(TensorTableTest, ANewTensorHasNoOwner) {
  table_.scope_begin();
  table_.set_buffer(make(0, {2}).handle, 0x2000, {make_id(1, 9), 7, 3});
  table_.scope_end();
  const TensorRecord& record = *table_.find(make(0x1000, {2}).handle);
  EXPECT_EQ(record.owner.task, no_task);
}

TEST_F(TensorTableTest, ViewSharesBufferAndStrides) {
  const uint64_t root = make(0x1000, {4, 6}).handle;
  const uint64_t part = view(root, {2, 3}, {1, 2}).handle;
  const PTOTensor tensor = shown(part);
  EXPECT_EQ(tensor.address, 0x1000U + 4 * (6 + 2));
  EXPECT_EQ(tensor.strides[0], 6U);
  EXPECT_EQ(tensor.strides[1], 1U);
  EXPECT_EQ(tensor.shape[0], 2U);
  EXPECT_EQ(table_.find(part)->base, 0x1000U) << "that of the buffer";
  EXPECT_FALSE(table_.find(part)->is_contiguous());
  EXPECT_TRUE(table_.find(view(root, {2, 6}, {1, 0}).handle)->is_contiguous());
  const PTOTensor inner = shown(view(part, {1, 1}, {1, 2}).handle);
  EXPECT_EQ(inner.address, 0x1000U + 4 * (2 * 6 + 4));
}

TEST_F(TensorTableTest, ViewBehindFourGigabytes) {
  const uint64_t all = std::numeric_limits<uint32_t>::max();
  const uint64_t root = make(0x1000, {8, all}, DataType::INT8).handle;
  const uint64_t last = view(root, {1, 3}, {7, 5}).handle;
  EXPECT_EQ(shown(last).address, 0x1000U + 7 * all + 5);
  EXPECT_EQ(table_.find(last)->region.begin, 7 * all + 5);
}

TEST_F(TensorTableTest, TransposeSwapsAndViewsFollow) {
  const uint64_t root = make(0x1000, {4, 6}).handle;
  const uint64_t transposed = table_.transpose(root, 0, 1).handle;
  PTOTensor tensor = shown(transposed);
  EXPECT_EQ(tensor.shape[0], 6U);
  EXPECT_EQ(tensor.strides[0], 1U);
  EXPECT_EQ(tensor.strides[1], 6U);
  EXPECT_FALSE(table_.find(transposed)->is_contiguous());
  tensor = shown(view(transposed, {1, 2}, {5, 1}).handle);
  EXPECT_EQ(tensor.address, 0x1000U + 4 * (1 * 6 + 5));
  EXPECT_TRUE(table_.find(table_.transpose(transposed, 0, 1).handle)->is_contiguous());
}

TEST_F(TensorTableTest, ReshapeOfAContiguousView) {
  const uint64_t root = make(0x1000, {4, 6}).handle;
  const uint64_t rows = view(root, {2, 6}, {2, 0}).handle;
  const PTOTensor tensor = shown(reshape(rows, {3, 4}).handle);
  EXPECT_EQ(tensor.address, 0x1000U + 4 * 12);
  EXPECT_EQ(tensor.strides[0], 4U);
  expect_error(reshape(view(root, {4, 3}, {0, 0}).handle, {12}), "not contiguous");
  expect_error(reshape(rows, {13}), "13 elements");
  expect_error(reshape(rows, {}), "0 dimensions");
  expect_error(reshape(rows, {0, 3}), "extent 0");
}

TEST_F(TensorTableTest, IsContiguousIfItsElementsFollowEachOther) {
  testing_support::RandomTensors random(5);
  uint32_t contiguous = 0;
  constexpr uint32_t tensors = 20000;
  for (uint32_t i = 0; i < tensors; ++i) {
    table_.scope_begin();
    const uint64_t tensor = random.tensor(table_, 4096, 0);
    const TensorRecord& record = *table_.find(tensor);
    const std::vector<uint64_t> elements = testing_support::elements_of(record);
    bool follow = true;
    for (size_t n = 1; n < elements.size(); ++n) follow &= elements[n] == elements[n - 1] + 1;
    ASSERT_EQ(record.is_contiguous(), follow) << table_.describe(tensor);
    contiguous += follow;
    table_.scope_end();
  }
  EXPECT_GT(contiguous, tensors / 8) << "both kinds occur";
  EXPECT_LT(contiguous, tensors * 7 / 8);
}

TEST_F(TensorTableTest, NoViewBeforeTheBufferExists) {
  const uint64_t handle = make(0, {4, 4}).handle;
  expect_error(view(handle, {1, 1}, {0, 0}), "no memory yet");
  expect_error(reshape(handle, {16}), "no memory yet");
  expect_error(table_.transpose(handle, 0, 1), "no memory yet");
  EXPECT_FALSE(table_.find(handle)->has_address());
  table_.set_buffer(handle, 0x2000, {make_id(1, 9)});
  const uint64_t part = view(handle, {1, 4}, {1, 0}).handle;
  EXPECT_EQ(shown(part).address, 0x2010U);
  EXPECT_EQ(table_.find(part)->owner.task, make_id(1, 9));
  EXPECT_FALSE(table_.find(part)->external);
}

TEST_F(TensorTableTest, TensorsOfOneAddressAreOneBuffer) {
  const uint64_t one = make(0x1000, {4, 6}).handle;
  BufferWrites& writes = *table_.find(one)->writes;
  EXPECT_EQ(writes.bytes, 96U);
  EXPECT_EQ(table_.find(view(one, {1, 1}, {0, 0}).handle)->writes, &writes);
  EXPECT_EQ(table_.find(reshape(one, {24}).handle)->writes, &writes);
  EXPECT_EQ(table_.find(table_.transpose(one, 0, 1).handle)->writes, &writes);
  table_.scope_begin();
  EXPECT_EQ(table_.find(make(0x1000, {5}).handle)->writes, &writes);
  EXPECT_EQ(writes.bytes, 20U);
  writes.writer = make_id(0, 1);
  writes.written = 20;
  EXPECT_EQ(table_.find(make(0x1000, {6}).handle)->writes, &writes);
  EXPECT_EQ(writes.bytes, 24U) << "as it was made last";
  EXPECT_EQ(writes.written, 20U) << "what its writer wrote";
  EXPECT_NE(table_.find(make(0x1060, {6}).handle)->writes, &writes);
  table_.scope_end();
  const uint64_t new_one = make(0, {2}).handle;
  const uint64_t other = make(0, {2}).handle;
  EXPECT_NE(table_.find(new_one)->writes->key, table_.find(other)->writes->key);
  EXPECT_EQ(table_.find(other)->writes->key - table_.find(new_one)->writes->key, 1024U)
      << "neighbouring buckets";
  TensorTable later((1U << 22) + 7);
  constexpr uint64_t shape[] = {2};
  TensorTable earlier(7);
  EXPECT_NE(earlier.find(earlier.make(0, shape, 1, DataType::INT8).handle)->writes->key,
            later.find(later.make(0, shape, 1, DataType::INT8).handle)->writes->key);
  table_.set_buffer(other, 0x1000, {make_id(1, 9)});
  EXPECT_EQ(table_.find(other)->writes->owner, make_id(1, 9));
  EXPECT_NE(table_.find(other)->writes, &writes) << "what was there before is another buffer";
}

/// Memory follows the buffers in use.
TEST_F(TensorTableTest, ForgetsExternalBuffersThatNobodyNeeds) {
  const BufferWrites* const kept = table_.find(make(0x1000, {2}).handle)->writes;
  constexpr uint64_t many = 5000;
  const auto make_many = [&] {
    table_.scope_begin();
    for (uint64_t i = 1; i < many; ++i) ASSERT_TRUE(make(0x1000 + 64 * i, {2}).ok());
    ASSERT_TRUE(make(0x1000, {2}).ok());
    ASSERT_EQ(table_.external_buffers(), many);
  };
  make_many();
  table_.forget_external_buffers();
  EXPECT_EQ(table_.external_buffers(), many) << "tensors live";
  table_.scope_end();
  table_.scope_begin();
  const uint64_t again = make(0x1000 + 64, {2}).handle;  // the former tensors have ended
  for (uint64_t i = 0; i < many; ++i) ASSERT_TRUE(make(0x100000 + 64 * i, {2}).ok());
  table_.forget_external_buffers();
  EXPECT_EQ(table_.external_buffers(), many + 2) << "of living tensors";
  EXPECT_EQ(table_.find(make(0x1000, {2}).handle)->writes, kept);
  EXPECT_EQ(table_.find(again)->writes->key, 0x1000U + 64);
  table_.scope_end();
  table_.forget_external_buffers();
  EXPECT_EQ(table_.external_buffers(), many + 2) << "they are not many, for what was kept before";
}

/// Most runs make few tensors.
TEST(TensorTable, TouchesNoRecordsBeforeTheyAreUsed) {
  const auto page_faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  constexpr uint64_t shape[] = {2};
  constexpr int number = 100;
  std::deque<TensorTable> tables(number);
  const long before = page_faults();
  for (TensorTable& table : tables) {
    ASSERT_TRUE(table.make(0, shape, 1, DataType::FLOAT32).ok());
  }
  EXPECT_LT(page_faults() - before, number * 10) << "of some thirty for all records of each";
}

/// With so many records at most, of which the last was refused, the next table begins with clear
/// ones, in the memory that the first of these had; and only small tables leave all.
TEST(TensorTable, LeavesTheNextClearRecords) {
  KeptMemory& memory = KeptMemory::of_process();
  memory.release();
  constexpr uint64_t shape[] = {2};
  constexpr uint64_t none[] = {0};
  constexpr uint64_t in_a_chunk = 512;
  const void* first = nullptr;
  for (const uint64_t records : {in_a_chunk + 1, uint64_t{1}, uint64_t{0}, 12 * in_a_chunk}) {
    TensorTable table;
    table.scope_begin();
    for (uint64_t i = 0; i < records; ++i) {
      const TensorResult made = table.make(0, shape, 1, DataType::FLOAT32);
      ASSERT_TRUE(made.ok());
      const void* const record = table.find(made.handle);
      if (i == 0 && first == nullptr) first = record;
      ASSERT_TRUE(i != 0 || record == first) << records;
    }
    ASSERT_FALSE(table.make(0, none, 1, DataType::FLOAT32).ok());
    table.scope_end();
    ASSERT_TRUE(table.make(0, shape, 1, DataType::FLOAT32).ok());
    table.keep_memory();
    EXPECT_EQ(memory.blocks(), records < 12 * in_a_chunk ? 2U : 8U);
    EXPECT_TRUE(memory.invariant_holds()) << records;
  }
  memory.release();
}

TEST_F(TensorTableTest, RefusesBadViews) {
  const uint64_t root = make(0x1000, {4, 6}).handle;
  expect_error(view(root, {5, 1}, {0, 0}), "[5, 1]");
  expect_error(view(root, {1, 0}, {0, 0}), "at least 1");
  expect_error(view(root, {2, 1}, {3, 0}), "offset [3, 0]");
  expect_error(view(root, {1, 1}, {~uint64_t{0}, 0}), "view");
  expect_error(view(root, {~uint64_t{0}, 1}, {2, 0}), "view");
  expect_error(table_.transpose(root, 0, 2), "below 2");
  EXPECT_TRUE(view(root, {1, 1}, {3, 5}).ok());
}

TEST_F(TensorTableTest, LimitsOfShapes) {
  const uint64_t all = std::numeric_limits<uint32_t>::max();
  EXPECT_TRUE(make(0, {all, all}, DataType::INT8).handle == 0) << "2^64 - 2^33 + 1 bytes";
  EXPECT_TRUE(make(0, {all / 2, all}, DataType::INT8).ok());
  expect_error(make(0, {all / 2 + 2, all}, DataType::INT8), "too large");
  expect_error(make(0, {all / 2, all}, DataType::INT16), "too large");
  expect_error(make(0, {1, all, 2}), "strides");
  EXPECT_TRUE(make(0, {all, 1, 1}).ok());
  expect_error(make(0, {all + 1}), "extent 4294967296");
  expect_error(make(0, {3, 0}), "extent 0");
  expect_error(make(0, {}), "0 dimensions");
  expect_error(make(0, {1, 1, 1, 1, 1, 1}), "6 dimensions");
  expect_error(make(0, {1}, static_cast<DataType>(99)), "data type");
  expect_error(make(~uint64_t{0} - 6, {2}), "address space");
  EXPECT_TRUE(make(~uint64_t{0} - 8, {2}).ok());
  EXPECT_EQ(table_.size(), 3U) << "a refused tensor leaves no record";
}

TEST_F(TensorTableTest, TensorsKeepToTheArraysOfTheCaller) {
  const CallerArray arrays[] = {{"x", 0x1000, 64}};
  TensorTable table(7, arrays);
  const auto make_at = [&](uint64_t address, const Shape& shape) {
    return table.make(address, shape.data(), static_cast<uint32_t>(shape.size()),
                      DataType::FLOAT16);
  };
  const TensorResult whole = make_at(0x1000, {4, 8});
  ASSERT_TRUE(whole.ok()) << whole.error;
  EXPECT_TRUE(make_at(0x1040, {4, 8}).ok()) << "behind it";
  EXPECT_TRUE(make_at(0, {4, 9}).ok()) << "not the caller's";
  const uint32_t tensors = table.size();
  expect_error(make_at(0x1000, {4, 9}),
               "make_tensor: float16 of shape [4, 9] has 72 bytes, but x has 64; give the tensor "
               "the shape and the type of the array, or pass a larger array");
  expect_error(make_at(0x1020, {17}),
               "has 34 bytes, but x has 64, and the tensor begins 32 bytes behind its begin;");
  EXPECT_EQ(table.size(), tensors) << "there is no trace of them";
  EXPECT_EQ(make_at(0x1020, {16}).handle & 0xffffffffU, tensors);
  EXPECT_NE(table.find(whole.handle), nullptr);
}

TEST_F(TensorTableTest, StaleAndForeignHandles) {
  EXPECT_EQ(table_.find(0), nullptr);
  expect_error(view(0, {1}, {0}), "handle 0 is no tensor");
  table_.scope_begin();
  const uint64_t inner = make(0x1000, {2}).handle;
  EXPECT_NE(table_.find(inner), nullptr);
  EXPECT_EQ(table_.find(inner)->scope_depth, 1U);
  table_.scope_end();
  EXPECT_EQ(table_.find(inner), nullptr) << "the scope has ended";
  const uint64_t reuser = make(0x2000, {2}).handle;
  EXPECT_EQ(table_.find(inner), nullptr) << "the record is another tensor's";
  EXPECT_EQ(table_.find(reuser)->base, 0x2000U);
  expect_error(view(inner, {1}, {0}), "scope has ended");
  TensorTable other(1000);
  const uint64_t shape[] = {2};
  EXPECT_EQ(table_.find(other.make(1, shape, 1, DataType::INT8).handle), nullptr);
  EXPECT_EQ(table_.find(0x123456789abcdefULL), nullptr);
}

TEST_F(TensorTableTest, GenerationsSkipZero) {
  TensorTable table(~uint32_t{0} - 2);
  const uint64_t shape[] = {2};
  for (int i = 0; i < 4; ++i) {
    table.scope_begin();
    EXPECT_NE(table.make(1, shape, 1, DataType::INT8).handle, 0U);
    table.scope_end();
  }
}

TEST_F(TensorTableTest, RecordsStayWhereTheyAre) {
  const uint64_t first = make(0x1000, {2}).handle;
  const TensorRecord* record = table_.find(first);
  std::vector<uint64_t> handles;
  table_.scope_begin();
  for (uint64_t i = 0; i < 5000; ++i) handles.push_back(make(0x2000 + 8 * i, {2}).handle);
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(table_.find(handles[i])->base, 0x2000 + 8 * i);
  }
  EXPECT_EQ(table_.find(first), record);
  table_.scope_end();
  EXPECT_EQ(table_.size(), 1U);
}

TEST_F(TensorTableTest, Describes) {
  const uint64_t root = make(0x1000, {2, 3}).handle;
  EXPECT_EQ(table_.describe(root), "float32 [2, 3] strides [3, 1], contiguous, external at 0x1000");
  EXPECT_EQ(table_.describe(view(root, {2, 1}, {0, 1}).handle),
            "float32 [2, 1] strides [3, 1], not contiguous, external at 0x1004, 4 bytes into its "
            "buffer");
  const uint64_t made = make(0, {2}, DataType::INT8).handle;
  EXPECT_EQ(table_.describe(made), "int8 [2] strides [1], contiguous, no memory yet");
  table_.set_buffer(made, 0x3000, {make_id(2, 5)});
  EXPECT_EQ(table_.describe(made),
            "int8 [2] strides [1], contiguous, at 0x3000, allocated by task 5 of ring 2");
}

using TensorTableDeathTest = TensorTableTest;

TEST_F(TensorTableDeathTest, CallsThatTheOrchestratorMustNotMake) {
  const uint64_t made = make(0, {2}).handle;
  const uint64_t external = make(0x1000, {2}).handle;
  EXPECT_DEATH(static_cast<void>(table_.find(made)->shown()), "TT-P1");
  EXPECT_DEATH(table_.scope_end(), "TT-P2");
  EXPECT_DEATH(table_.set_buffer(external, 0x2000, BufferOwner()), "TT-P3");
  EXPECT_DEATH(table_.set_buffer(made, 0, BufferOwner()), "TT-P4");
}

}  // namespace
}  // namespace pto2
