#include "runtime/workloads/attention/attention_case.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "runtime/workloads/attention/attention_reference.hpp"
#include "runtime/workloads/checked_size.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {

constexpr OptionSpec lengths_option = {"seq-lens", "PA_SEQ_LEN", OptionKind::lengths,
                                       "context lengths of paged attention, repeated over the "
                                       "batch, e.g. 33,17"};
constexpr OptionSpec scale_option = {
    "scale", nullptr, OptionKind::real,
    "factor of the scores of paged attention (default: 1): a number such as 0.25, 100 at most"};
/// It multiplies the rounding of the scores, which are sums of floats, in the exponents.
constexpr double max_scale = 100;
constexpr OptionSpec attention_options[] = {lengths_option, scale_option};

/// Numbers of the random streams of a case.
enum Stream : uint64_t { query_stream, key_stream, value_stream, table_stream };

/// What is allowed at least if lengths or the scale are one's own: how far weights, which are half
/// floats, are rounded. Where few keys have most of the weight, outputs are off by nearly as much;
/// those of published cases are means of many.
double least_tolerance(HalfFormat format) {
  return format == HalfFormat::bfloat16 ? 0x1p-8 : 0x1p-11;
}

void check_spec(const AttentionSpec& spec) {
  constexpr uint64_t limit = 1 << 20;
  for (const uint64_t extent : {spec.batch, spec.num_heads, spec.head_dim, spec.block_size,
                                spec.max_model_len, spec.blocks_per_request()}) {
    if (extent == 0 || extent > limit) {
      throw std::invalid_argument("case " + spec.info.name + ": an extent is " +
                                  std::to_string(extent) + ", not in 1.." + std::to_string(limit));
    }
  }
}

void check_lengths(const AttentionSpec& spec) {
  const auto refuse = [&](const std::string& problem) {
    throw OptionError(lengths_option.name, "case " + spec.info.name + ": " + problem);
  };
  const auto longest = static_cast<int64_t>(spec.blocks_per_request() * spec.block_size);
  if (spec.context_lens.empty() || spec.context_lens.size() > spec.batch) {
    refuse(std::to_string(spec.context_lens.size()) + " sequence lengths for a batch of " +
           std::to_string(spec.batch));
  }
  for (const int64_t length : spec.context_lens) {
    if (length < 1 || length > longest) {
      refuse("sequence length " + std::to_string(length) + " is not in 1.." +
             std::to_string(longest));
    }
  }
}

class AttentionCase : public CaseData {
 public:
  AttentionCase(AttentionSpec spec, float scale, uint64_t seed)
      : CaseData(spec.info), spec_(std::move(spec)), scale_(scale) {
    allocate();
    fill(seed);
    reset_outputs();
    describe();
    keep_digests();
  }

  void reset_outputs() override {
    std::fill_n(out_.as<float>(), out_.count<float>(), std::numeric_limits<float>::quiet_NaN());
  }

 private:
  Verification compare_outputs() override {
    if (reference_.empty()) {
      reference_ = attention_reference(AttentionInputs{
          query_.as<uint16_t>(), keys_.as<uint16_t>(), values_.as<uint16_t>(),
          block_table_.as<int32_t>(), context_lens_.as<int32_t>(), spec_.batch, spec_.num_heads,
          spec_.head_dim, spec_.block_size, spec_.blocks_per_request(), scale_, spec_.format});
    }
    return compare({out_.as<float>(), out_.count<float>()}, reference_, tolerance_);
  }

  void allocate() {
    const int64_t longest = *std::max_element(spec_.context_lens.begin(), spec_.context_lens.end());
    total_blocks_ = checked_product({spec_.batch, spec_.blocks_of(longest)}, "blocks");
    if (total_blocks_ > std::numeric_limits<int32_t>::max()) {
      throw std::overflow_error("blocks: more than a 32-bit block table can name");
    }
    const uint64_t cache = checked_product(
        {total_blocks_, spec_.block_size, spec_.head_dim, sizeof(uint16_t)}, "key cache");
    query_ = Buffer(
        checked_product({spec_.batch, spec_.num_heads, spec_.head_dim, sizeof(uint16_t)}, "query"));
    out_ = Buffer(
        checked_product({spec_.batch, spec_.num_heads, spec_.head_dim, sizeof(float)}, "out"));
    keys_ = Buffer(cache);
    values_ = Buffer(cache);
    block_table_ = Buffer(
        checked_product({spec_.batch, spec_.blocks_per_request(), sizeof(int32_t)}, "block table"));
    context_lens_ = Buffer(spec_.batch * sizeof(int32_t));
    config_ = Buffer(7 * sizeof(int64_t));
  }

