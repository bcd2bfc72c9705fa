// That a trial sees what is wrong with a run of its program.
#include "stress/graphs/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pto2::graphs
