// What pto2 check makes of small programs: verdicts, weakenings, replay tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "core/assert.hpp"
#include "models/pto2_check/checking.hpp"
#include "models/pto2_check/entry_of.hpp"
#include "models/pto2_check/named_token.hpp"
#include "models/pto2_check/weakening.hpp"
#include "models/support/model_policy.hpp"
#include "runtime/output/replay_token.hpp"

namespace pto2::scenarios {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct ToyOrders {
  static constexpr OrderSite publish{"toy.publish", Operation::store, std::memory_order_release};
  static constexpr OrderSite observe{"toy.observe", Operation::load, std::memory_order_acquire};
  /// Stronger than need be: nothing is read behind it.
  static constexpr OrderSite count{"toy.count", Operation::update, std::memory_order_acq_rel};
};

/// One message, seen or not: two executions.
void pass_message() {
  Model::cell<int> data;
  Model::atomic<int> flag{0};
  Model::atomic<int> counted{0};
  model::thread sender([&] {
    data.write(1);
    flag.store(1, Model::order(ToyOrders::publish));
    counted.fetch_add(1, Model::order(ToyOrders::count));
  });
  if (flag.load(Model::order(ToyOrders::observe)) == 1) {
    model::sometimes("the message is seen");
    model::check(data.read() == 1, "the message is whole");
  }
  sender.join();
}

Entry message(uint64_t executions) {
  return {"toy/message", pass_message, {executions}, {"the message is seen"}};
}

TEST(Checking, PassesWithTheExpectedNumber) {
  const model::Report report = check(message(2), {});
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2U);
}

TEST(Checking, AnotherNumberFails) {
  const model::Report report = check(message(3), {});
  EXPECT_EQ(report.verdict, model::Verdict::fail);
  EXPECT_THAT(report.reason, HasSubstr("expected 3 executions"));
  EXPECT_FALSE(report.violation);
}

/// A new scenario has none: how many there are is told.
TEST(Checking, OneWithoutANumberFails) {
  const model::Report report = check(message(0), {});
  EXPECT_EQ(report.verdict, model::Verdict::fail);
  EXPECT_THAT(report.reason, HasSubstr("expected 0 executions"));
  EXPECT_EQ(report.executions, 2U);
}

TEST(Checking, AnUnreachedCaseFails) {
  Entry entry = message(2);
  entry.reaches.push_back("the message is lost");
  const model::Report report = check(entry, {});
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, model::ViolationKind::unreached);
}

/// A role that does nothing: neither case is met.
struct Idler : Roles<Model, 1> {
  static constexpr std::array<const char*, 2> reaches{"first", "second"};
  void thread(uint32_t) {}
  void finish() {}
};

TEST(Checking, AScenarioIsAskedForTheCasesThatItNames) {
  const Entry entry = entry_of<Idler>("toy/idler");
  EXPECT_THAT(entry.reaches, testing::ElementsAre("first", "second"));
  const model::Report report = check(entry, {});
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, model::ViolationKind::unreached);
}

TEST(Checking, ABrokenInvariantIsAViolation) {
  const Entry entry{"toy/broken", [] { PTO2_INVARIANT("toy rule", 1 + 1 == 3); }, {1}, {}};
  const model::Report report = check(entry, {});
  ASSERT_TRUE(report.violation);
  EXPECT_THAT(report.violation->message, StartsWith("toy rule violated: 1 + 1 == 3"));
}

WeakPoint site_of(const std::vector<Entry>& entries, const OrderSite& site) {
  for (const WeakPoint& point : weak_points(entries, {})) {
    if (point.site == &site && point.whole) return point;
  }
  throw std::runtime_error("the site is not found");
}

WeakeningResult weaken(const WeakPoint& point, std::memory_order order,
                       const CheckSettings& settings = {}) {
  return Weakener(settings).weaken(point, order);
}

TEST(Weakening, FindsTheSitesOfAProgram) {
  const std::vector<Entry> entries{message(2)};
  EXPECT_EQ(weak_points(entries, {}).size(), 3U);
  EXPECT_EQ(site_of(entries, ToyOrders::count).entries.at(0), &entries[0]);
}

TEST(Weakening, OneThatMattersIsKilled) {
  const std::vector<Entry> entries{message(2)};
  for (const OrderSite* site : {&ToyOrders::publish, &ToyOrders::observe}) {
    const WeakeningResult result = weaken(site_of(entries, *site), std::memory_order_relaxed);
    EXPECT_EQ(result.status, MutantStatus::killed);
    EXPECT_EQ(result.witness, "toy/message");
    EXPECT_THAT(result.effect, StartsWith("data race"));
  }
}

TEST(Weakening, OneThatDoesNotSurvives) {
  const std::vector<Entry> entries{message(2)};
  for (const std::memory_order order : weaker_orders(ToyOrders::count)) {
    const WeakeningResult result = weaken(site_of(entries, ToyOrders::count), order);
    EXPECT_EQ(result.status, MutantStatus::survived);
    EXPECT_EQ(result.witness, "");
  }
}

/// One that fails whatever the orders are. It is tried before message().
Entry broken() {
  const auto body = [] {
    pass_message();
    model::check(false, "never right");
  };
  return {"toy/broken", body, {1}, {}};
}

TEST(Weakening, AScenarioThatFailsAnywayIsNoWitness) {
  const std::vector<Entry> entries{broken()};
  const WeakeningResult result =
      weaken(site_of(entries, ToyOrders::publish), std::memory_order_relaxed);
  EXPECT_EQ(result.status, MutantStatus::survived);
  EXPECT_EQ(result.witness, "");
  EXPECT_EQ(result.effect,
            "toy/broken fails without the weakening, too: check failed: never right");
}

