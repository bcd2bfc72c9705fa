#include "runtime/orchestrator/recorded_graph.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/assert.hpp"
#include "runtime/orchestrator/graph_compiler.hpp"

namespace pto2 {

const char* graph_use_name(GraphUse::Kind kind) {
  switch (kind) {
    case GraphUse::Kind::none:
      break;
    case GraphUse::Kind::recorded:
      return "recorded";
    case GraphUse::Kind::refused:
      return "refused";
    case GraphUse::Kind::replayed:
      return "replayed";
    case GraphUse::Kind::left:
      return "left";
  }
  return "none";
}

namespace {

/// What the edges, and the places of buffers in their task's block, depend on.
bool is_alike(const DeviceConfig& a, const DeviceConfig& b) {
  return a.rings == b.rings && a.window == b.window &&
         (a.guard == GuardKind::off) == (b.guard == GuardKind::off);
}

}  // namespace

bool RecordedGraph::begin(const DeviceConfig& config, std::span<const CallerArray> arrays,
                          uint32_t first_generation) {
  const bool was_left = std::exchange(use_, {}).kind == GraphUse::Kind::left;
  if (is_recorded_ && !was_left && is_alike(config, config_) &&
      std::equal(arrays.begin(), arrays.end(), arrays_.begin(), arrays_.end())) {
    return true;
  }
  clear();
  config_ = config;
  arrays_.assign(arrays.begin(), arrays.end());
  tape_ = CallTape(first_generation);
  return false;
}

void RecordedGraph::leave(uint64_t tasks, std::string reason) {
  use_ = {GraphUse::Kind::left, tasks, std::move(reason)};
}

void RecordedGraph::end(bool well, uint64_t tasks) {
  if (use_.kind == GraphUse::Kind::left) return;
  if (!well) return is_recorded_ ? void() : clear();
  if (is_recorded_) {
    use_ = {GraphUse::Kind::replayed, tasks, {}};
  } else if (tape_.given_up() != nullptr) {
    use_ = {GraphUse::Kind::refused, 0, tape_.given_up()};
  } else {
    compile();
  }
}

void RecordedGraph::clear() {
  is_recorded_ = false;
  tape_.clear();
  records_ = {};
  tensors_ = {};
  tasks_ = {};
  edges_ = {};
  outputs_ = {};
}

/// Makes the rest from the tape.
void RecordedGraph::compile() {
  try {
    Dataflow dataflow(config_, GraphCompiler::first_generation);
    GraphCompiler compiler(dataflow, {records_, tasks_, edges_, outputs_});
    play(words().size() - 1, dataflow, config_, GraphCompiler::first_generation, compiler);
    tensors_.reserve(records_.size());
    for (const TensorRecord& record : records_) {
      tensors_.push_back({record, record.external ? 0 : record.base});
    }
  } catch (const GraphCompiler::TooLarge& reason) {
    clear();
    use_ = {GraphUse::Kind::refused, 0, reason.text};
    return;
  } catch (const std::bad_alloc&) {
    clear();
    use_ = {GraphUse::Kind::refused, 0, "lack of memory"};  // a text that needs none
    return;
  }
  is_recorded_ = true;
  use_ = {GraphUse::Kind::recorded, tasks_.size(), {}};
}

namespace {

/// Plays calls, one after the other.
class Player {
 public:
  Player(Dataflow& dataflow, const DeviceConfig& config, uint32_t first_generation,
         PlayListener& listener)
      : dataflow_(dataflow),
        config_(config),
        offset_(uint64_t{first_generation} << 32),
        listener_(listener) {
    scope_begin();
  }

