/// Programs of a thousand seeds: all are deterministic, and whatever the generator is there for
/// occurs often enough. A generator that stops making something would go unnoticed otherwise.
#include "stress/graphs/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "stress/graphs/interpreter.hpp"

namespace pto2::graphs::generator_test {
namespace {

constexpr uint64_t seeds = 1000;

struct Made {
  explicit Made(uint64_t seed, Mistakes mistakes = Mistakes::sometimes,
                Graphs graphs = Graphs::plain)
      : program(generate(seed, mistakes, graphs)), after(interpret(program)) {}
  Program program;
  Interpreter after;

  template <class StepType>
  [[nodiscard]] bool has(const std::function<bool(const StepType&)>& wanted) const {
    return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
      const auto* found = std::get_if<StepType>(&step);
      return found != nullptr && wanted(*found);
    });
  }
  [[nodiscard]] const Buffer& buffer(uint32_t tensor) const {
    return after.buffers()[after.tensors()[tensor].buffer];
  }
  /// True when the tensor is not the whole of its buffer.
  [[nodiscard]] bool is_part(uint32_t tensor) const {
    const TensorModel& model = after.tensors()[tensor].model;
    return model.elements.size() * model.element_size() != buffer(tensor).contents.size();
  }
  /// True if some accepted task has such a parameter.
  [[nodiscard]] bool has_param(const std::function<bool(uint32_t, const Param&)>& wanted) const {
    for (uint32_t number = 0; number < after.tasks().size(); ++number) {
      for (const Param& param : after.tasks()[number].params) {
        if (wanted(number, param)) return true;
      }
    }
    return false;
  }
};

bool has_view_of_view(const Made& made) {
  std::set<uint32_t> views;
  uint32_t tensors = 0;
  for (const Step& step : made.program.steps) {
    if (const auto* view = std::get_if<View>(&step)) {
      if (views.contains(view->of)) return true;
      views.insert(tensors);
    }
    tensors += makes_tensor(step) ? 1 : 0;
  }
  return false;
}

bool has_depth(const Made& made, int wanted) {
  int depth = 0;
  for (const Step& step : made.program.steps) {
    depth += std::holds_alternative<ScopeBegin>(step) ? 1 : 0;
    if (depth == wanted) return true;
    depth -= std::holds_alternative<ScopeEnd>(step) ? 1 : 0;
  }
  return false;
}

/// A buffer of the runtime that several tasks have as OUTPUT, other than the one it belongs to.
bool has_several_outputs(const Made& made) {
  std::map<uint32_t, std::set<uint32_t>> writers;
  return made.has_param([&](uint32_t task, const Param& param) {
    if (param.use != Use::output || made.buffer(param.tensor).external ||
        made.buffer(param.tensor).owner == task) {
      return false;
    }
    auto& of_buffer = writers[made.after.tensors()[param.tensor].buffer];
    of_buffer.insert(task);
    return of_buffer.size() > 1;
  });
}

bool has_whole_later_output(const Made& made) {
  return made.has_param([&](uint32_t task, const Param& param) {
    return param.use == Use::output && made.buffer(param.tensor).owner &&
           made.buffer(param.tensor).owner != task && !made.is_part(param.tensor);
  });
}

bool has_reader_of_many(const Made& made) {
  return std::any_of(made.after.tasks().begin(), made.after.tasks().end(),
                     [](const PredictedTask& task) { return task.producers.count() >= 17; });
}

/// One tensor that more than 16 tasks have written in parts, and a reader of it all.
bool has_many_writers_of_one_buffer(const Made& made) {
  return made.has_param([&](uint32_t, const Param& param) {
    if (!reads(param.use) || made.is_part(param.tensor)) return false;
    TaskSet recorded;
    for (const ByteHistory& byte : made.buffer(param.tensor).bytes) recorded |= byte.recorded;
    return recorded.count() > 16;
  });
}

