#include "models/pto2_check/protocol_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "models/support/model_policy.hpp"
#include "runtime/output/exit_codes.hpp"
#include "tests/support/full_disk.hpp"

namespace pto2::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string begin = "<!-- generated: pto2 check --index docs/PROTOCOLS.md --update -->\n";
const std::string end = "<!-- end of what is generated -->\n";

class Index : public testing::Test {
 protected:
  Index() : file_(fs::temp_directory_path() / ("index_test." + std::to_string(getpid()))) {}
  ~Index() override { fs::remove(file_); }

  void write(const std::string& text) const { std::ofstream(file_) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool current(const std::string& index, bool update = false) const {
    return index_is_current(file_, index, update);
  }
  void expect_refused(const std::string& why) const {
    EXPECT_THAT([this] { static_cast<void>(current("", true)); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr(why)));
  }

  fs::path file_;
};

TEST_F(Index, IsComparedWithThePartBetweenTheMarks) {
  write("before\n" + begin + "\ntables\n\n" + end + "after\n");
  EXPECT_TRUE(current("tables\n"));
  EXPECT_FALSE(current("tables"));
  EXPECT_FALSE(current("tables\nmore\n"));
  EXPECT_EQ(text(), "before\n" + begin + "\ntables\n\n" + end + "after\n");
}

TEST_F(Index, IsUpdatedInItsPlace) {
  write("before\n" + begin + "old" + end + "after\n");
  EXPECT_TRUE(current("tables\n", true));
  EXPECT_EQ(text(), "before\n" + begin + "\ntables\n\n" + end + "after\n");
  EXPECT_TRUE(current("tables\n"));
}

TEST_F(Index, NeedsBothMarksInTheirOrder) {
  for (const std::string& wrong : {std::string("nothing\n"), begin, end, end + begin}) {
    write(wrong);
    EXPECT_THROW(static_cast<void>(current("", true)), std::runtime_error) << wrong;
    EXPECT_EQ(text(), wrong);
  }
  EXPECT_THROW(static_cast<void>(index_is_current("/nonexistent/file", "", false)),
               std::runtime_error);
}

/// A folder can be opened, and not read.
TEST_F(Index, ThatCannotBeReadIsSaidToBeSo) {
  expect_refused(" cannot be read");
  fs::create_directory(file_);
  expect_refused(" cannot be read");
}

/// What is looked for would not be found, and be left out.
TEST_F(Index, IsNotReadFromLinesOfAnotherSystem) {
  write(begin + end + "after\r\n");
  expect_refused("its lines end with CR LF");
}

TEST_F(Index, ThatCannotBeWrittenLeavesTheFormerOne) {
  const std::string former = "before\n" + begin + "old" + end + "after\n";
  write(former);
  {
    const test::FullDisk disk(16);
    EXPECT_THROW(static_cast<void>(current("tables\n", true)), std::runtime_error);
  }
  EXPECT_EQ(text(), former);
}

struct RowOrders {
  static constexpr OrderSite publish{"toy.publish", Operation::store, std::memory_order_release};
  static constexpr OrderSite observe{"toy.observe", Operation::load, std::memory_order_acquire};
  /// Stronger than need be.
  static constexpr OrderSite count{"toy.count", Operation::update, std::memory_order_release};
};

/// One message, seen or not.
void send_message() {
  Model::cell<int> data;
  Model::atomic<int> flag{0};
  model::thread sender([&] {
    data.write(1);
    flag.store(1, Model::order(RowOrders::publish));
  });
  if (flag.load(Model::order(RowOrders::observe)) == 1) {
    model::check(data.read() == 1, "the message is whole");
  }
  sender.join();
}

/// Threads that count in any order.
void count_together() {
  Model::atomic<int> counted{0};
  std::vector<model::thread> threads;
  for (int i = 0; i < 9; ++i) {
    threads.emplace_back([&] { counted.fetch_add(1, Model::order(RowOrders::count)); });
  }
  for (model::thread& thread : threads) thread.join();
}

class OrderTable : public Index {
 protected:
  OrderTable() { write(header); }

  static constexpr const char* header = "order,weakened to,shown by,TSan,helgrind,one minute\n";

  [[nodiscard]] std::string table(const std::vector<Entry>& entries,
                                  const CheckSettings& settings = {}) const {
    return order_table(file_, weak_points(entries, {}), settings);
  }
  /// What there is instead of one.
  [[nodiscard]] std::pair<cli::ExitCode, std::string> refusal(const Entry& entry,
                                                              const CheckSettings& settings) const {
    try {
      return {cli::exit_pass, table({entry}, settings)};
    } catch (const cli::CliError& error) {
      return {error.code(), error.what()};
    }
  }

