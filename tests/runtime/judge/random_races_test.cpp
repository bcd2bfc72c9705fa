/// VR-I23 of random runs, compared with a judge that looks at all pairs of tasks.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "core/task_id.hpp"
#include "runtime/judge/overlap.hpp"
#include "tests/runtime/judge/race_record.hpp"

namespace pto2::test {
namespace {

constexpr uint32_t tasks_of_run = 48;

class RandomRun {
 public:
  explicit RandomRun(uint64_t seed) : random_(seed) {}

  Record make() {
    RaceRecord record;
    for (uint32_t task = 0; task < tasks_of_run; ++task) {
      std::vector<ParamRecord> params;
      for (uint64_t left = below(4); left != 0; --left) params.push_back(param());
      std::vector<uint32_t> producers;
      for (uint64_t left = task == 0 ? 0 : below(3); left != 0; --left) {
        producers.push_back(task - 1 - static_cast<uint32_t>(below(std::min(task, 8U))));
      }
      record.submit(std::move(params), producers, end(10 * (task + 1)));
      record.task(task).group = static_cast<int64_t>(below(2));
    }
    return record.record();
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }

  ParamRecord param() {
    const uint64_t kind = below(20);
    if (kind == 0) return {};
    if (kind == 1) return {.pipe = true, .tag = static_cast<int64_t>(below(2))};
    ParamRecord param = piece_of(static_cast<Direction>(below(3)), below(64), 1 + below(16));
    param.external = below(4) != 0;
    param.memory = below(2);
    param.owner = make_id(0, below(2));
    if (kind < 8) return param;
    // Rows, some of them in the coordinates of others.
    param.dims = 2;
    param.origin = 4 * below(2);
    param.strides = {12 + 4 * below(2), 1};
    param.start = {below(4), below(8)};
    param.extent = {1 + below(3), 1 + below(4)};
    return param;
  }

  TaskEnd end(uint64_t submitted) {
    const uint64_t fin = submitted + 2 + below(60);
    const uint64_t after = fin + below(40);
    if (below(8) == 0) return {};
    return {.fin = fin, .after = after, .consumed = below(4) == 0 ? 0 : after + below(20)};
  }

  std::mt19937_64 random_;
};

struct Touch {
  uint32_t task;
  const ParamRecord* param;
  Bytes bytes;

  [[nodiscard]] bool is_of_memory_of(const Touch& other) const {
    if (param->external != other.param->external) return false;
    return param->external ? param->memory == other.param->memory
                           : param->owner == other.param->owner;
  }
  [[nodiscard]] bool may_meet(const Touch& other) const {
    return is_of_memory_of(other) &&
           judging::may_share_bytes(*param, bytes, *other.param, other.bytes);
  }
  [[nodiscard]] bool is_covered_by(const Touch& other) const {
    const uint64_t bytes_of_other = other.param->dims == 1
                                        ? other.param->extent[0]
                                        : other.param->extent[0] * other.param->extent[1];
    return other.bytes.end - other.bytes.begin == bytes_of_other &&
           other.bytes.begin <= bytes.begin && bytes.end <= other.bytes.end;
  }
};

/// What is told of a race: the newer task and the older one, and what they do.
using Race = std::tuple<uint32_t, uint32_t, bool, bool>;

class AllPairs {
 public:
  explicit AllPairs(const Record& record) : record_(record), history_(record) {
    history_.find_needs();
  }

  std::vector<Race> races() {
    for (uint32_t task = 0; task < tasks_of_run; ++task) {
      for (const ProducerRecord& producer : record_.tasks[task].producers) {
        come_behind(history_.find(producer.task), task);
      }
      come_behind_pipes(task);
      const std::vector<Touch> touches = touches_of(task);
      const std::vector<std::pair<Touch, Touch>> met = meet(touches);
      for (const auto& [older, newer] : met) {
        if (behind_[task][older.task]) continue;
        races_.emplace_back(task, older.task, newer.param->writes(), older.param->writes());
      }
      for (const Touch& touch : touches) remember(touch);
    }
    return races_;
  }

 private:
  void come_behind(uint32_t older, uint32_t task) {
    behind_[task][older] = true;
    for (uint32_t i = 0; i < tasks_of_run; ++i) {
      if (behind_[older][i]) behind_[task][i] = true;
    }
  }

