// That a trial sees what is wrong with a run of its program.
#include "stress/graphs/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "runtime/include/pto_kernel_api.h"

namespace pto2::graphs::trial_test {
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
void spoils_end_of_entry(int64_t* args) {
  checking(args);
  const PTOPipe& pipe = pto_pipe(args, 1);
  if (!is_last(args)) reinterpret_cast<uint8_t*>(pipe.slots)[pipe.slot_bytes - 1] ^= 1;
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
  for (const KernelEntry kernel : {spoils_entry, spoils_end_of_entry}) {
    EXPECT_THAT(problems_of(Ending::passed, kernel, nullptr, passes_an_entry),
                Contains("task 1 popped something else than was pushed before it"));
  }
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

/// Whether an edge is early depends on the schedule.
TEST(Trial, CountsEarlyEdgesAsTheOthers) {
  EXPECT_THAT(
      problems_of(Ending::passed, nullptr,
                  [](RunResult& result) { std::swap(result.edges_early, result.edges_linked); }),
      IsEmpty());
}

/// As many as there should be, but to another task; or to none, where it must be there.
/// Of the last task with the first, and one that has to do with neither.
const Program two_pairs{{8, 8},
                        {External{0, DataType::UINT8, {8}}, External{1, DataType::UINT8, {8}},
                         Submit{.params = {{0, Use::inout}}}, Submit{.params = {{1, Use::inout}}},
                         Submit{.params = {{0, Use::inout}}}}};

TEST(Trial, ComparesTheEdges) {
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, two_pairs), IsEmpty());
  const Edit to_another = [](RunResult& result) {
    std::vector<TaskRecord>& tasks = result.record.tasks;
    tasks[2].producers[0].task = tasks[1].task;
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, to_another, two_pairs),
              testing::IsSupersetOf({"task 2 lacks its edge to task 0",
                                     "task 2 has the edge to task 1, which it does not need"}));
}

/// The last task reads what the first has written, and of that what the second has changed.
const Program of_a_part{
    {8},
    {External{0, DataType::UINT8, {8}}, View{0, {4}, {0}}, Submit{.params = {{0, Use::output}}},
     Submit{.params = {{1, Use::inout}}}, Submit{.params = {{0, Use::input}}}}};

TEST(Trial, ComparesTheEdgesOfAReplay) {
  const auto lacks_an_edge = Contains("task 2 lacks its edge to task 0");
  const Edit loses_one = [](RunResult& result) {
    result.record.manner.replayed = result.replayed = true;
    std::erase_if(result.record.tasks[2].producers,
                  [](const ProducerRecord& producer) { return local_of(producer.task) == 0; });
  };
  const Edit loses_all = [](RunResult& result) {
    result.record.manner.replayed = result.replayed = true;
    result.record.tasks[2].producers.clear();
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, loses_one, of_a_part),
              testing::Not(lacks_an_edge))
      << "others stand for it";
  EXPECT_THAT(problems_of(Ending::passed, nullptr, loses_all, of_a_part), lacks_an_edge);
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
  const Edit for_no_reason = [](RunResult& result) {
    std::string& message = result.error.message;
    message.erase(message.find("parameter 1: ") + std::string("parameter 1: ").size());
  };
  EXPECT_THAT(problems_of(Ending::refused, nullptr, for_no_reason, reads_nothing),
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
  const Edit ends_with_it = [](RunResult& result) {
    std::string& hint = result.error.hint;
    hint.erase(hint.find("--window 16") + std::string("--window 16").size());
  };
  EXPECT_THAT(problems_of(Ending::no_window, nullptr, ends_with_it, many), IsEmpty());
  const Edit another = [](RunResult& result) { result.error.hint = "Raise it."; };
  EXPECT_THAT(problems_of(Ending::no_window, nullptr, another, many),
              Contains(HasSubstr("expected the hint 'Recommended: 16 ")));
}

