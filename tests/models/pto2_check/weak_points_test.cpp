// Where the orders of a small program can be weakened, and what comes of weakening one use.
#include "models/pto2_check/weak_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <source_location>

#include "models/pto2_check/named_token.hpp"
#include "models/pto2_check/weakening.hpp"

namespace pto2::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Toy {
  static constexpr OrderSite publish{"toy.publish", Operation::store, std::memory_order_release};
  static constexpr OrderSite observe{"toy.observe", Operation::load, std::memory_order_acquire};
  static constexpr OrderSite update{"toy.update", Operation::update, std::memory_order_release};
};

constexpr auto line_of_message = std::source_location::current().line() + 9;
constexpr auto line_of_nothing = line_of_message + 1;

/// Publishes a message, which needs the order, and then nothing.
void publish_twice() {
  Model::cell<int> data;
  Model::atomic<int> flag{0}, other{0};
  model::thread sender([&] {
    data.write(1);
    flag.store(1, Model::order(Toy::publish));
    other.store(1, Model::order(Toy::publish));
  });
  if (flag.load(Model::order(Toy::observe)) == 1) {
    model::check(data.read() == 1, "the message is whole");
  }
  sender.join();
}

/// Two uses in one line.
void update_twice() {
  Model::atomic<int> x{0};
  // clang-format off
  x.fetch_add(1, Model::order(Toy::update)); x.fetch_add(1, Model::order(Toy::update));
  // clang-format on
}

std::vector<Entry> entries_of(std::function<void()> body) {
  return {{"toy/program", std::move(body), {2}, {}}};
}

std::string place(unsigned line) {
  return "pto2_check/weak_points_test.cpp:" + std::to_string(line);
}

std::vector<std::string> places_of(const std::vector<WeakPoint>& points, const OrderSite& site) {
  std::vector<std::string> places;
  for (const WeakPoint& point : points) {
    if (point.site == &site) places.push_back(point.place);
  }
  return places;
}

TEST(WeakPoints, AreASiteAsAWholeAndEachOfItsUses) {
  const std::vector<Entry> entries = entries_of(publish_twice);
  const std::vector<WeakPoint> points = weak_points(entries, {});
  EXPECT_THAT(places_of(points, Toy::publish),
              ElementsAre("everywhere", place(line_of_message), place(line_of_nothing)));
  EXPECT_THAT(places_of(points, Toy::observe), ElementsAre(place(line_of_nothing + 2)));
  for (const WeakPoint& point : points) {
    EXPECT_EQ(point.whole, point.place == "everywhere" || point.site == &Toy::observe);
    EXPECT_EQ(point.entries, std::vector{&entries[0]});
  }
}

TEST(WeakPoints, OfOneLineAreToldApart) {
  const std::vector<Entry> entries = entries_of(update_twice);
  const std::vector<WeakPoint> points = weak_points(entries, {});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NE(points[1].place, points[2].place);
  EXPECT_EQ(points[1].uses[0].line(), points[2].uses[0].line());
  for (const int i : {1, 2}) {
    EXPECT_THAT(points[i].place, StartsWith(place(points[i].uses[0].line()) + ":"));
  }
}

TEST(WeakPoints, AreNoneOnceAStopIsRequested) {
  std::stop_source source;
  source.request_stop();
  const std::vector<Entry> entries = entries_of(publish_twice);
  EXPECT_THAT(weak_points(entries, source.get_token()), IsEmpty());
}

/// What becomes of the use of Toy::publish in this line.
WeakeningResult weaken_line(const std::vector<Entry>& entries, unsigned line) {
  for (const WeakPoint& point : weak_points(entries, {})) {
    if (point.place == place(line)) return Weakener({}).weaken(point, std::memory_order_relaxed);
  }
  return {};
}

TEST(WeakenedUse, ThatMattersIsKilledAndReplays) {
  const std::vector<Entry> entries = entries_of(publish_twice);
  const WeakeningResult result = weaken_line(entries, line_of_message);
  EXPECT_EQ(result.status, MutantStatus::killed);
  EXPECT_EQ(result.place, place(line_of_message));
  EXPECT_THAT(result.token,
              StartsWith("check/toy/program+toy.publish:" + place(line_of_message) + ":"));
  EXPECT_THAT(result.token, HasSubstr("=relaxed@pto2.2:"));
  const model::Report report = replay_named(entries, result.token);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, model::ViolationKind::data_race);
}

TEST(WeakenedUse, ThatDoesNotMatterSurvivesBesideOneThatDoes) {
  const std::vector<Entry> entries = entries_of(publish_twice);
  const WeakeningResult result = weaken_line(entries, line_of_nothing);
  EXPECT_EQ(result.status, MutantStatus::survived);
  EXPECT_EQ(result.place, place(line_of_nothing));
}

TEST(WeakenedUse, IsRefusedByAReplayIfItIsNotThere) {
  const std::vector<Entry> entries = entries_of(publish_twice);
  const std::string token = "check/toy/program+toy.publish:" + place(1) + ":1=relaxed@pto2.2:0:0:";
  EXPECT_THROW(static_cast<void>(replay_named(entries, token)), std::invalid_argument);
}

}  // namespace
}  // namespace pto2::scenarios