  [[nodiscard]] bool was_consumed(uint32_t older, uint32_t task) const {
    const judging::TaskHistory& history = history_.of(older);
    const Event& by = record_.events[record_.tasks[task].event];
    return history.consume.has() && !history.needs_more &&
           record_.events[history.consume.event].before <= by.t &&
           !judging::is_late(record_.events[history.needed], by);
  }

  void come_behind_pipes(uint32_t task) {
    for (const ParamRecord& param : record_.tasks[task].params) {
      if (!param.pipe) continue;
      for (uint32_t older = task; older-- > 0;) {
        if (!names(older, record_.tasks[task].group, param.tag)) continue;
        if (was_consumed(older, task)) come_behind(older, task);
        break;
      }
    }
  }

  [[nodiscard]] bool names(uint32_t task, int64_t group, int64_t tag) const {
    const TaskRecord& submission = record_.tasks[task];
    return submission.group == group &&
           std::ranges::any_of(submission.params, [&](const ParamRecord& param) {
             return param.pipe && param.tag == tag;
           });
  }

  [[nodiscard]] std::vector<Touch> touches_of(uint32_t task) const {
    std::vector<Touch> touches;
    for (const ParamRecord& param : record_.tasks[task].params) {
      if (param.direction != Direction::none) touches.push_back({task, &param, *param.bytes()});
    }
    return touches;
  }

  /// What may race: for each of the task's touches those of writers, then those of readers.
  std::vector<std::pair<Touch, Touch>> meet(const std::vector<Touch>& touches) {
    std::vector<std::pair<Touch, Touch>> met;
    for (const Touch& newer : touches) {
      for (const bool writers : {true, false}) {
        for (const Touch& older : touched_) {
          if (older.param->writes() != writers || !older.may_meet(newer)) continue;
          if (!writers && !newer.param->writes()) continue;
          if (writers && newer.param->reads() && was_consumed(older.task, newer.task)) {
            come_behind(older.task, newer.task);
          } else if (judging::share_bytes(*older.param, older.bytes, *newer.param, newer.bytes)) {
            met.emplace_back(older, newer);
          }
        }
      }
    }
    return met;
  }

  /// Sorted by the first byte.
  void remember(const Touch& touch) {
    if (touch.param->writes()) {
      std::erase_if(touched_, [&](const Touch& older) {
        return older.may_meet(touch) && older.is_covered_by(touch);
      });
    }
    const auto place = std::ranges::upper_bound(touched_, touch.bytes.begin, {},
                                                [](const Touch& old) { return old.bytes.begin; });
    touched_.insert(place, touch);
  }

  const Record& record_;
  judging::History history_;
  std::vector<std::vector<bool>> behind_{tasks_of_run, std::vector<bool>(tasks_of_run)};
  std::vector<Touch> touched_;
  std::vector<Race> races_;
};

/// As the judge finds them, as many as it shows.
judging::Verdict told(const Record& record, const std::vector<Race>& races) {
  const judging::History history(record);
  judging::Findings findings(record, history);
  for (const auto& [newer, older, writes, wrote] : races) {
    const std::string text = std::string(writes ? "writes" : "reads") + " bytes that " +
                             judging::text_of(record.tasks[older].task) +
                             (wrote ? " writes" : " reads") + " without order";
    findings.add("VR-I23", text, record.events[record.tasks[newer].event],
                 record.events[record.tasks[older].event]);
  }
  return findings.take();
}

TEST(RandomRaces, AreThoseThatALookAtAllPairsFinds) {
  uint64_t found = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Record record = RandomRun(seed).make();
    const judging::Verdict expected = told(record, AllPairs(record).races());
    const judging::Verdict verdict = races_of(record);
    ASSERT_EQ(verdict.more, expected.more) << seed;
    ASSERT_EQ(verdict.violations.size(), expected.violations.size()) << seed;
    for (std::size_t i = 0; i < verdict.violations.size(); ++i) {
      ASSERT_EQ(verdict.violations[i].text, expected.violations[i].text) << seed;
    }
    found += verdict.violations.size() + verdict.more;
  }
  EXPECT_GT(found, 300 * 20);
}

}  // namespace
}  // namespace pto2::test