bool has_overlapping_parts(const Made& made) {
  const auto& tasks = made.after.tasks();
  std::map<uint32_t, std::vector<uint32_t>> parts;
  return made.has_param([&](uint32_t number, const Param& param) {
    if (!writes(param.use) || !made.is_part(param.tensor)) return false;
    const ByteSet& bytes = made.after.tensors()[param.tensor].model.bytes;
    auto& older = parts[made.after.tensors()[param.tensor].buffer];
    const bool found = std::any_of(older.begin(), older.end(), [&](uint32_t tensor) {
      const ByteSet& other = made.after.tensors()[tensor].model.bytes;
      return bytes.intersects(other) && !bytes.contains(other);
    });
    older.push_back(param.tensor);
    return found && number < tasks.size();
  });
}

bool has_reused_external(const Made& made) {
  std::map<uint32_t, std::set<uint32_t>> writers;
  return made.has_param([&](uint32_t task, const Param& param) {
    if (!made.buffer(param.tensor).external || !writes(param.use)) return false;
    auto& of_buffer = writers[made.after.tensors()[param.tensor].buffer];
    of_buffer.insert(task);
    return of_buffer.size() > 2;
  });
}

bool has_repeated_tensor(const Made& made, Use a, Use b) {
  for (const PredictedTask& task : made.after.tasks()) {
    for (std::size_t i = 0; i < task.params.size(); ++i) {
      for (std::size_t j = i + 1; j < task.params.size(); ++j) {
        const Param& x = task.params[i];
        const Param& y = task.params[j];
        if (x.tensor == y.tensor && ((x.use == a && y.use == b) || (x.use == b && y.use == a))) {
          return true;
        }
      }
    }
  }
  return false;
}

bool has_task_without_outputs(const Made& made) {
  return std::any_of(made.after.tasks().begin(), made.after.tasks().end(),
                     [](const PredictedTask& task) {
                       return std::none_of(task.params.begin(), task.params.end(),
                                           [](const Param& param) { return records(param.use); });
                     });
}

/// As the tenth tensor or later.
bool has_late(const Made& made, Use use) {
  return std::any_of(made.after.tasks().begin(), made.after.tasks().end(),
                     [&](const PredictedTask& task) {
                       return task.params.size() > 9 &&
                              std::any_of(task.params.begin() + 9, task.params.end(),
                                          [&](const Param& param) { return param.use == use; });
                     });
}

bool has_element_size(const Made& made, uint64_t size) {
  return made.has_param([&](uint32_t, const Param& param) {
    return made.after.tensors()[param.tensor].model.element_size() == size;
  });
}

bool is_refused(const Made& made, const char* problem) {
  return made.after.refusal() && made.after.refusal()->problem.find(problem) != std::string::npos;
}

struct Feature {
  const char* name;
  uint64_t least;  ///< programs in a thousand
  std::function<bool(const Made&)> occurs;
};

std::vector<Feature> accesses() {
  return {
      {"views of views", 120, has_view_of_view},
      {"updates of parts", 220,
       [](const Made& made) {
         return made.has_param([&](uint32_t, const Param& param) {
           return param.use == Use::inout && made.is_part(param.tensor);
         });
       }},
      {"overlapping writes of parts", 110, has_overlapping_parts},
      {"several OUTPUTs into one buffer", 220, has_several_outputs},
      {"whole-buffer OUTPUTs by others", 400, has_whole_later_output},
      {"more than 16 writers of one buffer", 25, has_many_writers_of_one_buffer},
      {"17 producers and more", 25, has_reader_of_many},
      {"external memory written by 3 tasks", 40, has_reused_external},
      {"tasks without outputs", 300, has_task_without_outputs},
      {"a tensor twice as INPUT", 200,
       [](const Made& made) { return has_repeated_tensor(made, Use::input, Use::input); }},
      {"a tensor as INPUT and INOUT", 200,
       [](const Made& made) { return has_repeated_tensor(made, Use::input, Use::inout); }},
      {"a tensor as INPUT and OUTPUT", 300,
       [](const Made& made) { return has_repeated_tensor(made, Use::input, Use::output); }},
      {"a tensor twice as INOUT", 35,
       [](const Made& made) { return has_repeated_tensor(made, Use::inout, Use::inout); }},
      {"INOUT as the tenth tensor or later", 60,
       [](const Made& made) { return has_late(made, Use::inout); }},
      {"OUTPUT as the tenth tensor or later", 60,
       [](const Made& made) { return has_late(made, Use::output); }},
  };
}

