// That a trial sees what is wrong with a run of its program.
#include "stress/graphs/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "runtime/include/pto_kernel_api.h"

namespace pto2::graphs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

KernelEntry checking = nullptr;

bool is_last(const int64_t* args) {
  return reinterpret_cast<const KernelTask*>(args[0])->number == 1;
}
void spoils(int64_t* args) {
  checking(args);
  if (is_last(args)) *pto_tensor(args, 1).data<uint8_t>() ^= 1;
}
void skips(int64_t* args) {
  if (!is_last(args)) checking(args);
}
void repeats(int64_t* args) {
  checking(args);
  if (is_last(args)) checking(args);
}

/// Two tasks change external memory, one after the other; the second has a buffer as well.
const Program program{{8},
                      {External{0, DataType::UINT8, {8}}, Make{DataType::UINT8, {8}},
                       Submit{.params = {{0, Use::inout}, {1, Use::output}}},
                       Submit{.params = {{0, Use::inout}, {1, Use::input}}}}};

/// A task leaves an entry in a pipe.
const Program leaves_an_entry{
    {}, {Allocate{}, Submit{.group = 0, .pipes = {{.tag = 7, .steps = {PipeStep::push}}}}}};

/// The first trial of the program that must come to this end, with one scheduler: tasks that come
/// one after the other have the same core then.
Trial trial_of(Ending expected, const Program& of = program) {
  for (uint64_t number = 0; number < 1000; ++number) {
    Trial trial(number, of);
    if (trial.expected() == expected && trial.config().chip.schedulers == 1) return trial;
  }
  throw std::logic_error("no such trial");
}

/// Another task pops it.
const Program passes_an_entry{
    {},
    {Allocate{}, Submit{.group = 0, .pipes = {{.tag = 7, .steps = {PipeStep::push}}}},
     Submit{.group = 0, .pipes = {{.tag = 7, .steps = {PipeStep::pop, PipeStep::release}}}}}};
void spoils_entry(int64_t* args) {
  checking(args);
  if (!is_last(args)) *reinterpret_cast<uint8_t*>(pto_pipe(args, 1).slots) ^= 1;
}

using Edit = void (*)(RunResult&);

/// What a trial says of a run with these kernels, and of its result as it is edited.
std::vector<std::string> problems_of(Ending expected, KernelEntry kernel, Edit edit = nullptr,
                                     const Program& of = program,
                                     const executors::ChipFault& fault = {}) {
  Trial trial = trial_of(expected, of);
  trial.fail_by(fault);
  GraphRun run(trial.program(), trial.predicted(), trial.config().chip.clusters);
  Launch what = run.launch();
  checking = what.kernels[0];
  const KernelEntry kernels[] = {kernel == nullptr ? checking : kernel};
  what.kernels = kernels;
  what.fault = fault;
  RunResult result = stress::launch_on(ExecutorKind::seeded, trial.config(), what, 1);
  if (edit != nullptr) edit(result);
  std::vector<std::string> problems;
  trial.judge(run, result, problems);
  return problems;
}

TEST(Trial, HasNothingToSayAgainstARightRun) {
  EXPECT_THAT(problems_of(Ending::passed, nullptr), IsEmpty());
}

TEST(Trial, ComparesTheValuesOfAWholeRun) {
  EXPECT_THAT(problems_of(Ending::passed, spoils),
              Contains("byte 0 of external buffer 0 is wrong in the end"));
}

TEST(Trial, AsksItsKernels) {
  EXPECT_THAT(problems_of(Ending::passed, skips), Contains("task 1 ran 0 times"));
  EXPECT_THAT(problems_of(Ending::passed, repeats), Contains("task 1 ran 2 times"));
}

TEST(Trial, AsksWhoPops) {
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, passes_an_entry), IsEmpty());
  EXPECT_THAT(problems_of(Ending::passed, spoils_entry, nullptr, passes_an_entry),
              Contains("task 1 popped something else than was pushed before it"));
}

/// One entry is pushed in its slot, one is copied there; both are popped, and one is kept.
TEST(Trial, FollowsEntriesUntilTheyAreReleased) {
  using enum PipeStep;
  const Program keeps_an_entry{
      {},
      {Allocate{}, Submit{.group = 0, .pipes = {{.tag = 7, .steps = {push, push}}}},
       Submit{.group = 0, .pipes = {{.tag = 7, .steps = {pop, pop, release}}}}}};
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, keeps_an_entry), IsEmpty());
  const Edit less_is_held = [](RunResult& result) {
    for (PipeUse& use : result.record.pipe_uses) use.after.held = 0;
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, less_is_held, keeps_an_entry),
              Contains(HasSubstr("pipe 7 of group 0: expected")));
}

