#pragma once

#include <deque>
#include <string>
#include <vector>

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// A case whose arguments are tensors, then the bytes of each, then what else there is. What its
/// tasks write are floats.
class DenseCase : public CaseData {
 public:
  void reset_outputs() override;

 protected:
  /// `info.tasks` and `info.tolerance` are set.
  DenseCase(CaseInfo info, uint64_t edges);

  /// An argument of `count` elements of T in memory of its own, which the caller fills; outputs are
  /// filled here.
  template <class T>
  std::span<T> add_tensor(const std::string& name, ArgumentKind kind, uint64_t count) {
    return {reinterpret_cast<T*>(add_memory(name, kind, count * sizeof(T))), count};
  }
  void add_scalar(const std::string& name, uint64_t value);
  /// The bytes of every tensor so far, as scalars.
  void add_sizes();
  /// To call at the end of construction, instead of keep_digests(): keeps what in-out tensors begin
  /// with, too.
  void keep_inputs();
  /// What an in-out tensor begins with. After keep_inputs().
  [[nodiscard]] std::span<const float> initial(const std::string& name) const;

 private:
  struct Memory {
    std::string name;
    ArgumentKind kind;
    Buffer buffer;
    std::vector<float> initial;  ///< of an in-out tensor
    [[nodiscard]] std::span<float> floats() const {
      return {buffer.as<float>(), buffer.count<float>()};
    }
    [[nodiscard]] bool is_written() const {
      return kind == ArgumentKind::output || kind == ArgumentKind::inout;
    }
  };

  Verification compare_outputs() override;
  std::byte* add_memory(const std::string& name, ArgumentKind kind, uint64_t bytes);
  /// What must come out, in double precision: the output and in-out tensors, in order.
  virtual std::vector<std::vector<double>> reference() const = 0;

  std::deque<Memory> memory_;
  std::vector<std::vector<double>> reference_;
};

}  // namespace pto2::workloads