std::vector<Feature> forms() {
  std::vector<Feature> features{
      {"reshape", 250,
       [](const Made& made) { return made.has<Reshape>([](const Reshape&) { return true; }); }},
      {"transpose of two dimensions", 170,
       [](const Made& made) {
         return made.has<Transpose>([](const Transpose& step) { return step.x != step.y; });
       }},
      {"scopes of depth 1", 400, [](const Made& made) { return has_depth(made, 1); }},
      {"scopes of depth 5", 150, [](const Made& made) { return has_depth(made, 5); }},
      {"no inner scope", 110, [](const Made& made) { return !has_depth(made, 1); }},
      {"long kernels", 170,
       [](const Made& made) {
         return made.has<Submit>([](const Submit& step) { return step.length >= 10; });
       }},
      {"tasks on both core types", 800,
       [](const Made& made) {
         return made.has<Submit>([](const Submit& step) { return step.core == CoreType::cube; }) &&
                made.has<Submit>([](const Submit& step) { return step.core == CoreType::vector; });
       }},
  };
  for (const uint64_t size : {1, 2, 4, 8}) {
    features.push_back(
        {"element sizes", 850, [size](const Made& made) { return has_element_size(made, size); }});
  }
  return features;
}

std::vector<Feature> mistakes() {
  std::vector<Feature> features;
  for (const char* problem :
       {"whose scope has ended", "not a live tensor", "the tensor has no memory yet", ": handle",
        "the tensor of shape", "not contiguous", "counts must be equal", "must not exceed",
        "parameters, at most 32", "there is no kernel", "is no worker type",
        "orchestration is done", "without a scope", "of the program", "of unknown type"}) {
    features.push_back(
        {problem, 20, [problem](const Made& made) { return is_refused(made, problem); }});
  }
  return features;
}

/// Each feature occurs as often as it must in the programs of a thousand seeds.
void expect_all(const std::vector<Feature>& features, Mistakes mistakes,
                Graphs graphs = Graphs::plain) {
  std::vector<uint64_t> counts(features.size(), 0);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed, mistakes, graphs);
    for (std::size_t i = 0; i < features.size(); ++i) counts[i] += features[i].occurs(made) ? 1 : 0;
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_GE(counts[i], features[i].least) << features[i].name;
  }
}

TEST(Generator, MakesEveryKindOfAccess) {
  expect_all(accesses(), Mistakes::sometimes);
}

TEST(Generator, MakesEveryForm) {
  expect_all(forms(), Mistakes::sometimes);
}

TEST(Generator, MakesEveryMistakeIfItIsAsked) {
  std::vector<Feature> features = mistakes();
  features.push_back(
      {"a mistake", seeds, [](const Made& made) { return made.after.refusal().has_value(); }});
  features.push_back({"steps behind it", seeds, [](const Made& made) {
                        const auto& refusal = made.after.refusal();
                        return refusal && refusal->step + 1 < made.program.steps.size();
                      }});
  expect_all(features, Mistakes::always);
}

TEST(Generator, MakesFewMistakesOtherwise) {
  expect_all({{"none", 850, [](const Made& made) { return !made.after.refusal(); }},
              {"one", 60, [](const Made& made) { return made.after.refusal().has_value(); }}},
             Mistakes::sometimes);
}

TEST(Generator, NothingDependsOnTheSchedule) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed);
    ASSERT_FALSE(made.after.hazard()) << "seed " << seed << ":\n" << to_string(made.program);
    ASSERT_FALSE(made.after.tasks().empty() && !made.after.refusal()) << "seed " << seed;
  }
}