TEST(Trial, ComparesTheCounts) {
  const std::pair<Edit, const char*> edits[] = {
      {[](RunResult& result) { --result.tasks; }, "1 tasks submitted, expected 2..2"},
      {[](RunResult& result) { ++result.tasks; }, "3 tasks submitted, expected 2..2"},
      {[](RunResult& result) { --result.dispatches; }, "1 parts dispatched, expected 2..2"},
      {[](RunResult& result) { --result.acks; }, "1 parts acknowledged, expected 2..2"},
      {[](RunResult& result) { --result.fins; }, "1 parts finished, expected 2..2"},
      {[](RunResult& result) { ++result.edges_early; }, " edges, expected 1..1"},
      {[](RunResult& result) { ++result.holds; }, " references to owners, expected 0..0"}};
  for (const auto& [edit, problem] : edits) {
    EXPECT_THAT(problems_of(Ending::passed, nullptr, edit), Contains(HasSubstr(problem)));
  }
}

TEST(Trial, ComparesTheEndOfTheRun) {
  EXPECT_THAT(problems_of(Ending::passed, nullptr,
                          [](RunResult& result) { result.error.code = ErrorCode::not_drained; }),
              Contains(HasSubstr("expected ok, got not_drained")));
}

TEST(Trial, ComparesThePlaceOfARefusal) {
  const Program reads_nothing{{},
                              {Make{DataType::UINT8, {8}}, Submit{.params = {{0, Use::input}}}}};
  const Edit elsewhere = [](RunResult& result) {
    std::string& message = result.error.message;
    ++message.at(message.find("parameter ") + std::string("parameter ").size());
  };
  EXPECT_THAT(problems_of(Ending::refused, nullptr, nullptr, reads_nothing), IsEmpty());
  EXPECT_THAT(problems_of(Ending::refused, nullptr, elsewhere, reads_nothing),
              Contains(HasSubstr("expected 'submission 0, parameter 1: .. the tensor has no")));
}

TEST(Trial, ComparesTheSizeThatIsRecommended) {
  const Edit tenfold = [](RunResult& result) {
    std::string& hint = result.error.hint;
    hint.insert(hint.find_first_not_of("0123456789", hint.find("--window ") + 9), "0");
  };
  Program many{{}, {Make{DataType::UINT8, {8}}, Submit{.params = {{0, Use::output}}}}};
  for (int i = 0; i < 8; ++i) many.steps.emplace_back(Submit{.params = {{0, Use::input}}});
  EXPECT_THAT(problems_of(Ending::no_window, nullptr, nullptr, many), IsEmpty());
  EXPECT_THAT(problems_of(Ending::no_window, nullptr, tenfold, many),
              Contains(HasSubstr("expected the hint 'Recommended: 16 ")));
}

TEST(Trial, JudgesTheRecord) {
  EXPECT_THAT(problems_of(Ending::passed, nullptr,
                          [](RunResult& result) { result.record.damaged = {"ring 0"}; }),
              Contains(HasSubstr("VR-I37: ring 0 is damaged")));
}

TEST(Trial, ComparesWhatIsLeftInPipes) {
  const Edit more_is_left = [](RunResult& result) {
    for (PipeUse& use : result.record.pipe_uses) {
      if (result.record.events[use.event].kind == EventKind::leftover) ++use.after.waiting;
    }
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, leaves_an_entry), IsEmpty());
  EXPECT_THAT(problems_of(Ending::passed, nullptr, more_is_left, leaves_an_entry),
              Contains(HasSubstr("pipe 7 of group 0: expected")));
}

/// A pipe that no task names.
TEST(Trial, ComparesPipesThatNobodyExpects) {
  const Edit another_is_used = [](RunResult& result) {
    for (PipeUse& use : result.record.pipe_uses) {
      if (result.record.events[use.event].kind == EventKind::pipe) use.tag = 8;
    }
  };
  const Edit another_is_left = [](RunResult& result) {
    for (PipeUse& use : result.record.pipe_uses) {
      if (result.record.events[use.event].kind == EventKind::leftover) use.group = 1;
    }
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, another_is_used, leaves_an_entry),
              Contains(HasSubstr("pipe 8 of group 0: expected [], [] left, got")));
  EXPECT_THAT(problems_of(Ending::passed, nullptr, another_is_left, leaves_an_entry),
              Contains(HasSubstr("pipe 7 of group 1: expected [], [] left, got")));
}

