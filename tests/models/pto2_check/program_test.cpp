// pto2 check and pto2 replay on a catalogue of toys, and with mutants whose witnesses are scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

Outcome toys(const Strings& arguments, const Strings& environment = {}) {
  return run_program(TOYS, arguments, environment);
}

TEST(CheckProgram, AWholeNameIsThatScenarioAlone) {
  const auto found = [](const char* pattern) {
    return toys({"check", pattern, "--json", "-"}).json()["harnesses"].size();
  };
  EXPECT_EQ(found("toy/message"), 1U);
  EXPECT_EQ(found("toy/mess"), 2U);
}

TEST(CheckProgram, WeakensOrdersOfLongScenariosOnDemand) {
  EXPECT_EQ(toys({"check", "--weaken", "long.publish"}).code, 2);
  const Outcome deep = toys({"check", "--weaken", "long.publish", "--deep"});
  EXPECT_EQ(deep.code, 0) << deep.err;
  EXPECT_THAT(deep.out, HasSubstr("toy/long"));
}

/// After the mistake is corrected.
TEST(CheckProgram, ATokenWhoseExecutionHoldsPasses) {
  const Strings broken{"TOYS_ARE_BROKEN=1"};
  const Outcome search = toys({"check", "toy/message", "--json", "-"}, broken);
  EXPECT_EQ(search.code, 1);
  const std::string token = search.json()["harnesses"][0].value("replay", "none");
  EXPECT_EQ(toys({"replay", token}, broken).code, 1) << token;
  const Outcome mended = toys({"replay", token});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_THAT(mended.out, HasSubstr("1 executions"));
}

TEST(CheckProgram, UpdatesNothingButAnIndex) {
  const Outcome outcome = toys({"check", "--update"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--index"));
  EXPECT_EQ(outcome.out, "");
}

/// A copy of the program beside mutants, of which none is found.
class WithWitnesses {
 public:
  WithWitnesses() {
    fs::copy_file(TOYS, folder_.path("toys"));
    script("passes", "");
  }

  void script(const std::string& name, const std::string& body) const {
    fs::permissions(folder_.file(name, "#!/bin/sh\n" + body + "\n"), fs::perms::owner_all);
  }
  void catalogue(const std::string& lines) const { folder_.file("catalogue", lines); }
  /// Of all mutants, with what comes before it in the shell.
  [[nodiscard]] Outcome run(const std::string& before, const std::string& arguments) const {
    return run_program("/bin/sh", {"-c", before + folder_.path("toys") + " check --mutants " +
                                             arguments + " --json " + folder_.path("json")});
  }
  [[nodiscard]] nlohmann::json json() const {
    return nlohmann::json::parse(read_text(folder_.path("json")), nullptr, false);
  }

 private:
  TemporaryFolder folder_;
};

/// Nothing is begun then.
TEST(CheckProgram, MoreMutantsAtATimeThanTheSystemGivesThreadsAreAnError) {
  const WithWitnesses witnesses;
  witnesses.catalogue("a 1 quick unit passes\nb 2 quick unit passes\nc 3 quick unit passes\n");
  const Outcome outcome = witnesses.run("ulimit -v 400000; ", "--jobs 64");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("use fewer --jobs"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("survived")));
  EXPECT_EQ(witnesses.json()["interrupted"], true);
}

/// What was found before counts more than that it cannot go on.
TEST(CheckProgram, MutantsBeforeAnErrorAreTold) {
  const WithWitnesses witnesses;
  // Not this run of it, which is waited for by then, but the next: there are three descriptors
  // more.
  witnesses.script("lacks_files",
                   "until ls -l /proc/$PPID/fd | grep -q pidfd; do :; done\n"
                   "prlimit --pid $PPID --nofile=3:");
  const std::string lacks_files = "b 2 quick unit lacks_files\nc 3 quick unit passes\n";
  witnesses.catalogue("a 1 quick unit passes\n" + lacks_files);
  const Outcome outcome = witnesses.run("", "");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot start /usr/bin/env: Too many open files"));
  EXPECT_THAT(outcome.out, HasSubstr("0 hold, 1 do not, 0 inconclusive"));
  const auto result = witnesses.json();
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["mutants"].size(), 1U);
  EXPECT_EQ(result["mutants"][0]["outcome"], "survived");
  witnesses.catalogue(lacks_files);
  EXPECT_EQ(witnesses.run("", "").code, 3);
}

}  // namespace
}  // namespace pto2::test