  const Entry message_{"toy/message", send_message, {2}, {}};
  const Entry counting_{"toy/counting", count_together, {362'880}, {}};
};

TEST_F(OrderTable, SaysWhatOtherToolsSawOnTheScenarioThatShowsIt) {
  write(header + std::string("toy.observe,relaxed,toy/message,no,yes,no\n"
                             "toy.publish,relaxed,toy/message,yes,yes,no\n"));
  const std::string text = table({message_});
  EXPECT_THAT(text, HasSubstr("| `toy.observe` | load | acquire | relaxed | toy/message | no | yes "
                              "| no |\n"));
  EXPECT_THAT(text, HasSubstr("TSan saw 1 of the 2 that were measured, helgrind 2, a minute of "
                              "stress 0.\n"));
  EXPECT_THAT(text, Not(HasSubstr("not measured")));
}

TEST_F(OrderTable, OfAnotherScenarioNothingIsMeasured) {
  write(header + std::string("toy.observe,relaxed,toy/former,yes,yes,yes\n"
                             "toy.publish,relaxed,toy/message,yes,no,no\n"));
  const std::string text = table({message_});
  EXPECT_THAT(text, HasSubstr("| relaxed | toy/message | not measured | | |\n"));
  EXPECT_THAT(text, HasSubstr("| relaxed | toy/message | yes | no | no |\n"));
  EXPECT_THAT(text, HasSubstr("TSan saw 1 of the 1 that were measured, helgrind 0, a minute of "
                              "stress 0; 1 were not measured.\n"));
}

TEST_F(OrderTable, NeedsToKnowTheScenarioOfEachRow) {
  write(header + std::string("toy.publish,relaxed,yes,no,no\n"));
  EXPECT_THROW(static_cast<void>(table({message_})), std::runtime_error);
}

TEST_F(OrderTable, IsNoneWhereAWeakeningSurvives) {
  Entry two = counting_;
  two.body = [] {
    Model::atomic<int> counted{0};
    counted.fetch_add(1, Model::order(RowOrders::count));
  };
  EXPECT_EQ(refusal(two, {}),
            std::pair(cli::exit_fail, std::string("toy.count to relaxed survived: no scenario "
                                                  "needs the stronger order")));
}

TEST_F(OrderTable, IsNoneWhereASearchWasNotFinished) {
  const auto [code, text] = refusal(counting_, {.max_seconds = 0.01});
  EXPECT_EQ(code, cli::exit_inconclusive);
  EXPECT_THAT(text,
              HasSubstr("toy.count to relaxed is inconclusive: toy/counting is not complete"));
}

TEST_F(OrderTable, IsEmptyOnceAStopIsRequested) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(table({message_}, {.stop = source.get_token()}), "");
}

/// None of this tree's.
const std::string first = "TY-I" + std::to_string(1);
const std::string second = "TY-I" + std::to_string(2);

/// A tree with two invariants and a scenario.
class InvariantTable : public Index {
 protected:
  InvariantTable() {
    std::string name = fs::temp_directory_path() / "index_test.XXXXXX";
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ / "runtime/tensormap");
    source("core/policy.hpp", "///   " + first + ": a message is\n///          whole\n");
    source("core/toy.hpp", "/// About it.\n///   " + second + ": none is lost\n");
    write(begin + end);
  }
  ~InvariantTable() override { fs::remove_all(root_); }

  void source(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// Of the sources and the scenario, whose header this is.
  [[nodiscard]] std::string error_of(const std::string& scenario) const {
    source("models/toy/message.hpp", scenario);
    try {
      static_cast<void>(index_may_be_current(file_, root_, {{"toy/message", {}, {2}, {}}}));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  fs::path root_;
};

TEST_F(InvariantTable, HasOneThatAScenarioCites) {
  EXPECT_EQ(error_of("/// " + first + ", " + second + ".\n"), "");
  write(begin +
        "\n### Invariants\n\n| invariant | file | what holds | scenarios |\n|---|---|---|---|\n"
        "| " +
        first + " | `policy.hpp` | a message is whole | toy/message |\n| " + second +
        " | `toy.hpp` | none is lost | toy/message |\n\n### Memory orders\n\norders\n\n"
        "### Scenarios\n\n| scenario | |\n|---|---|\n| toy/message | 2 executions |\n\n" +
        end);
  const std::vector<Entry> entries{{"toy/message", {}, {2}, {}}};
  EXPECT_TRUE(index_may_be_current(file_, root_, entries));
}

TEST_F(InvariantTable, IsNoneWhereNoScenarioCitesOne) {
  EXPECT_EQ(error_of("/// " + first + ".\n"), "no scenario cites " + second);
}

}  // namespace
}  // namespace pto2::scenarios
