#include "runtime/workloads/attention/attention_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/runtime/workloads/run_case.hpp"

namespace pto2::workloads {
namespace {

struct Published {
  const char* workload;
  const char* name;
  uint64_t tasks;
  uint64_t edges;
};

class PublishedCase : public testing::TestWithParam<Published> {};

TEST_P(PublishedCase, computes_its_reference_with_the_published_graph) {
  const auto data = find_workload(GetParam().workload).make_case(GetParam().name);
  EXPECT_EQ(data->expected_tasks(), GetParam().tasks);
  EXPECT_EQ(data->expected_edges(), GetParam().edges);
  expect_correct(GetParam().workload, *data);
}

std::string name_of(const testing::TestParamInfo<Published>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Batch, PublishedCase,
                         testing::Values(Published{"paged_attention", "Case1", 13, 17},
                                         Published{"paged_attention", "Case2", 9, 11},
                                         Published{"paged_attention", "Case3", 33, 47},
                                         Published{"paged_attention", "CaseVarSeq2", 13, 17},
                                         Published{"paged_attention", "CaseVarSeq4", 33, 47},
                                         Published{"paged_attention", "CaseBatch256", 208, 272},
                                         Published{"paged_attention", "ProdCase1", 1044, 1556},
                                         Published{"paged_attention", "ProdCase2", 2052, 3068},
                                         Published{"paged_attention", "ProdVarSeq", 1044, 1556}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(
    Sequence, PublishedCase,
    testing::Values(Published{"paged_attention_seq", "Case1", 13, 17},
                    Published{"paged_attention_seq", "Case2", 33, 47},
                    Published{"paged_attention_seq", "ProdCase1", 16704, 24896},
                    Published{"paged_attention_seq", "ProdCase2", 32832, 49088},
                    Published{"paged_attention_seq", "TaskRing", 2368, 3392},
                    Published{"paged_attention_seq", "TaskRingNested", 2368, 3392},
                    Published{"paged_attention_seq", "RingBuffer", 4128, 6112},
                    Published{"paged_attention_seq", "RingBufferNested", 4128, 6112}),
    name_of);

/// A small case of unpublished parameters.
AttentionSpec odd_spec(AttentionForm form, HalfFormat format) {
  AttentionSpec spec = attention_specs(form).front();
  spec.batch = 19;
  spec.num_heads = 133;
  spec.head_dim = 24;
  spec.block_size = 10;
  spec.context_lens = {33, 1, 10, 47};
  spec.max_model_len = 60;
  spec.format = format;
  return spec;
}

TEST(AttentionCase, several_head_tiles_a_partial_chunk_and_odd_extents) {
  for (const HalfFormat format : {HalfFormat::float16, HalfFormat::bfloat16}) {
    const auto batch = make_attention_case(odd_spec(AttentionForm::batch, format), {});
    EXPECT_EQ(batch->expected_tasks(), 2u * 2 * (1 + 4 * 5));
    expect_correct("paged_attention", *batch);
    const auto sequence = make_attention_case(odd_spec(AttentionForm::sequence, format), {});
    expect_correct("paged_attention_seq", *sequence);
  }
}

TEST(AttentionCase, the_usual_scale_and_the_largest) {
  CaseOptions options;
  options.values["seq-lens"] = std::vector<int64_t>{300, 129};
  for (const double scale : {1 / std::sqrt(128.0), 100.0, -100.0}) {
    options.values["scale"] = scale;
    for (const char* workload : {"paged_attention", "paged_attention_seq"}) {
      expect_correct(workload, *find_workload(workload).make_case("ProdCase1", options));
    }
  }
}

/// Which have nearly all of the weight each, and are rounded.
TEST(AttentionCase, few_keys) {
  CaseOptions options;
  for (const int64_t keys : {2, 5}) {
    options.values["seq-lens"] = std::vector<int64_t>{keys};
    const auto data = paged_attention().make_case("ProdCase1", options);
    EXPECT_EQ(data->tolerance(), 0x1p-8);
    expect_correct("paged_attention", *data);
  }
  EXPECT_EQ(paged_attention().make_case("Case1", options)->tolerance(), 1e-2);
  EXPECT_EQ(paged_attention().make_case("ProdCase1")->tolerance(), 1e-3);
}

TEST(AttentionCase, a_nested_scope_never_holds_more_than_a_block) {
  const KernelLibrary kernels = kernels_of("paged_attention_seq");
  for (const auto& [name, largest] : {std::pair("TaskRing", 37u), std::pair("TaskRingNested", 4u),
                                      std::pair("RingBuffer", 129u)}) {
    const auto data = paged_attention_seq().make_case(name);
    oracle::SequentialRuntime runtime(kernels);
    run_case("paged_attention_seq", *data, runtime);
    EXPECT_EQ(runtime.largest_scope(), largest) << name;
    EXPECT_EQ(!data->info().fault.empty(), largest >= data->info().rings.window) << name;
  }
}

TEST(AttentionCase, inputs_follow_from_the_seed) {
  const auto bytes_of = [](uint64_t seed) {
    CaseOptions options;
    options.seed = seed;
    const auto data = paged_attention().make_case("CaseVarSeq4", options);
    std::vector<std::byte> bytes;
    for (const Argument& a : data->arguments()) {
      if (a.kind != ArgumentKind::input) continue;
      const auto* from = reinterpret_cast<const std::byte*>(a.value);
      bytes.insert(bytes.end(), from, from + a.bytes);
    }
    return bytes;
  };
  EXPECT_EQ(bytes_of(5), bytes_of(5));
  EXPECT_NE(bytes_of(5), bytes_of(6));
}

TEST(AttentionCase, sequence_lengths_are_tiled_over_the_batch) {
  CaseOptions options;
  options.values["seq-lens"] = std::vector<int64_t>{20, 50, 3};
  const auto data = paged_attention().make_case("CaseVarSeq4", options);
  const auto* lengths = reinterpret_cast<const int32_t*>(data->arguments()[4].value);
  EXPECT_EQ(std::vector<int32_t>(lengths, lengths + 4), (std::vector<int32_t>{20, 50, 3, 20}));
  EXPECT_EQ(data->expected_tasks(), 1u + 4 * 4);
  expect_correct("paged_attention", *data);
}

TEST(AttentionCase, refuses_lengths_and_extents_that_do_not_fit) {
  for (const std::vector<int64_t>& lengths :
       {std::vector<int64_t>{0}, {-1}, {257}, {1, 1, 1, 1, 1}}) {
    CaseOptions options;
    options.values["seq-lens"] = lengths;
    try {
      static_cast<void>(paged_attention().make_case("CaseVarSeq4", options));
      ADD_FAILURE() << lengths.front() << " is accepted";
    } catch (const OptionError& error) {
      EXPECT_EQ(error.option(), "seq-lens");
    }
  }
  AttentionSpec spec = attention_specs(AttentionForm::batch).front();
  spec.num_heads = uint64_t{1} << 40;
  EXPECT_THROW(make_attention_case(spec, {}), std::invalid_argument);
  spec = attention_specs(AttentionForm::batch).front();
  spec.block_size = 0;
  EXPECT_THROW(make_attention_case(spec, {}), std::invalid_argument);
  spec = attention_specs(AttentionForm::batch).front();
  spec.batch = 1 << 20;
  spec.max_model_len = 1 << 20;
  spec.context_lens = {1 << 20};
  EXPECT_THROW(make_attention_case(spec, {}), std::overflow_error);
}

TEST(AttentionCase, a_wrong_kernel_fails) {
  const auto data = paged_attention().make_case("Case1");
  const std::string folder = find_workload_images("paged_attention").kernels;
  KernelLibrary kernels;
  for (const auto& [id, file] :
       {std::pair(0, "0_qk"), std::pair(2, "2_pv"), std::pair(3, "3_up"), std::pair(5, "5_hub")}) {
    kernels.add(id, file, SharedObject::from_file(folder + "/" + file + ".so"));
  }
  kernels.add(1, "sf", SharedObject::from_file(TEST_IMAGES "/sf_without_mask.so"));
  oracle::SequentialRuntime runtime(kernels);
  run_case("paged_attention", *data, runtime);
  const Verification result = data->verify();
  EXPECT_FALSE(result.pass);
  EXPECT_GT(result.mismatches, 0u);
  EXPECT_GT(result.max_abs_error, data->tolerance());
  EXPECT_LT(result.max_abs_error, 2);
}

TEST(AttentionCase, an_output_that_nobody_writes_fails) {
  const auto data = paged_attention().make_case("Case1");
  expect_correct("paged_attention", *data);
  data->reset_outputs();
  const Verification result = data->verify();
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.mismatches, 16u * 16);
  EXPECT_TRUE(std::isinf(result.max_abs_error));
}

TEST(AttentionCase, orchestrations_check_their_arguments) {
  const auto config = [](std::vector<uint64_t>& args) {
    return reinterpret_cast<int64_t*>(args[6]);
  };
  for (const char* workload : {"paged_attention", "paged_attention_seq"}) {
    const auto expect = [&](auto damage, const std::string& reason) {
      const std::string message = error_after(workload, "Case1", damage);
      EXPECT_NE(message.find(reason), std::string::npos) << message << "\nwithout: " << reason;
    };
    expect([&](auto& args) { config(args)[4] = 0; }, "config[4] is 0");
    expect([&](auto& args) { config(args)[0] = int64_t{1} << 40; }, "config[0] is 1099511627776");
    expect([&](auto& args) { config(args)[2] = 2; }, "2 KV heads");
    expect([&](auto& args) { args[7] += 64; }, "do not fit the configuration");
    expect([&](auto& args) { args[9] -= 2; }, "do not fit the configuration");
    expect([&](auto& args) { args[8] = args[9] = 0; }, "do not fit the configuration");
    expect([&](auto& args) { *reinterpret_cast<int32_t*>(args[4]) = 0; }, "context length 0");
    expect([&](auto& args) { *reinterpret_cast<int32_t*>(args[4]) = 999; }, "context length 999");
    expect([&](auto& args) { reinterpret_cast<int32_t*>(args[3])[1] = 3; }, "block 3 of sequence");
    expect([&](auto& args) { reinterpret_cast<int32_t*>(args[3])[0] = -1; }, "block -1");
  }
}

}  // namespace
}  // namespace pto2::workloads