TEST(Weakening, AnotherScenarioMayStillBeAWitness) {
  const std::vector<Entry> entries{broken(), message(2)};
  const WeakPoint point = site_of(entries, ToyOrders::publish);
  ASSERT_EQ(point.entries.at(0), &entries[0]);
  const WeakeningResult result = weaken(point, std::memory_order_relaxed);
  EXPECT_EQ(result.status, MutantStatus::killed);
  EXPECT_EQ(result.witness, "toy/message");
  EXPECT_THAT(result.effect, StartsWith("data race"));
}

TEST(Weakening, WhatAWitnessDoesWithoutItIsAskedOnce) {
  int runs = 0;
  Entry entry = message(2);
  entry.body = [&] {
    if (Model::weakening.site.empty()) ++runs;
    pass_message();
  };
  const std::vector<Entry> entries{entry};
  const WeakPoint points[] = {site_of(entries, ToyOrders::publish),
                              site_of(entries, ToyOrders::observe)};
  runs = 0;
  Weakener weakener({});
  for (const WeakPoint& point : points) {
    EXPECT_EQ(weakener.weaken(point, std::memory_order_relaxed).status, MutantStatus::killed);
    EXPECT_EQ(runs, 2);
  }
}

TEST(Weakening, AWitnessThatIsNotCompleteWithoutItTellsNothing) {
  Entry entry = message(2);
  std::stop_source source;
  entry.body = [&] {
    if (Model::weakening.site.empty()) source.request_stop();
    pass_message();
  };
  const std::vector<Entry> entries{entry};
  const WeakPoint point = site_of(entries, ToyOrders::publish);
  source = std::stop_source();
  const WeakeningResult result =
      weaken(point, std::memory_order_relaxed, {.stop = source.get_token()});
  EXPECT_EQ(result.status, MutantStatus::inconclusive);
  EXPECT_EQ(result.witness, "");
}

TEST(Weakening, IsTakenBack) {
  const std::vector<Entry> entries{message(2)};
  static_cast<void>(weaken(site_of(entries, ToyOrders::publish), std::memory_order_relaxed));
  EXPECT_TRUE(check(entries[0], {}).ok());
}

TEST(Weakening, ABoundThatIsHitIsSaid) {
  Entry entry = message(2);
  entry.body = [] {
    Model::atomic<int> counted{0};
    std::vector<model::thread> threads;
    for (int i = 0; i < 9; ++i) {
      threads.emplace_back([&] { counted.fetch_add(1, Model::order(ToyOrders::count)); });
    }
    for (model::thread& thread : threads) thread.join();
  };
  const std::vector<Entry> entries{entry};
  const WeakeningResult result =
      weaken(site_of(entries, ToyOrders::count), std::memory_order_acquire, {.max_seconds = 0.01});
  EXPECT_EQ(result.status, MutantStatus::inconclusive);
  EXPECT_THAT(result.effect, HasSubstr("toy/message is not complete"));
}

TEST(WeakerOrders, AreTheNextOfEachOperation) {
  using Orders = std::vector<std::memory_order>;
  const auto of = [](Operation operation, std::memory_order order) {
    return weaker_orders({"toy.site", operation, order});
  };
  EXPECT_EQ(of(Operation::load, std::memory_order_seq_cst), Orders{std::memory_order_acquire});
  EXPECT_EQ(of(Operation::store, std::memory_order_seq_cst), Orders{std::memory_order_release});
  EXPECT_EQ(of(Operation::update, std::memory_order_seq_cst), Orders{std::memory_order_acq_rel});
  EXPECT_EQ(of(Operation::update, std::memory_order_acq_rel),
            (Orders{std::memory_order_acquire, std::memory_order_release}));
  EXPECT_EQ(of(Operation::load, std::memory_order_acquire), Orders{std::memory_order_relaxed});
  EXPECT_EQ(of(Operation::load, std::memory_order_relaxed), Orders{});
}

TEST(NamedToken, ReplaysAWeakenedExecution) {
  const std::vector<Entry> entries{message(2)};
  const WeakeningResult result =
      weaken(site_of(entries, ToyOrders::publish), std::memory_order_relaxed);
  EXPECT_THAT(result.token, StartsWith("check/toy/message+toy.publish=relaxed@pto2.2:"));
  const model::Report report = replay_named(entries, result.token);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, model::ViolationKind::data_race);
}

TEST(NamedToken, IsNoneWithoutAnExecution) {
  EXPECT_EQ(named_token("toy/message", ""), "");
}

TEST(NamedToken, RefusesWhatItCannotReplay) {
  const std::vector<Entry> entries{message(2)};
  const std::pair<const char*, const char*> refusals[] = {
      {"toy/message@pto2.2:0:0:", "the kind of the token toy/message@"},
      {"simulate/toy/message@pto2.2:0:0:", "the kind of the token simulate/toy"},
      {"check/toy/message", "the payload of the token check/toy/message, '' at character 18: "},
      {"check/toy/other@pto2.2:0:0:", "the subject of the token check/toy/other@pto2.2:0:0:, 'toy"},
      {"check/toy/message@nonsense", "the payload of the token check/toy/message@nonsense, 'non"},
      {"check/toy/message@pto2.2:0:1:", "the payload of the token check/toy/message@pto2.2:0:1:"},
      {"check/toy/message+toy.publish=seq_cst@pto2.2:0:0:",
       "the weakening of the token check/toy/message+toy.publish=seq_cst@pto2.2:0:0:, 'toy.pub"}};
  for (const auto& [token, refusal] : refusals) {
    try {
      static_cast<void>(replay_named(entries, token));
      ADD_FAILURE() << token;
    } catch (const cli::TokenError& error) {
      EXPECT_THAT(error.what(), StartsWith(refusal));
    }
  }
}

}  // namespace
}  // namespace pto2::scenarios