/// What the tasks behind the deadlock would have written is not there.
TEST(Trial, ComparesNoValuesOfARunThatIsCutShort) {
  Program many{{8}, {External{0, DataType::UINT8, {8}}}};
  for (int i = 0; i < 9; ++i) many.steps.emplace_back(Submit{.params = {{0, Use::inout}}});
  EXPECT_THAT(problems_of(Ending::no_window, nullptr, nullptr, many), IsEmpty());
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

/// Two pipes, of which one gets an entry more than it should.
TEST(Trial, ComparesEveryPipe) {
  const PipeParam first{.tag = 7, .steps = {PipeStep::push}};
  const PipeParam second{.tag = 8, .steps = {PipeStep::push}};
  const Program of_two{{}, {Allocate{}, Submit{.group = 0, .pipes = {first, second}}}};
  const Edit more_is_pushed = [](RunResult& result) {
    for (PipeUse& use : result.record.pipe_uses) use.pushed += use.tag == 8 ? 1 : 0;
  };
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, of_two), IsEmpty());
  EXPECT_THAT(problems_of(Ending::passed, nullptr, more_is_pushed, of_two),
              Contains(HasSubstr("pipe 8 of group 0: expected")));
}

/// The core of both tasks is lost when it has run so many.
executors::ChipFault lost_behind(uint64_t tasks) {
  return {executors::ChipFaultKind::lost_before_fin, "aiv0", tasks};
}
std::vector<std::string> problems_of_loss(KernelEntry kernel, Edit edit = nullptr,
                                          uint64_t tasks = 2) {
  return problems_of(Ending::passed, kernel, edit, program, lost_behind(tasks));
}

TEST(Trial, JudgesARunWithALostCore) {
  EXPECT_THAT(problems_of_loss(nullptr), IsEmpty());
  EXPECT_THAT(problems_of_loss(nullptr, nullptr, 1), IsEmpty()) << "the second task need not run";
  EXPECT_THAT(problems_of_loss(nullptr, [](RunResult& result) { result.error = {}; }),
              Contains(HasSubstr("expected core_lost, got ok")));
  EXPECT_THAT(problems_of_loss(nullptr, [](RunResult& result) { result.fault_reached = false; }),
              Contains(HasSubstr("expected ok, got core_lost")));
  EXPECT_THAT(problems_of_loss(repeats), Contains("task 1 ran 2 times"));
  EXPECT_THAT(
      problems_of_loss(nullptr, [](RunResult& result) { result.record.damaged = {"ring 0"}; }),
      Contains(HasSubstr("VR-I37: ring 0 is damaged")));
  EXPECT_THAT(problems_of_loss(nullptr,
                               [](RunResult& result) { result.record.tasks[1].producers.clear(); }),
              Contains("task 1 lacks its edge to task 0"));
}

TEST(Trial, ARunLeavesItsResultAndIsCounted) {
  Trial trial = trial_of(Ending::passed);
  trial.fail_by(lost_behind(2));
  std::vector<std::string> problems;
  Census census;
  RunResult result;
  EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems, &census, &result), Ending::core_lost);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(census.runs(), 1U);
  EXPECT_EQ(result.error.code, ErrorCode::core_lost);
}

TEST(Trial, ARunThatDoesNotEndIsWrong) {
  Trial trial = trial_of(Ending::passed);
  trial.launch_by([](ExecutorKind, const DeviceConfig&, const Launch&, uint64_t) -> RunResult {
    throw executors::SeededFailure("it hangs");
  });
  std::vector<std::string> problems;
  EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems), Ending::wrong);
  EXPECT_THAT(problems, testing::ElementsAre("it hangs"));
}

TEST(Trial, JudgesNoRecordIfItIsToldSo) {
  Trial trial = trial_of(Ending::passed);
  trial.launch_by(
      [](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        RunResult result = stress::launch_on(executor, config, what, seed);
        result.record.damaged = {"ring 0"};
        return result;
      });
  std::vector<std::string> problems;
  EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems), Ending::wrong);
  problems.clear();
  trial.do_not_judge_records();
  EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems), Ending::passed);
}

