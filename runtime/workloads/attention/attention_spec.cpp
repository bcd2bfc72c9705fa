#include "runtime/workloads/attention/attention_spec.hpp"

#include <algorithm>

#include "runtime/workloads/attention/problem.hpp"

namespace pto2::workloads {
namespace {

constexpr uint64_t sequences_per_chunk = 16;

AttentionSpec small(AttentionForm form, std::string name, uint64_t batch,
                    std::vector<int64_t> contexts) {
  return {{std::move(name), "fp16, 16 heads of 16, blocks of 16", {}, "", ""},
          form,
          batch,
          16,
          16,
          16,
          std::move(contexts),
          256,
          HalfFormat::float16,
          1e-2,
          false};
}

AttentionSpec production(AttentionForm form, std::string name, uint64_t heads, uint64_t block_size,
                         std::vector<int64_t> contexts) {
  const std::string description = "bf16, batch 64, " + std::to_string(heads) +
                                  " heads of 128, blocks of " + std::to_string(block_size);
  return {{std::move(name), description, {}, "", ""},
          form,
          64,
          heads,
          128,
          block_size,
          std::move(contexts),
          32768,
          HalfFormat::bfloat16,
          1e-3,
          false};
}

/// A case whose sequences do not fit the window, and its twin with nested scopes.
void add_stress(std::vector<AttentionSpec>& specs, const std::string& name, uint64_t batch,
                int64_t context, const RingSizes& rings) {
  AttentionSpec flat = production(AttentionForm::sequence, name, 16, 128, {context});
  flat.batch = batch;
  flat.info.rings = rings;
  AttentionSpec nested = flat;
  nested.nested = true;
  nested.info.name = name + "Nested";
  nested.info.description = "as " + name + ", each block in a nested scope: runs in the same rings";
  flat.info.description = "one scope per sequence, more tasks than the window: a scope deadlock";
  flat.info.fault = "flow_control_deadlock";
  flat.info.twin = nested.info.name;
  specs.push_back(std::move(flat));
  specs.push_back(std::move(nested));
}

std::vector<AttentionSpec> batch_specs() {
  constexpr auto form = AttentionForm::batch;
  return {small(form, "Case1", 1, {33}),
          small(form, "Case2", 1, {31}),
          small(form, "Case3", 1, {128}),
          small(form, "CaseVarSeq2", 2, {33, 17}),
          small(form, "CaseVarSeq4", 4, {33, 64, 128, 15}),
          small(form, "CaseBatch256", 256, {33}),
          production(form, "ProdCase1", 16, 128, {8193}),
          production(form, "ProdCase2", 64, 64, {8192}),
          production(form, "ProdVarSeq", 16, 128, {8193, 4096, 1024, 256, 8000, 512, 2048, 7777})};
}

std::vector<AttentionSpec> sequence_specs() {
  constexpr auto form = AttentionForm::sequence;
  std::vector<AttentionSpec> specs = {small(form, "Case1", 1, {33}), small(form, "Case2", 1, {128}),
                                      production(form, "ProdCase1", 16, 128, {8193}),
                                      production(form, "ProdCase2", 64, 64, {8192})};
  constexpr uint64_t mebibyte = uint64_t{1} << 20;
  add_stress(specs, "TaskRing", 64, 1025, {16, mebibyte, 256});
  add_stress(specs, "RingBuffer", 32, 4096, {64, 4 * mebibyte, 256});
  return specs;
}

}  // namespace

GraphSize graph_size(const AttentionSpec& spec) {
  const uint64_t step = spec.form == AttentionForm::batch ? sequences_per_chunk : 1;
  uint64_t longest = 0;
  for (uint64_t b = 0; b < spec.batch; ++b) {
    longest = std::max(longest, spec.blocks_of(spec.context_of(b)));
  }
  const uint64_t tile = std::min(spec.num_heads, max_query_tile);
  const uint64_t head_tiles = (spec.num_heads + tile - 1) / tile;
  GraphSize size;
  for (uint64_t b = 0; b < spec.batch; b += step) {
    const uint64_t blocks =
        spec.form == AttentionForm::batch ? longest : spec.blocks_of(spec.context_of(b));
    size.tasks += head_tiles * (1 + 4 * blocks);
    size.edges += head_tiles * (6 * blocks - 1);
  }
  return size;
}

const std::vector<AttentionSpec>& attention_specs(AttentionForm form) {
  static const std::vector<AttentionSpec> batch = batch_specs();
  static const std::vector<AttentionSpec> sequence = sequence_specs();
  return form == AttentionForm::batch ? batch : sequence;
}

}  // namespace pto2::workloads