/// With the core of both tasks lost when the second has run.
std::vector<std::string> problems_of_loss(KernelEntry kernel, Edit edit = nullptr) {
  return problems_of(Ending::passed, kernel, edit, program,
                     {executors::ChipFaultKind::lost_before_fin, "aiv0", 2});
}

TEST(Trial, JudgesARunWithALostCore) {
  EXPECT_THAT(problems_of_loss(nullptr), IsEmpty());
  EXPECT_THAT(problems_of_loss(nullptr, [](RunResult& result) { result.error = {}; }),
              Contains(HasSubstr("expected core_lost, got ok")));
  EXPECT_THAT(problems_of_loss(nullptr, [](RunResult& result) { result.fault_reached = false; }),
              Contains(HasSubstr("expected ok, got core_lost")));
  EXPECT_THAT(problems_of_loss(repeats), Contains("task 1 ran 2 times"));
  EXPECT_THAT(
      problems_of_loss(nullptr, [](RunResult& result) { result.record.damaged = {"ring 0"}; }),
      Contains(HasSubstr("VR-I37: ring 0 is damaged")));
}

/// Two groups, one after the other: where both find a cluster of their own, and where not.
TEST(Trial, PredictsWhatAKeptGroupKeeps) {
  const Program two{
      {}, {Allocate{}, Submit{.group = 0}, Free{0}, Allocate{}, Submit{.group = 1}, Free{1}}};
  bool fits = false;
  bool lacks = false;
  for (uint64_t number = 0; number < 100; ++number) {
    Trial trial(number, two);
    if (trial.expected() != Ending::passed) continue;
    ASSERT_EQ(trial.frees(), 2u);
    const uint64_t which = number % 2;
    trial.keep_group(which);
    ASSERT_EQ(trial.frees(), 1u);
    const Step& left = trial.program().steps[which == 0 ? 4 : 2];
    EXPECT_EQ(std::get<Free>(left).group, 1 - which);
    const bool one = trial.config().chip.clusters == 1 && which == 0;
    EXPECT_EQ(trial.expected(), one ? Ending::no_clusters : Ending::passed) << number;
    std::vector<std::string> problems;
    EXPECT_EQ(trial.run(ExecutorKind::seeded, number, problems), trial.expected());
    (one ? lacks : fits) = true;
  }
  EXPECT_TRUE(fits && lacks);
}

/// What a trial says of its own run, with one text in its error in the place of another.
std::vector<std::string> problems_with(Trial trial, const std::string& text,
                                       const std::string& other) {
  trial.launch_by(
      [&](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        RunResult result = stress::launch_on(executor, config, what, seed);
        std::string& message = result.error.message;
        const std::size_t at = message.find(text);
        EXPECT_NE(at, std::string::npos) << text << " is not in: " << message;
        if (at != std::string::npos) message.replace(at, text.size(), other);
        return result;
      });
  std::vector<std::string> problems;
  const Ending ending = trial.run(ExecutorKind::seeded, 1, problems);
  EXPECT_EQ(ending, problems.empty() ? trial.expected() : Ending::wrong);
  return problems;
}

TEST(Trial, ComparesTheFaultOfAPipe) {
  const auto of_steps = [](std::vector<PipeStep> steps) {
    return Program{{}, {Allocate{}, Submit{.group = 0, .pipes = {{7, true, {}, steps}}}}};
  };
  const Trial pops = trial_of(Ending::underflow, of_steps({PipeStep::pop}));
  EXPECT_THAT(problems_with(pops, "", ""), IsEmpty());
  EXPECT_THAT(problems_with(pops, "tag 7", "tag 8"),
              Contains(HasSubstr("expected 'pipe (group 0, tag 7), kernel 0, task .. a pop from")));
  EXPECT_THAT(problems_with(pops, "a pop from", "a push to"),
              Contains(HasSubstr("a pop from an empty pipe ..', got: ")));
  const Trial pushes = trial_of(Ending::overflow, of_steps({PipeStep::oversized}));
  EXPECT_THAT(problems_with(pushes, "", ""), IsEmpty());
}