  void fill(uint64_t seed) {
    const auto half = [&](const Buffer& to, float limit, Stream stream) {
      fill_uniform_half({to.as<uint16_t>(), to.count<uint16_t>()}, spec_.format, -limit, limit,
                        splitmix64(seed, stream));
    };
    half(query_, 0.5f, query_stream);
    half(keys_, 0.5f, key_stream);
    half(values_, 1.0f, value_stream);
    fill_uniform_index({block_table_.as<int32_t>(), block_table_.count<int32_t>()},
                       static_cast<uint32_t>(total_blocks_), splitmix64(seed, table_stream));
    for (uint64_t b = 0; b < spec_.batch; ++b) {
      context_lens_.as<int32_t>()[b] = static_cast<int32_t>(spec_.context_of(b));
    }
    const uint64_t config[] = {spec_.batch,
                               spec_.num_heads,
                               1,
                               spec_.head_dim,
                               spec_.block_size,
                               spec_.blocks_per_request(),
                               std::bit_cast<uint32_t>(scale_)};
    std::copy_n(config, 7, config_.as<uint64_t>());
  }

  void describe() {
    const auto memory = [&](const char* name, ArgumentKind kind, const Buffer& buffer) {
      arguments_.push_back({name, kind, buffer.address(), buffer.bytes()});
    };
    memory("query", ArgumentKind::input, query_);
    memory("key_cache", ArgumentKind::input, keys_);
    memory("value_cache", ArgumentKind::input, values_);
    memory("block_table", ArgumentKind::input, block_table_);
    memory("context_lens", ArgumentKind::input, context_lens_);
    memory("out", ArgumentKind::output, out_);
    memory("config", ArgumentKind::input, config_);
    arguments_.push_back({"size_query", ArgumentKind::scalar, query_.bytes(), 0});
    arguments_.push_back({"size_key_cache", ArgumentKind::scalar, keys_.bytes(), 0});
    arguments_.push_back({"size_value_cache", ArgumentKind::scalar, values_.bytes(), 0});
    if (spec_.format == HalfFormat::bfloat16) entry_ += "_bf16";
    if (spec_.nested) entry_ += "_nested";
    const GraphSize size = graph_size(spec_);
    expected_tasks_ = size.tasks;
    expected_edges_ = size.edges;
    edges_are_exact_ = !spec_.nested;
    tolerance_ = spec_.tolerance;
  }

  AttentionSpec spec_;
  float scale_;
  uint64_t total_blocks_ = 0;
  Buffer query_, keys_, values_, block_table_, context_lens_, out_, config_;
  std::vector<double> reference_;
};

class AttentionWorkload : public Workload {
 public:
  explicit AttentionWorkload(AttentionForm form) : form_(form) {}

  std::string name() const override {
    return form_ == AttentionForm::batch ? "paged_attention" : "paged_attention_seq";
  }
  std::string description() const override {
    return form_ == AttentionForm::batch ? "paged attention, sixteen sequences per task"
                                         : "paged attention, one sequence per task";
  }
  std::vector<CaseInfo> cases() const override {
    std::vector<CaseInfo> infos;
    for (const AttentionSpec& spec : attention_specs(form_)) {
      infos.push_back(spec.info);
      infos.back().tasks = graph_size(spec).tasks;
      infos.back().tolerance = spec.tolerance;
    }
    return infos;
  }
  std::span<const OptionSpec> options() const override { return attention_options; }
  const char* case_variable() const override { return "PA_CASE"; }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    std::string known;
    for (const AttentionSpec& spec : attention_specs(form_)) {
      if (spec.info.name == case_name) return make_attention_case(spec, options);
      known += (known.empty() ? "" : ", ") + spec.info.name;
    }
    throw std::invalid_argument("workload " + name() + " has no case '" + case_name +
                                "'; there are " + known);
  }

  AttentionForm form_;
};

}  // namespace

const Workload& paged_attention() {
  static const AttentionWorkload workload(AttentionForm::batch);
  return workload;
}

const Workload& paged_attention_seq() {
  static const AttentionWorkload workload(AttentionForm::sequence);
  return workload;
}

std::unique_ptr<CaseData> make_attention_case(AttentionSpec spec, const CaseOptions& options) {
  if (const auto* lengths = options.find<std::vector<int64_t>>(lengths_option)) {
    spec.context_lens = *lengths;
  }
  const double* const scale = options.find<double>(scale_option);
  if (scale != nullptr && std::abs(*scale) > max_scale)
    throw OptionError(scale_option.name,
                      "is beyond 100: the rounding of scores would be seen in right outputs");
  check_spec(spec);
  check_lengths(spec);
  if (!options.values.empty()) {
    spec.tolerance = std::max(spec.tolerance, least_tolerance(spec.format));
  }
  return std::make_unique<AttentionCase>(
      std::move(spec), scale == nullptr ? 1.0f : static_cast<float>(*scale), options.seed);
}

}  // namespace pto2::workloads