TEST(Generator, ClusteredOnesMakeTheMistakesWithClusters) {
  std::vector<Feature> features;
  for (const char* problem :
       {"is not allocated: its last group", "there is no cluster -2", "there is no cluster -1",
        "a block task of 0 parts", "a block task of 65536 parts", "at most 30 are supported",
        "submit_task_clustered: cluster 0", "free_cluster: cluster 0", "not a live tensor",
        "a pinned task for something else", "for a task without a cluster",
        "for a block task with parts in groups", "parts, which run in no order",
        "of which neither may be 0", ": it was made with"}) {
    features.push_back(
        {problem, 8, [problem](const Made& made) { return is_refused(made, problem); }});
  }
  expect_all(features, Mistakes::always, Graphs::clustered);
}

TEST(Generator, NothingOfClusteredOnesDependsOnTheSchedule) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed, seed % 2 == 0 ? Mistakes::always : Mistakes::sometimes,
                    Graphs::clustered);
    ASSERT_FALSE(made.after.hazard()) << "seed " << seed << ":\n" << to_string(made.program);
  }
}

/// Some entries are pushed by one task and popped by another, most programs keep to the bounds, and
/// those that do not break each.
TEST(Generator, ClusteredOnesUsePipes) {
  uint64_t used = 0;
  uint64_t handed_over = 0;
  std::map<std::string, uint64_t> faults;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed, Mistakes::sometimes, Graphs::clustered);
    if (const auto& fault = made.after.fault()) ++faults[fault->problem];
    bool by_two = false;
    for (const auto& [name, pipe] : made.after.pipes()) {
      uint64_t waiting = 0;
      for (const PredictedUse& use : pipe.uses) {
        by_two |= waiting != 0 && use.popped != 0;
        waiting = use.waiting;
      }
    }
    used += made.after.pipes().empty() ? 0 : 1;
    handed_over += by_two ? 1 : 0;
  }
  EXPECT_GE(used, 300U);
  EXPECT_GE(handed_over, 80U);
  ASSERT_EQ(faults.size(), 4U);
  for (const auto& [problem, times] : faults) EXPECT_GE(times, 8U) << problem;
}

TEST(Generator, ClusteredOnesHaveTasksForNoBlock) {
  for (const CoreType core : {CoreType::ai_cpu, CoreType::accelerator}) {
    uint64_t found = 0;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      const Made made(seed, Mistakes::sometimes, Graphs::clustered);
      found += made.has<Submit>([&](const Submit& step) { return step.core == core; }) ? 1 : 0;
    }
    EXPECT_GE(found, 100U);
  }
}

/// Most groups that are open at once.
std::size_t most_groups(const Made& made) {
  Interpreter state(made.program.external_bytes);
  std::size_t most = 0;
  for (const Step& step : made.program.steps) {
    state.apply(step);
    most = std::max(most, state.open_groups().size());
  }
  return most;
}

/// A pipe that a task names twice.
bool has_pipe_twice(const Submit& task) {
  for (std::size_t i = 1; i < task.pipes.size(); ++i) {
    if (task.pipes[i].tag == task.pipes[0].tag) return true;
  }
  return false;
}