/// Of nine tasks the first or the last pops from an empty pipe, and some devices have fewer slots.
TEST(Trial, AFaultBeforeADeadlockEndsTheRun) {
  Program early{{}, {Allocate{}}};
  const Submit plain{.group = 0};
  const Submit pops{.group = 0, .pipes = {{.tag = 7, .steps = {PipeStep::pop}}}};
  for (int i = 0; i < 9; ++i) early.steps.emplace_back(plain);
  Program late = early;
  early.steps[1] = pops;
  late.steps[9] = pops;
  const auto endings_of = [](const Program& of) {
    std::set<Ending> found;
    for (uint64_t number = 0; number < 200; ++number) {
      const Trial trial(number, of);
      found.insert(trial.expected());
      EXPECT_EQ(trial.stopped(), trial.expected() == Ending::underflow);
    }
    return found;
  };
  EXPECT_THAT(endings_of(early), testing::ElementsAre(Ending::underflow));
  EXPECT_THAT(endings_of(late), testing::ElementsAre(Ending::no_window, Ending::underflow));
}

/// Groups that stay open, with a cluster for each but the last.
Trial trial_of_open_groups(std::size_t groups) {
  const Program open{{}, std::vector<Step>(groups + 1, Allocate{})};
  for (uint64_t number = 0; number < 2000; ++number) {
    Trial trial(number, open);
    if (trial.expected() == Ending::no_clusters && trial.config().chip.clusters == groups) {
      return trial;
    }
  }
  throw std::logic_error("no such trial");
}

TEST(Trial, ComparesTheReportOfOpenGroups) {
  for (const std::size_t groups : {1, 2, 16, 17}) {
    EXPECT_THAT(problems_with(trial_of_open_groups(groups), "", ""), IsEmpty()) << groups;
  }
  const auto expect = [](std::size_t groups, const std::string& text) {
    EXPECT_THAT(problems_with(trial_of_open_groups(groups), text, ""),
                Contains(testing::StartsWith("expected '" + text)));
  };
  expect(1, "free_cluster of the open group,");
  expect(2, "free_cluster of one of the 2 open groups,");
  expect(2, "- Clusters: 2\n");
  expect(2, "- Group 1 holds cluster ");
  expect(17, "- Group 15 holds cluster ");
  expect(17, "- and 1 more\n");
}

TEST(Trial, OpensAndEndsScopes) {
  const Program nested{
      {}, {ScopeBegin{}, Submit{}, ScopeEnd{}, ScopeBegin{}, Submit{}, ScopeEnd{}, Submit{}}};
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, nested), IsEmpty());
}

TEST(Trial, RefusesEveryMisuse) {
  for (uint64_t i = 0; i < misuses; ++i) {
    const Program misused{{},
                          {ScopeBegin{}, ScopeBegin{}, Submit{}, ScopeEnd{}, Misuse{uint8_t(i)}}};
    const Trial trial = trial_of(Ending::refused, misused);
    std::vector<std::string> problems;
    EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems), Ending::refused) << i;
    EXPECT_THAT(problems, IsEmpty()) << i;
  }
}

/// Many trials end well, and each other end that is possible comes as well.
TEST(Trial, DevicesLackEverythingNowAndThen) {
  for (const Graphs graphs : {Graphs::plain, Graphs::clustered}) {
    std::map<Ending, uint64_t> found;
    for (uint64_t number = 0; number < 200; ++number) {
      ++found[Trial(number, Mistakes::sometimes, graphs).expected()];
    }
    EXPECT_GT(found[Ending::passed], 80U);
    for (std::size_t i = 0; i < endings; ++i) {
      const auto ending = static_cast<Ending>(i);
      const bool is_possible =
          is_of_sound_chips(ending) && (graphs == Graphs::clustered || is_for_plain(ending));
      EXPECT_EQ(found[ending] != 0, is_possible) << name_of(ending) << " " << found[ending];
    }
  }
}

TEST(Trial, AcceleratorsAreThereWhereTasksNeedThem) {
  uint64_t idle = 0;
  uint64_t without = 0;
  for (uint64_t number = 0; number < 120; ++number) {
    const Trial trial(number, Mistakes::sometimes, Graphs::clustered);
    const bool needed = std::ranges::any_of(trial.program().steps, [](const Step& step) {
      const auto* task = std::get_if<Submit>(&step);
      return task != nullptr && task->core == CoreType::accelerator;
    });
    const uint32_t accelerators = trial.config().chip.accelerators;
    EXPECT_TRUE(!needed || accelerators >= 1) << number;
    idle += !needed && accelerators == 1 ? 1 : 0;
    without += accelerators == 0 ? 1 : 0;
    if (number >= 40) continue;
    EXPECT_EQ(Trial(number).config().chip.accelerators, 0U) << number;
  }
  EXPECT_GE(idle, 2U);
  EXPECT_GE(without, 40U);
}

}  // namespace
}  // namespace pto2::graphs
