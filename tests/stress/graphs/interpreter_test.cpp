#include "stress/graphs/interpreter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "stress/graphs/values.hpp"

namespace pto2::graphs::interpreter_test {
namespace {

Submit task(std::vector<Param> params) {
  return {.params = std::move(params)};
}

constexpr Param in(uint32_t tensor) {
  return {tensor, Use::input};
}
constexpr Param out(uint32_t tensor) {
  return {tensor, Use::output};
}
constexpr Param inout(uint32_t tensor) {
  return {tensor, Use::inout};
}
constexpr Param allocate(uint32_t tensor) {
  return {tensor, Use::allocate};
}

Interpreter run(std::vector<Step> steps, std::vector<uint64_t> external_bytes = {}) {
  return interpret({std::move(external_bytes), std::move(steps)});
}

TaskSet producers(const Interpreter& after, std::size_t task) {
  return after.tasks().at(task).producers;
}

const Make bytes_4{DataType::UINT8, {4}};

TEST(Interpreter, ValuesFollowFromWhatIsRead) {
  const Interpreter after = run({Make{DataType::INT16, {2}}, task({out(0)}), task({inout(0)})});
  const uint64_t first = hash_of_task(0);
  EXPECT_EQ(after.tasks()[0].parts[0].before, first);
  const uint64_t a = value_written(first, 0, 0) & 0xffff;
  const uint64_t b = value_written(first, 0, 1) & 0xffff;
  EXPECT_EQ(after.tasks()[0].parts[0].after, mix(mix(first, a), b));
  const uint64_t second = mix(mix(hash_of_task(1), a), b);
  EXPECT_EQ(after.tasks()[1].parts[0].before, second);
  EXPECT_EQ(load_element(after.buffers()[0].contents.data(), 2),
            value_written(second, 0, 0) & 0xffff);
  EXPECT_FALSE(after.hazard());
}

/// What it only allocates it does not read again, but what it names behind that.
TEST(Interpreter, ATaskReadsAgainWhatItHasWritten) {
  const Interpreter after = run({bytes_4, Make{DataType::INT64, {1}}, task({allocate(0), out(1)})});
  const PredictedPart& part = after.tasks()[0].parts[0];
  EXPECT_EQ(part.after, mix(part.before, value_written(part.before, 1, 0)));
}

TEST(Interpreter, ExternalMemoryStartsDefinedAndIsShared) {
  const Interpreter after =
      run({External{0, DataType::INT32, {2}}, External{0, DataType::UINT8, {4}}, task({in(0)}),
           task({inout(1)}), task({in(0)})},
          {8});
  EXPECT_EQ(after.hazard(), 1U) << "the reader before it has no order with it";
  EXPECT_EQ(producers(after, 2), TaskSet(0b10));
  EXPECT_EQ(after.buffers()[0].contents[7], initial_byte(0, 7)) << "nobody wrote it";
}

TEST(Interpreter, ReadersComeAfterEveryWriterOfAnElement) {
  const Interpreter after =
      run({Make{DataType::INT64, {4, 2}}, task({out(0)}), View{0, {4, 1}, {0, 0}},
           View{0, {4, 1}, {0, 1}}, task({inout(1)}), task({inout(2)}), task({in(1)}),
           task({in(0)}), View{1, {1, 1}, {3, 0}}, task({in(3)})});
  EXPECT_EQ(producers(after, 1), TaskSet(0b1));
  EXPECT_EQ(producers(after, 2), TaskSet(0b1)) << "the columns do not overlap";
  EXPECT_EQ(producers(after, 3), TaskSet(0b11));
  EXPECT_EQ(producers(after, 4), TaskSet(0b111));
  EXPECT_EQ(producers(after, 5), TaskSet(0b11)) << "a view of a view";
  EXPECT_FALSE(after.hazard());
  const Interpreter beside = run({bytes_4, bytes_4, task({out(0)}), task({out(1), in(0)})});
  EXPECT_EQ(producers(beside, 1), TaskSet(0b1)) << "behind one that it writes";
}

TEST(Interpreter, OutputsAreUnorderedButRecorded) {
  const std::vector<Step> tiles{bytes_4,           task({allocate(0)}), View{0, {2}, {0}},
                                View{0, {2}, {2}}, task({out(1)}),      task({out(2)}),
                                task({in(0)})};
  const Interpreter after = run(tiles);
  EXPECT_FALSE(after.hazard());
  EXPECT_TRUE(producers(after, 2).none());
  EXPECT_EQ(producers(after, 3), TaskSet(0b111)) << "who allocated it counts as a writer";
}

TEST(Interpreter, FindsWhatDependsOnTheSchedule) {
  EXPECT_EQ(run({bytes_4, task({out(0)}), task({out(0)})}).hazard(), 1U) << "two writers";
  EXPECT_EQ(run({bytes_4, task({out(0)}), task({out(0)}), task({out(0)})}).hazard(), 1U)
      << "the first of two hazards";
  EXPECT_EQ(run({bytes_4, task({allocate(0)}), task({in(0)})}).hazard(), 1U) << "undefined";
  EXPECT_FALSE(run({bytes_4, task({out(0)}), task({allocate(0)})}).hazard())
      << "who only names it does no harm";
  EXPECT_FALSE(run({bytes_4, task({out(0)}), task({in(0)}), task({allocate(0)})}).hazard());
  const std::vector<Step> half{bytes_4, task({allocate(0)}), View{0, {2}, {2}}, task({out(1)})};
  std::vector<Step> whole = half;
  whole.push_back(task({in(0)}));
  EXPECT_EQ(run(whole).hazard(), 2U) << "undefined but for its last bytes";
  const std::vector<Step> update{bytes_4, bytes_4, task({out(0)}), task({in(0), out(1)})};
  std::vector<Step> unordered = update;
  unordered.push_back(task({inout(0)}));
  EXPECT_EQ(run(unordered).hazard(), 2U) << "write after read";
  std::vector<Step> ordered = update;
  ordered.push_back(task({in(1), inout(0)}));
  EXPECT_FALSE(run(ordered).hazard()) << "after the reader, by its result";
  const std::vector<Step> first{
      bytes_4, bytes_4, bytes_4, task({out(0)}), task({in(0), out(1)}), task({inout(0), out(2)})};
  EXPECT_EQ(run(first).hazard(), 2U) << "whatever else the task writes";
}

TEST(Interpreter, OrderIsTransitive) {
  const Interpreter after = run({bytes_4, bytes_4, bytes_4, task({out(0)}), task({in(0), out(1)}),
                                 task({in(1), out(2)}), task({in(2), out(0)})});
  EXPECT_EQ(after.tasks()[3].ancestors, TaskSet(0b111));
  EXPECT_FALSE(after.hazard());
}

void expect_refused(const std::vector<Step>& steps, std::size_t submission,
                    std::optional<uint32_t> param, const std::string& problem) {
  const Interpreter after = run(steps, {16});
  ASSERT_TRUE(after.refusal().has_value()) << problem;
  EXPECT_EQ(after.refusal()->submission, submission);
  EXPECT_EQ(after.tasks().size(), submission) << "what is refused is no task";
  EXPECT_EQ(after.refusal()->param, param);
  EXPECT_NE(after.refusal()->problem.find(problem), std::string::npos) << after.refusal()->problem;
}

TEST(Interpreter, RefusesTensorsOfScopesThatHaveEnded) {
  const std::vector<Step> stale{ScopeBegin{}, bytes_4, task({out(0)}), ScopeEnd{}, task({in(0)})};
  expect_refused(stale, 1, 0, "not a live tensor");
  const std::vector<Step> siblings{bytes_4,      ScopeBegin{}, task({out(0)}), ScopeEnd{},
                                   ScopeBegin{}, task({}),     task({in(0)})};
  expect_refused(siblings, 2, 0, "whose scope has ended");
  const std::vector<Step> derived{ScopeBegin{}, External{0, DataType::INT8, {4}}, ScopeEnd{},
                                  Transpose{0, 0, 0}};
  expect_refused(derived, 0, std::nullopt, "transpose: handle");
}

TEST(Interpreter, RefusesTensorsWithoutMemory) {
  expect_refused({bytes_4, bytes_4, task({out(0), inout(1)})}, 0, 1, "no memory yet");
  expect_refused({bytes_4, task({out(0), out(0)})}, 0, 1, "no memory yet");
  expect_refused({bytes_4, View{0, {1}, {0}}}, 0, std::nullopt, "view: the tensor of shape");
}

TEST(Interpreter, RefusesBadShapes) {
  const Step square = External{0, DataType::INT8, {4, 4}};
  expect_refused({square, Reshape{0, {15}}}, 0, std::nullopt, "counts must be equal");
  expect_refused({square, View{0, {4, 2}, {0, 0}}, Reshape{1, {8}}}, 0, std::nullopt,
                 "not contiguous");
  expect_refused({square, View{0, {4, 2}, {0, 3}}}, 0, std::nullopt, "must not exceed");
  expect_refused({square, task(std::vector<Param>(32, in(0)))}, 0, std::nullopt, "33 parameters");
}

Submit block(std::vector<Param> params, uint32_t block_dim) {
  return {.params = std::move(params), .block_dim = block_dim};
}

TEST(Interpreter, PartsWriteTheirShares) {
  const Interpreter after = run({bytes_4, task({out(0)}), block({inout(0)}, 3)});
  EXPECT_FALSE(after.hazard());
  EXPECT_EQ(producers(after, 1), TaskSet(0b1));
  const auto& parts = after.tasks()[1].parts;
  ASSERT_EQ(parts.size(), 3U);
  const uint64_t task_hash = hash_of_task(0);
  const auto written = [&](uint64_t i) {
    return static_cast<uint8_t>(value_written(task_hash, 0, i));
  };
  EXPECT_EQ(parts[0].before, mix(mix(hash_of_part(1, 0), written(0)), written(3)));
  EXPECT_EQ(parts[2].before, mix(hash_of_part(1, 2), written(2)));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(after.buffers()[0].contents[i],
              static_cast<uint8_t>(value_written(parts[i % 3].before, 0, i)));
  }
}

TEST(Interpreter, PartsMustNotTouchWhatOthersWrite) {
  EXPECT_EQ(run({bytes_4, task({out(0)}), block({in(0), inout(0)}, 2)}).hazard(), 1U);
  const std::vector<Step> halves{bytes_4, task({out(0)}), View{0, {2}, {0}}, View{0, {2}, {2}},
                                 block({in(0), inout(1)}, 1)};
  EXPECT_EQ(run(halves).hazard(), 1U) << "the same buffer";
  EXPECT_FALSE(run({bytes_4, bytes_4, task({out(0)}), block({in(0), in(0), out(1)}, 2)}).hazard());
}

TEST(Interpreter, GroupsEndWithTheirScope) {
  const Interpreter after = run(
      {Allocate{}, ScopeBegin{}, Allocate{}, Allocate{}, Free{1}, ScopeEnd{}, Submit{.group = 0}});
  EXPECT_FALSE(after.refusal());
  EXPECT_EQ(after.open_groups(), std::vector<uint32_t>{0});
  expect_refused({ScopeBegin{}, Allocate{}, ScopeEnd{}, Free{0}}, 0, std::nullopt,
                 "its last group");
  expect_refused({Allocate{}, Free{0}, Submit{.group = 0}}, 0, std::nullopt, "its last group");
  expect_refused({Allocate{}, Allocate{}, Free{1}, Submit{.block_dim = 2, .part_groups = {0, 1}}},
                 0, std::nullopt, "its last group");
  expect_refused({bytes_4, task({out(0)}), block(std::vector<Param>(30, in(0)), 1)}, 1,
                 std::nullopt, "31 parameters");
}

TEST(Interpreter, AClosedClusterMayHaveBeenAllocatedAgain) {
  EXPECT_EQ(run({Allocate{}, Free{0}, Allocate{}, Free{0}}).hazard(), 0U);
  EXPECT_EQ(run({ScopeBegin{}, Allocate{}, Free{0}, Allocate{}, ScopeEnd{}, Free{0}}).hazard(), 0U)
      << "closed once, and before the second";
  EXPECT_EQ(run({bytes_4, task({out(0)}), task({out(0)}), Allocate{}, Free{0}, Allocate{}, Free{0}})
                .hazard(),
            1U)
      << "that of the tasks before";
  EXPECT_EQ(
      run({bytes_4, task({out(0)}), task({out(0)}), Allocate{}, Misuse::unallocated}).hazard(), 1U)
      << "the same";
  EXPECT_EQ(run({Allocate{}, Misuse::unallocated}).hazard(), 0U);
  EXPECT_EQ(run({Allocate{}, Misuse::free_unallocated}).hazard(), 0U);
  EXPECT_FALSE(run({Allocate{}, Misuse::cluster_too_high}).hazard());
  EXPECT_FALSE(run({Allocate{}, Free{0}, Misuse::unallocated}).hazard());
  EXPECT_FALSE(run({Allocate{}, Free{0}, Free{0}}).hazard());
}

using enum PipeStep;

Submit user(uint32_t group, std::vector<PipeStep> steps, std::optional<PipeSizes> sizes = {}) {
  return {.group = group, .pipes = {{.tag = 7, .sizes = sizes, .steps = std::move(steps)}}};
}

TEST(Interpreter, PipesHandEntriesOver) {
  const Interpreter after = run({Allocate{}, Allocate{}, user(0, {push, push}), user(1, {push}),
                                 user(0, {pop, release}), user(0, {pop, push})});
  EXPECT_FALSE(after.hazard());
  EXPECT_FALSE(after.fault());
  EXPECT_EQ(producers(after, 1), TaskSet(0)) << "of another group";
  EXPECT_EQ(producers(after, 3), TaskSet(0b101));
  const PipeModel& pipe = after.pipes().at({0, 7});
  EXPECT_EQ(pipe.sizes, (PipeSizes{8, 16384}));
  EXPECT_EQ(pipe.held, 1U);
  const uint64_t first = value_pushed(hash_of_task(0), 0);
  const uint64_t hash = hash_popped(hash_of_task(2), first, first);
  EXPECT_EQ(after.tasks()[2].parts[0].piped, hash);
  const uint64_t second = value_pushed(hash_of_task(0), 1);
  const uint64_t popped = hash_popped(hash_of_task(3), second, second);
  EXPECT_EQ(pipe.waiting, std::deque<uint64_t>{value_pushed(popped, 1)});
}

TEST(Interpreter, PipesHaveBounds) {
  const auto expect = [](std::vector<PipeStep> steps, ErrorCode code) {
    const Interpreter after =
        run({Allocate{}, user(0, {push, pop, push}, PipeSizes{3, 8}), user(0, std::move(steps)),
             user(0, {pop, pop, pop}), user(0, {push, push, push, push})});
    ASSERT_TRUE(after.fault());
    EXPECT_EQ(after.fault()->code, code);
    EXPECT_EQ(after.fault()->task, 1U);
    EXPECT_FALSE(after.hazard()) << "the tasks behind it never run";
  };
  expect({push, push, release}, ErrorCode::pipe_overflow);
  expect({oversized}, ErrorCode::pipe_overflow);
  expect({pop, pop}, ErrorCode::pipe_underflow);
  expect({release, release}, ErrorCode::pipe_underflow);
  EXPECT_FALSE(run({Allocate{}, user(0, {push, pop, push, release}, PipeSizes{2, 8})}).fault());
}

/// Whichever comes first.
TEST(Interpreter, WhatEndsARunBesideAFaultIsAHazard) {
  EXPECT_EQ(run({Allocate{}, Allocate{}, user(0, {pop}), user(1, {pop})}).hazard(), 1U);
  EXPECT_EQ(
      run({Allocate{}, Allocate{}, Allocate{}, user(0, {pop}), user(1, {pop}), user(2, {pop})})
          .hazard(),
      1U)
      << "the first of two";
  EXPECT_EQ(run({Allocate{}, user(0, {pop}), Free{0}, Free{0}}).hazard(), 1U);
  const std::vector<Step> several{Allocate{}, Allocate{}, user(0, {pop}), user(1, {pop}),
                                  task({}),   Free{0},    Free{0}};
  EXPECT_EQ(run(several).hazard(), 1U) << "the refusal behind it does not count";
}

TEST(Interpreter, TheFirstFaultCountsAndWhatIsBesideItRuns) {
  const Interpreter after =
      run({Allocate{}, Allocate{}, user(0, {pop}), user(1, {push}), user(0, {push}),
           Submit{.group = 1, .pipes = {{.tag = 8, .steps = {release}}}}});
  ASSERT_TRUE(after.fault());
  EXPECT_EQ(after.fault()->task, 0U);
  EXPECT_EQ(after.fault()->pipe, (PipeName{0, 7}));
  EXPECT_EQ(after.fault()->problem, "a pop from an empty pipe");
  EXPECT_EQ(after.pipes().at({1, 7}).waiting.size(), 1U);
  EXPECT_TRUE(after.pipes().at({0, 7}).waiting.empty()) << "its task comes after the fault";
}

/// Nothing of it counts, in this pipe or in another.
TEST(Interpreter, ATaskStopsAtItsFault) {
  Submit stops = user(0, {pop, push, release});
  stops.pipes.push_back({.tag = 8, .steps = {push}});
  const Interpreter after = run({Allocate{}, stops});
  ASSERT_TRUE(after.fault());
  EXPECT_EQ(after.fault()->problem, "a pop from an empty pipe");
  EXPECT_TRUE(after.pipes().at({0, 7}).waiting.empty());
  EXPECT_TRUE(after.pipes().at({0, 8}).waiting.empty());
}

/// Of one part, in the second of two groups.
TEST(Interpreter, APartMayHavePipesOfItsGroup) {
  const Interpreter after =
      run({Allocate{}, Allocate{},
           Submit{.block_dim = 1, .part_groups = {1}, .pipes = {{.tag = 7, .steps = {push}}}}});
  ASSERT_FALSE(after.refusal());
  ASSERT_TRUE(after.pipes().contains({1, 7}));
  EXPECT_EQ(after.pipes().at({1, 7}).waiting.size(), 1U);
  EXPECT_FALSE(after.pipes().contains({0, 7}));
}

TEST(Interpreter, ATaskComesAfterThoseBeforeItInEachOfItsPipes) {
  const Interpreter after =
      run({Allocate{}, user(0, {push}), Submit{.group = 0, .pipes = {{.tag = 8}, {.tag = 7}}}});
  EXPECT_EQ(producers(after, 1), TaskSet(0b1));
}

TEST(Interpreter, RefusesPipes) {
  const PipeParam pipe{.tag = 3};
  const std::vector<Step> two{Allocate{}, Allocate{}};
  const auto refuse = [&](const Submit& submit, uint32_t param, const char* problem) {
    std::vector<Step> steps = two;
    steps.emplace_back(submit);
    expect_refused(steps, 0, param, problem);
  };
  refuse({.pipes = {pipe}}, 0, "without a cluster");
  refuse({.block_dim = 1, .pipes = {pipe}}, 0, "without a cluster");
  refuse({.block_dim = 2, .part_groups = {0, 1}, .pipes = {pipe}}, 0, "in groups");
  refuse({.block_dim = 2, .part_groups = {1, 1}, .pipes = {pipe}}, 0, "in no order");
  refuse({.group = 0, .pipes = {pipe, {.tag = 4, .sizes = PipeSizes{0, 8}}}}, 1, "may be 0");
  expect_refused({Allocate{}, user(0, {}, PipeSizes{2, 8}), user(0, {}, PipeSizes{2, 16})}, 1, 0,
                 "it was made with");
  refuse({.group = 0, .pipes = {{.tag = 4, .sizes = PipeSizes{1 << 16, 1 << 16}}}}, 0, "may be 0");
  EXPECT_FALSE(run({Allocate{}, user(0, {}, PipeSizes{1 << 10, 1 << 20})}).refusal());
  // By the same task: first with the usual sizes, then with others.
  refuse({.group = 0, .pipes = {{.tag = 5}, {.tag = 5, .sizes = PipeSizes{2, 8}}}}, 1,
         "it was made with");
  refuse({.group = 0,
          .pipes = {{.tag = 5, .sizes = PipeSizes{1, 8}}, {.tag = 5, .sizes = PipeSizes{2, 8}}}},
         1, "it was made with");
  expect_refused({Allocate{}, Submit{.core = CoreType::ai_cpu, .group = 0}}, 0, std::nullopt,
                 "a pinned task");
  expect_refused({Allocate{}, Submit{.core = CoreType::ai_cpu, .block_dim = 1, .part_groups = {0}}},
                 0, std::nullopt, "a pinned task");
  EXPECT_FALSE(run({Allocate{}, Submit{.core = CoreType::cube, .group = 0}}).refusal());
  expect_refused({bytes_4, task({out(0)}), Submit{.params = {in(0)}, .pipes = {pipe}}}, 1, 1,
                 "for a task without a cluster");
  expect_refused({Allocate{}, Submit{.group = 0, .pipes = std::vector<PipeParam>(32, pipe)}}, 0,
                 std::nullopt, "33 parameters, at most 32 are supported");
  expect_refused(
      {Allocate{},
       Submit{.block_dim = 1, .part_groups = {0}, .pipes = std::vector<PipeParam>(30, pipe)}},
      0, std::nullopt, "31 parameters, at most 30 are supported");
  EXPECT_FALSE(
      run({Allocate{}, Submit{.block_dim = 1, .part_groups = {0}, .pipes = {pipe}}}).refusal());
}

TEST(Interpreter, ATensorWithoutMemoryIsNamedOnce) {
  EXPECT_FALSE(run({bytes_4, bytes_4, task({out(0), out(1)})}).refusal());
  expect_refused({bytes_4, bytes_4, task({out(0), out(1), out(0)})}, 0, 2, "has no memory yet");
}

TEST(Interpreter, ABufferBelongsToTheFirstWhoWroteIt) {
  EXPECT_FALSE(
      run({bytes_4, task({out(0)}), ScopeBegin{}, task({inout(0)}), ScopeEnd{}, task({in(0)})})
          .refusal());
}

TEST(Interpreter, ATensorIsDefinedByAllOfItsBytes) {
  const Interpreter after = run({bytes_4, task({allocate(0)}), View{0, {2}, {2}}, task({out(1)})});
  EXPECT_FALSE(after.is_defined(0));
  EXPECT_TRUE(after.is_defined(1));
}

TEST(Interpreter, ATensorIsUsableUntilItsScopeEnds) {
  const Interpreter after = run({ScopeBegin{}, External{0, DataType::UINT8, {4}}, ScopeEnd{}}, {4});
  EXPECT_FALSE(after.is_usable(0));
  EXPECT_TRUE(run({External{0, DataType::UINT8, {4}}}, {4}).is_usable(0)) << "whoever owns it";
}

TEST(Interpreter, DoesNothingAfterARefusal) {
  const Interpreter after = run({bytes_4, task({in(0)}), bytes_4, task({out(1)}), ScopeEnd{}});
  EXPECT_TRUE(after.tasks().empty());
  EXPECT_EQ(after.tensors().size(), 2U) << "the numbers go on";
}

TEST(Interpreter, ThrowsForWhatIsNoProgram) {
  EXPECT_THROW(run({ScopeEnd{}}), std::logic_error);
  EXPECT_THROW(run({task({in(0)})}), std::logic_error);
  EXPECT_THROW(run(std::vector<Step>(max_tasks + 1, task({}))), std::logic_error);
  EXPECT_EQ(run(std::vector<Step>(max_tasks, task({}))).tasks().size(), max_tasks);
  EXPECT_THROW(run({View{0, {1}, {0}}}), std::logic_error);
  EXPECT_THROW(run({Free{0}}), std::logic_error);
  EXPECT_THROW(run({Allocate{}, Submit{.group = 1}}), std::logic_error);
  EXPECT_THROW(run({Allocate{}, Submit{.block_dim = 2, .part_groups = {0}}}), std::logic_error);
  EXPECT_THROW(run({External{0, DataType::UINT8, {5}}}, {4}), std::logic_error);
  EXPECT_THROW(run({External{1, DataType::UINT8, {1}}}, {4}), std::logic_error);
}

TEST(Interpreter, ParametersFitUpToTheirNumber) {
  const Step square = External{0, DataType::INT8, {4, 4}};
  const auto refused = [&](Submit of, std::size_t params) {
    of.params = std::vector<Param>(params, in(0));
    return run({square, of}, {16}).refusal().has_value();
  };
  EXPECT_FALSE(refused({}, 31));
  EXPECT_TRUE(refused({}, 32));
  EXPECT_FALSE(refused({.block_dim = 1}, 29));
  EXPECT_TRUE(refused({.block_dim = 1}, 30));
}

TEST(Interpreter, MisusesAreRefusedAndExceptionsEndTheRun) {
  for (uint64_t i = 0; i < misuses; ++i) {
    const auto misuse = static_cast<Misuse>(i);
    const Interpreter after = run({task({}), misuse});
    ASSERT_TRUE(after.refusal()) << i;
    EXPECT_EQ(after.refusal()->step, 1U);
    EXPECT_EQ(after.refusal()->submission, 1U);
    const bool throws = misuse == Misuse::exception || misuse == Misuse::unknown_exception;
    EXPECT_EQ(after.refusal()->code,
              throws ? ErrorCode::orchestration_threw : ErrorCode::bad_submission)
        << i;
    EXPECT_FALSE(after.hazard()) << i;
  }
}

/// Of a scope that has ended, of a task there, of no task yet, and of one that wrote half of it.
TEST(Interpreter, SaysWhatATaskMayName) {
  const Interpreter after =
      run({bytes_4, ScopeBegin{}, task({out(0)}), bytes_4, task({out(1)}), ScopeEnd{}, bytes_4,
           bytes_4, task({allocate(3)}), View{3, {2}, {0}}, task({out(4)})});
  ASSERT_FALSE(after.refusal());
  const auto expect = [&](uint32_t tensor, bool live, bool has_memory, bool usable) {
    EXPECT_EQ(after.is_live(tensor), live) << tensor;
    EXPECT_EQ(after.has_memory(tensor), has_memory) << tensor;
    EXPECT_EQ(after.is_usable(tensor), usable) << tensor;
  };
  expect(0, true, true, false);
  expect(1, false, true, false);
  expect(2, true, false, false);
  expect(3, true, true, true);
  EXPECT_FALSE(after.is_defined(3));
  EXPECT_TRUE(after.is_defined(4));
  EXPECT_EQ(after.before_reader_of(3), TaskSet(0b1100));
}

}  // namespace
}  // namespace pto2::graphs::interpreter_test
