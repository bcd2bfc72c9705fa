// helgrind and DRD report a race, and are silent where release and acquire order the accesses: the
// annotations of runtime/executors/annotated_atomic.hpp say what they must, and no more.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <tuple>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
};

Outcome run_under(const std::string& tool, const std::string& program,
                  const std::string& argument = "") {
  // DRD leaves stacks out unless it is told.
  const std::string options = tool + (tool == "drd" ? " --check-stack-var=yes " : " ");
  const std::string command =
      std::string(PTO2_VALGRIND) + " --tool=" + options + "'" + program + "' " + argument + " 2>&1";
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) outcome.output += part.data();
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

class Valgrind : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::string tool() const { return GetParam(); }
  void expect_silence(const std::string& name) const {
    const Outcome outcome = run_under(tool(), RACE_CANARY, name);
    EXPECT_EQ(outcome.exit_code, 0) << name << ": " << outcome.output;
    EXPECT_EQ(outcome.output, "") << name;
  }
  void expect_report(const std::string& name) const {
    const Outcome outcome = run_under(tool(), RACE_CANARY, name);
    EXPECT_EQ(outcome.exit_code, 9) << name << ": " << outcome.output;
    EXPECT_THAT(outcome.output,
                testing::HasSubstr(tool() == "drd" ? "Conflicting" : "Possible data race"))
        << name;
  }
};

TEST_P(Valgrind, IsSilentWhereAccessesAreOrdered) {
  for (const char* name : {"released", "updated", "queue", "sleep_word"}) expect_silence(name);
}

TEST_P(Valgrind, ReportsAWeakenedOrder) {
  for (const char* name : {"relaxed_store", "relaxed_load"}) expect_report(name);
}

TEST_P(Valgrind, ReportsAPlainRace) {
  for (const char* name : {"plain_race", "past_the_atomic"}) expect_report(name);
}

TEST_P(Valgrind, ForgetsWhatAStoreTakesAway) {
  if (tool() == "drd") GTEST_SKIP() << "DRD cannot forget";
  expect_report("overwritten");
}

TEST_P(Valgrind, IsSilentAboutTheScenariosOfCore) {
  const Outcome outcome = run_under(tool(), ANNOTATED_SCENARIOS);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(, Valgrind, testing::Values("helgrind", "drd"),
                         [](const auto& tool) { return std::string(tool.param); });

}  // namespace
