#include "runtime/workloads/block_incore/block_incore_case.hpp"

#include "runtime/workloads/dense/dense_case.hpp"
#include "runtime/workloads/dense/dense_reference.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace block_incore_case {

constexpr uint64_t blocks = 24;
constexpr uint64_t elements = 24'001;  // blocks are not all of one size
constexpr const char* expansion = "expansion";

class BlockIncoreCase : public DenseCase {
 public:
  BlockIncoreCase(const CaseInfo& info, uint64_t seed)
      : DenseCase(info, info.name == expansion ? blocks * blocks : 1) {
    a_ = add("A", splitmix64(seed, 0));
    b_ = add("B", splitmix64(seed, 1));
    add_tensor<float>("C", ArgumentKind::output, elements);
    add_sizes();
    add_scalar("block_dim", blocks);
    add_scalar("block_tasks", info.name == expansion ? 0 : 1);
    keep_inputs();
  }

 private:
  std::span<const float> add(const char* name, uint64_t seed) {
    const auto values = add_tensor<float>(name, ArgumentKind::input, elements);
    fill_normal_float(values, 1, seed);
    return values;
  }

  std::vector<std::vector<double>> reference() const override {
    const std::vector<double> a = to_double(a_);
    const std::vector<double> b = to_double(b_);
    std::vector<double> c;
    for (uint64_t i = 0; i < elements; ++i) {
      const uint64_t j = elements - 1 - i;
      c.push_back(a[j] * a[j] + b[j] + a[i]);
    }
    return {std::move(c)};
  }

  std::span<const float> a_, b_;
};

class BlockIncore : public Workload {
 public:
  std::string name() const override { return "block_incore"; }
  std::string description() const override {
    return "two elementwise kernels over 24 blocks that share their tensors";
  }
  std::vector<CaseInfo> cases() const override {
    return {{expansion, "a task per block", {}, "", "", 2 * blocks, 1e-4},
            {"block_task", "one block task per kernel", {}, "", "", 2, 1e-4}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    return std::make_unique<BlockIncoreCase>(find_case(*this, case_name), options.seed);
  }
};

}  // namespace block_incore_case
}  // namespace

const Workload& block_incore() {
  static const block_incore_case::BlockIncore workload;
  return workload;
}

}  // namespace pto2::workloads