TEST(Generator, ClusteredOnesMakeEveryForm) {
  const auto has_task = [](const std::function<bool(const Submit&)>& wanted) {
    return [wanted](const Made& made) { return made.has<Submit>(wanted); };
  };
  const auto count = [](const Made& made, auto kind) {
    return std::ranges::count_if(made.program.steps, [](const Step& step) {
      return std::holds_alternative<decltype(kind)>(step);
    });
  };
  expect_all(
      {{"pinned tasks", 500, has_task([](const Submit& task) { return task.group.has_value(); })},
       {"tasks of one part", 300, has_task([](const Submit& task) { return task.block_dim == 1; })},
       {"more parts", 450, has_task([](const Submit& task) { return task.block_dim >= 4; })},
       {"pinned parts", 420,
        has_task([](const Submit& task) { return !task.part_groups.empty(); })},
       {"pipes that say their sizes", 340, has_task([](const Submit& task) {
          return !task.pipes.empty() && task.pipes[0].sizes.has_value();
        })},
       {"pipes that do not", 240, has_task([](const Submit& task) {
          return !task.pipes.empty() && !task.pipes[0].sizes.has_value();
        })},
       {"pipes of two tags", 100, has_task([](const Submit& task) {
          return task.pipes.size() > 1 && !has_pipe_twice(task);
        })},
       {"a pipe twice", 250, has_task(has_pipe_twice)},
       {"no fault", 850, [](const Made& made) { return !made.after.fault(); }},
       {"groups that are freed", 540, [&](const Made& made) { return count(made, Free{}) != 0; }},
       {"groups that are not", 520,
        [&](const Made& made) { return count(made, Free{}) < count(made, Allocate{}); }},
       {"three groups at once", 290, [](const Made& made) { return most_groups(made) >= 3; }},
       {"few groups at once", 1000, [](const Made& made) { return most_groups(made) <= 8; }}},
      Mistakes::sometimes, Graphs::clustered);
}

/// Three tasks in a row that read one tensor which the task before them wrote.
bool has_burst(const Made& made) {
  std::optional<uint32_t> written;
  int readers = 0;
  for (const Step& step : made.program.steps) {
    const auto* task = std::get_if<Submit>(&step);
    const bool reads_it = task != nullptr && task->params.size() == 1 && written &&
                          task->params[0].tensor == *written && task->params[0].use == Use::input;
    readers = reads_it ? readers + 1 : 0;
    if (readers == 3) return true;
    if (reads_it) continue;
    written.reset();
    if (task != nullptr && task->params.size() == 1) written = task->params[0].tensor;
  }
  return false;
}

/// A block task on new groups, which are closed behind it and followed by others.
bool has_relay(const Made& made) {
  std::string kinds;
  for (const Step& step : made.program.steps) {
    const auto* task = std::get_if<Submit>(&step);
    const bool on_groups = task != nullptr && task->part_groups.size() > 1;
    kinds += std::holds_alternative<Allocate>(step) ? 'a'
             : std::holds_alternative<Free>(step)   ? 'f'
             : on_groups                            ? 'b'
                                                    : ' ';
  }
  return kinds.find("aabffaabff") != std::string::npos;
}

TEST(Generator, ClusteredOnesHaveBurstsAndRelays) {
  uint64_t bursts = 0;
  uint64_t relays = 0;
  for (uint64_t seed = 0; seed < seeds / 2; ++seed) {
    const Made made(seed, Mistakes::sometimes, Graphs::clustered);
    bursts += has_burst(made) ? 1 : 0;
    relays += has_relay(made) ? 1 : 0;
  }
  EXPECT_GE(bursts, 80U);
  EXPECT_GE(relays, 30U);
}

/// Scopes end and do not become deep without end; tensors have no more dimensions than there are.
TEST(Generator, KeepsToTheBounds) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed);
    if (made.after.refusal()) continue;
    ASSERT_EQ(made.after.depth(), 1U) << seed;
    ASSERT_FALSE(has_depth(made, 6)) << seed;
    for (const PlacedTensor& tensor : made.after.tensors()) {
      ASSERT_LE(tensor.model.shape.size(), std::size_t{PTO_MAX_DIMS}) << seed;
    }
  }
}

TEST(Generator, PlainOnesHaveNoClusters) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Made made(seed, Mistakes::always);
    ASSERT_TRUE(made.after.groups().empty());
    ASSERT_FALSE(made.has<Submit>([](const Submit& step) {
      return step.block_dim != 0 || !step.pipes.empty() || step.core > CoreType::vector;
    }));
    ASSERT_FALSE(
        made.has<Misuse>([](const Misuse& step) { return step > Misuse::unknown_exception; }));
  }
}

TEST(Generator, ASeedIsAProgram) {
  EXPECT_EQ(to_string(generate(7)), to_string(generate(7)));
  EXPECT_NE(to_string(generate(7)), to_string(generate(8)));
}

}  // namespace
}  // namespace pto2::graphs::generator_test