/// They are none of the judge's rules.
TEST(Trial, ComparesTheEdgesOfRecordsThatAreNotJudged) {
  Trial trial = trial_of(Ending::passed, two_pairs);
  trial.do_not_judge_records();
  trial.launch_by(
      [](ExecutorKind executor, const DeviceConfig& config, const Launch& what, uint64_t seed) {
        RunResult result = stress::launch_on(executor, config, what, seed);
        result.record.tasks[2].producers[0].task = result.record.tasks[1].task;
        return result;
      });
  std::vector<std::string> problems;
  EXPECT_EQ(trial.run(ExecutorKind::seeded, 1, problems), Ending::wrong);
  EXPECT_THAT(problems, Contains("task 2 lacks its edge to task 0"));
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
    const Submit behind{.group = 0, .pipes = {{.tag = 7}}};
    return Program{{}, {Allocate{}, Submit{.group = 0, .pipes = {{7, true, {}, steps}}}, behind}};
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

/// The third is to be made in its slot.
TEST(Trial, APushToAFullPipeIsRefused) {
  using enum PipeStep;
  const PipeParam full{.tag = 7, .sizes = PipeSizes{2, 8}, .steps = {push, push, push}};
  const Program overflows{{}, {Allocate{}, Submit{.group = 0, .pipes = {full}}}};
  EXPECT_THAT(problems_of(Ending::overflow, nullptr, nullptr, overflows), IsEmpty());
  const Edit unsubmitted = [](RunResult& result) { --result.tasks; };
  EXPECT_THAT(problems_of(Ending::overflow, nullptr, unsubmitted, overflows),
              Contains("0 tasks submitted, expected 1..1"));
}

/// Of nine tasks one pops from an empty pipe, and some devices have fewer slots: the fourth is that
/// for which one of four is not free.
TEST(Trial, AFaultBeforeADeadlockEndsTheRun) {
  Program early{{}, {Allocate{}}};
  const Submit plain{.group = 0};
  const Submit pops{.group = 0, .pipes = {{.tag = 7, .steps = {PipeStep::pop}}}};
  for (int i = 0; i < 9; ++i) early.steps.emplace_back(plain);
  Program late = early;
  Program meanwhile = early;
  early.steps[1] = pops;
  meanwhile.steps[4] = pops;
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
  for (const Program& of : {meanwhile, late}) {
    EXPECT_THAT(endings_of(of), testing::ElementsAre(Ending::no_window, Ending::underflow));
  }
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
  expect(2, "- Group 0 holds cluster ");
  expect(2, "- Group 1 holds cluster ");
  expect(17, "- Group 15 holds cluster ");
  expect(17, "- and 1 more\n");
}

TEST(Trial, ComparesTheReportOfTheTensorMap) {
  Program regions{{}, {}};
  for (uint32_t i = 0; i < 20; ++i) {
    regions.steps.emplace_back(Make{DataType::UINT8, {8}});
    regions.steps.emplace_back(Submit{.params = {{i, Use::output}}});
  }
  const Trial trial = trial_of(Ending::no_entries, regions);
  EXPECT_THAT(problems_with(trial, "", ""), IsEmpty());
  EXPECT_THAT(problems_with(trial, "in the TensorMap\n", ""),
              Contains(testing::StartsWith("expected 'in the TensorMap\n'")));
}

TEST(Trial, OpensAndEndsScopes) {
  const Program nested{
      {}, {ScopeBegin{}, Submit{}, ScopeEnd{}, ScopeBegin{}, Submit{}, ScopeEnd{}, Submit{}}};
  EXPECT_THAT(problems_of(Ending::passed, nullptr, nullptr, nested), IsEmpty());
}

TEST(Trial, RefusesEveryMisuse) {
  for (uint64_t i = 0; i < misuses; ++i) {
    const Misuse misuse{uint8_t(i)};
    const bool goes_on = misuse != Misuse::exception && misuse != Misuse::unknown_exception;
    const Ending ending = goes_on ? Ending::refused : Ending::threw;
    const Program misused{{}, {ScopeBegin{}, ScopeBegin{}, Submit{}, ScopeEnd{}, misuse}};
    EXPECT_THAT(problems_of(ending, nullptr, nullptr, misused), IsEmpty()) << i;
  }
}

}  // namespace
}  // namespace pto2::graphs::trial_test
