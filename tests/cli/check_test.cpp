// pto2 check and pto2 replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Check, ExploresTheScenariosThatMatch) {
  const Outcome outcome = pto2({"check", "core_mailbox", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto result = outcome.json();
  EXPECT_EQ(result["schema"], "pto2-check/1");
  ASSERT_EQ(result["harnesses"].size(), 4U);
  for (const auto& harness : result["harnesses"]) {
    EXPECT_EQ(harness["verdict"], "pass");
    EXPECT_EQ(harness["complete"], true);
    EXPECT_GE(harness["executions"], 1);
    EXPECT_THAT(harness["name"].get<std::string>(), StartsWith("core_mailbox/"));
  }
}

TEST(Check, SeveralJobsFindTheSame) {
  for (const char* jobs : {"1", "2"}) {
    const auto result = pto2({"check", "join/word", "--jobs", jobs, "--json", "-"}).json();
    EXPECT_EQ(result["harnesses"][0]["executions"], 694);
    EXPECT_EQ(result["harnesses"][0]["verdict"], "pass");
  }
}

TEST(Check, ABoundIsInconclusive) {
  const Outcome outcome =
      pto2({"check", "node_reuse/word", "--max-seconds", "0.01", "--json", "-"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.json()["harnesses"][0]["verdict"], "inconclusive");
}

TEST(Check, ListsTheScenarios) {
  const Outcome outcome = pto2({"check", "--list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("task_life_cycle/pair/word"));
  EXPECT_THAT(outcome.out, HasSubstr("--deep"));
}

TEST(Check, WritesJUnit) {
  const TemporaryFolder folder;
  EXPECT_EQ(pto2({"check", "fan_in", "--junit", folder.path("check.xml")}).code, 0);
  EXPECT_THAT(read_text(folder.path("check.xml")),
              HasSubstr("<testcase name=\"fan_in/hold_against_notify\""));
}

TEST(Check, AWeakenedOrderIsKilledAndReplays) {
  const auto result = pto2({"check", "watermark.look", "--weaken", "--json", "-"}).json();
  ASSERT_EQ(result["orders"].size(), 1U);
  const auto& order = result["orders"][0];
  EXPECT_EQ(order["outcome"], "killed");
  EXPECT_EQ(order["from"], "seq_cst");
  EXPECT_EQ(order["to"], "acquire");
  EXPECT_EQ(order["witness"], "watermark/two_advancers");
  EXPECT_THAT(order["use"].get<std::string>(), StartsWith("core/watermark.hpp:"));
  const Outcome again = pto2({"replay", order["replay"]});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.out, HasSubstr("no advance is lost"));
}

/// Tools take the lines apart at spaces, however long what is in them.
TEST(Check, ColumnsOfWeakenedOrdersAreApart) {
  EXPECT_THAT(
      pto2({"check", "orchestrator_queue.look", "--weaken"}).out,
      ContainsRegex("^killed +orchestrator_queue\\.look +seq_cst +to acquire +[0-9.]+ s +"
                    "core/orchestrator_queue\\.hpp:[0-9]+ +orchestrator_queue/late_popper\n"));
}

TEST(Check, EachUseOfAnOrderIsKilledAloneAndReplays) {
  const auto result = pto2({"check", "core_mailbox.sample", "--weaken", "--json", "-"}).json();
  const auto& orders = result["orders"];
  ASSERT_EQ(orders.size(), 3U);
  EXPECT_EQ(orders[0]["use"], "everywhere");
  EXPECT_NE(orders[1]["use"], orders[2]["use"]);
  for (const auto& order : orders) EXPECT_EQ(order["outcome"], "killed");
  for (const int i : {1, 2}) {
    const auto use = orders[i]["use"].get<std::string>();
    EXPECT_THAT(use, StartsWith("core/core_mailbox.hpp:"));
    EXPECT_THAT(orders[i]["replay"].get<std::string>(),
                HasSubstr("+core_mailbox.sample:" + use + ":"));
    EXPECT_EQ(pto2({"replay", orders[i]["replay"]}).code, 1);
  }
}

// That the one of the tree is current is the test protocol_index. Only the last of these
// differences takes a search to find.
TEST(Check, FindsAnIndexThatIsNotCurrent) {
  const TemporaryFolder folder;
  for (const std::string what : {"monotone, ", "| fan_in/hold_against_notify |", "| acq_rel |"}) {
    std::string text = read_text("docs/PROTOCOLS.md");
    text.erase(text.find(what), what.size());
    const std::string document = folder.file("index.md", text);
    EXPECT_EQ(pto2({"check", "--index", document}).code, 1) << what;
    EXPECT_EQ(read_text(document), text);
  }
  const Outcome unmarked = pto2({"check", "--index", folder.file("other.md", "nothing")});
  EXPECT_EQ(unmarked.code, 3);
  EXPECT_THAT(unmarked.err, HasSubstr("generated: pto2 check --index"));
}

TEST(Check, BadUsageIsExplained) {
  const auto expect = [](const Strings& arguments, int code, const char* message) {
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, code);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  };
  expect({"check", "no_such_scenario"}, 2, "no scenario's name contains no_such_scenario");
  expect({"check", ""}, 2, "is empty; leave it out, or say which");
  expect({"check", "fan.*"}, 2, "no scenario's name contains fan.*");
  expect({"check", "runtime/diamond/word"}, 2, "take long; add --deep");
  expect({"check", "--weaken", "no_such"}, 2, "no memory order's name contains no_such");
  // A tree may be without mutants.
  const auto programs = std::filesystem::path(PTO2_PROGRAM).parent_path();
  if (std::filesystem::exists(programs / "../mutants/build/bin/catalogue")) {
    expect({"check", "--mutants", "no_such"}, 2, "no mutant's name contains no_such");
  } else {
    expect({"check", "--mutants", "no_such"}, 3, "build the target mutants");
  }
  expect({"check", "--jobs", "0"}, 2, "--jobs");
  for (const char* seconds : {"nan", "inf", "-1", "1e400", "soon"}) {
    expect({"check", "--max-seconds", seconds}, 2, "no number of seconds");
  }
  expect({"check", "--quick"}, 2, "--mutants");
  expect({"check", "fan_in", "--json", "-", "--junit", "-"}, 2, "cannot both be stdout");
  expect({"check", "fan_in", "--json", "a", "--junit", "a"}, 2, "name the same file");
  expect({"check", "fan_in", "--json", ""}, 2, "an empty name");
  expect({"check", "--index", ""}, 2, "an empty name");
  expect({"check", "--index", "", "--update"}, 2, "an empty name");
  expect({"check", "fan_in", "--json", "/nonexistent/file"}, 3, "/nonexistent/file");
  expect({"replay"}, 2, "token");
  expect({"replay", "nonsense"}, 3, "'nonsense' at character 1: neither check/ nor simulate/");
  expect({"replay", "check/no/such@pto2.2:0:0:"}, 3, "no/such");
  expect({"replay", "check/watermark/two_advancers@pto2.2:0:9:"}, 3, "damaged");
  expect({"replay", "check/watermark/two_advancers+fan_in.notify=relaxed@pto2.2:0:0:"}, 3,
         "fan_in.notify");
}

TEST(Check, RefusesWhatItWouldIgnore) {
  const TemporaryFolder folder;
  const std::string json = folder.path("json");
  const auto expect = [](const std::string& option, const Strings& arguments,
                         const std::vector<Strings>& others) {
    for (const Strings& other : others) {
      Strings all{"check"};
      all.insert(all.end(), arguments.begin(), arguments.end());
      all.insert(all.end(), other.begin(), other.end());
      const Outcome outcome = pto2(all);
      EXPECT_EQ(outcome.code, 2) << option << " " << other.front();
      EXPECT_EQ(outcome.out, "") << option << " " << other.front();
      EXPECT_THAT(outcome.err,
                  AllOf(HasSubstr(option), HasSubstr(other.front()), HasSubstr(" excludes ")));
    }
  };
  expect("--index", {"--index", "docs/PROTOCOLS.md"},
         {{"--weaken"},
          {"--mutants"},
          {"--json", json},
          {"--junit", json},
          {"--deep"},
          {"--list"},
          {"--max-seconds", "1"}});
  expect("pattern", {"fan_in"}, {{"--index", "docs/PROTOCOLS.md"}});
  expect("--list", {"--list"},
         {{"--weaken"},
          {"--mutants"},
          {"--json", json},
          {"--junit", json},
          {"--deep"},
          {"--jobs", "2"},
          {"--max-seconds", "1"}});
  expect("--mutants", {"--mutants"}, {{"--weaken"}, {"--deep"}, {"--max-seconds", "1"}});
  EXPECT_FALSE(fs::exists(json));
}

/// If the process ends now, nobody takes the results of an earlier one for its own.
TEST(Check, RemovesEarlierResultsWhenItBegins) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const std::string junit = folder.file("junit", "earlier");
  const Strings files{"--json", json, "--junit", junit};
  Strings misspelt{"check", "no_such_scenario"};
  misspelt.insert(misspelt.end(), files.begin(), files.end());
  EXPECT_EQ(pto2(misspelt).code, 2);
  EXPECT_EQ(read_text(json), "earlier") << "nothing has begun";
  Strings deep{"check", "--deep", "node_reuse"};
  deep.insert(deep.end(), files.begin(), files.end());
  const RunningProgram program(deep);
  EXPECT_TRUE(program.wait_until([&] { return !fs::exists(json) && !fs::exists(junit); }));
}

TEST(Check, ATokenThatDoesNotFitIsInconclusive) {
  const Outcome outcome =
      pto2({"replay",
            "check/fan_in/hold_against_notify@pto2.2:4c1f000000000000:6:0.0x2,1.0x2,2.0x1,"
            "2.1x1,"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("does not fit the program"));
}

TEST(Check, OutputThatCannotBeWrittenIsAnError) {
  for (const char* arguments : {"check fan_in", "check --list", "check --weaken watermark.look"}) {
    const Outcome outcome = run_program(
        "/bin/sh", {"-c", std::string("\"$0\" ") + arguments + " > /dev/full", PTO2_PROGRAM});
    EXPECT_EQ(outcome.code, 3) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("standard output: the result could not be written"));
  }
}

TEST(Check, MoreOsThreadsThanTheSystemGivesAreAnError) {
  for (const char* what : {"fan_in", "--index docs/PROTOCOLS.md"}) {
    const Outcome outcome = run_program(
        "/bin/sh",
        {"-c", "ulimit -v 400000; \"$0\" check --jobs 64 " + std::string(what), PTO2_PROGRAM});
    EXPECT_EQ(outcome.code, 3) << what;
    EXPECT_THAT(outcome.err, HasSubstr("use fewer --jobs")) << what;
  }
}

TEST(Check, HelpNamesTheExitCodes) {
  const Outcome outcome = pto2({"check", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Exit codes"));
}

}  // namespace
}  // namespace pto2::test