  /// Returns the place behind the call.
  const uint64_t* play(const uint64_t* call) {
    const uint64_t* const operands = call + 1;
    const uint32_t count = small_of(*call);
    TensorTable& tensors = dataflow_.tensors();
    switch (kind_of(*call)) {
      case CallKind::scope_begin:
        scope_begin();
        break;
      case CallKind::scope_end:
        scope_end();
        break;
      case CallKind::make_tensor:
        made(
            tensors.make(operands[0], operands + 1, count, static_cast<DataType>(large_of(*call))));
        break;
      case CallKind::view:
        made(tensors.view(operands[0] + offset_, operands + 1, operands + 1 + count));
        break;
      case CallKind::reshape:
        made(tensors.reshape(operands[0] + offset_, operands + 1, count));
        break;
      case CallKind::transpose:
        made(tensors.transpose(operands[0] + offset_, static_cast<uint32_t>(operands[1] >> 32),
                               static_cast<uint32_t>(operands[1])));
        break;
      case CallKind::submit:
        submit(call);
        break;
      case CallKind::end:
      case CallKind::orchestration_done:
        break;
    }
    return call + size_of_call(call);
  }

 private:
  void scope_begin() {
    ++depth_;
    dataflow_.scope_begin(task_.serial + 1);
    listener_.scope_begin();
  }
  void scope_end() {
    --depth_;
    dataflow_.scope_end();
    listener_.scope_end();
  }
  /// The call has succeeded before.
  void made(const TensorResult& result) {
    PTO2_INVARIANT("RG-I1", result.ok());
    listener_.made(*dataflow_.tensors().find(result.handle));
  }

  /// The parameters, with the handles of these tensors.
  std::span<const PTOParam> params_of(const uint64_t* call) {
    const uint32_t count = small_of(*call);
    const uint64_t* tensor = call + 3;
    for (uint32_t i = 0; i < count; ++i) {
      const auto type = static_cast<PTOParamType>(call[2] >> type_bits * i & type_mask);
      params_[i] = {type, {}, 0};
      if (type != PTOParamType::SCALAR) params_[i].tensor.id = *tensor++ + offset_;
    }
    return std::span(params_).first(count);
  }

  void submit(const uint64_t* call) {
    ++task_.serial;
    task_.depth = depth_ - 1;
    task_.ring = RingId(std::min(task_.depth, config_.rings - 1));
    task_.kernel_id = large_of(*call);
    task_.type = static_cast<CoreType>(middle_of(*call));
    task_.is_block = call[1] != 0;
    task_.block_dim = task_.is_block ? static_cast<uint32_t>(call[1] - 1) : 0;
    task_.params = params_of(call);
    TensorMap& map = dataflow_.map();
    map.sync(oldest());
    const TaskId id = make_id(task_.ring, next_[task_.ring.value]++);
    task_.id = id;
    const bool resolved = dataflow_.resolve(task_);
    PTO2_INVARIANT("RG-I1", resolved);
    listener_.resolved(task_, id);
    while (!map.reserve(task_.inserts())) {
      map.enlarge(0, larger_pool(map.config().pool_size));
    }
    dataflow_.enter(task_, id);
    dataflow_.place(task_, task_.needs(), id, listener_.address_of(task_),
                    [](const Submission&, uint32_t, const TensorRecord&) {});
  }

  /// Of each ring, the oldest task that can be alive when the next one is submitted to any: with
  /// its window of tasks behind it, a slot would have been given out twice.
  [[nodiscard]] std::array<uint64_t, max_rings> oldest() const {
    std::array<uint64_t, max_rings> result{};
    for (uint32_t r = 0; r < config_.rings; ++r) {
      result[r] = next_[r] + 1 - std::min<uint64_t>(next_[r] + 1, config_.window);
    }
    return result;
  }

  Dataflow& dataflow_;
  const DeviceConfig& config_;
  uint64_t offset_;
  PlayListener& listener_;
  uint32_t depth_ = 0;
  std::array<uint64_t, max_rings> next_{};
  std::array<PTOParam, max_params> params_;
  Submission task_;
};

}  // namespace

void RecordedGraph::play(std::size_t words, Dataflow& dataflow, const DeviceConfig& config,
                         uint32_t first_generation, PlayListener& listener) const {
  Player player(dataflow, config, first_generation, listener);
  const uint64_t* call = this->words().data();
  const uint64_t* const end = call + words;
  while (call != end) call = player.play(call);
}

}  // namespace pto2
