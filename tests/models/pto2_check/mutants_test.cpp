// How a mutant's run is judged, on a catalogue whose programs are shell scripts.
#include "models/pto2_check/mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class MutantsTest : public testing::Test {
 protected:
  MutantsTest() {
    std::string name = fs::temp_directory_path() / "mutants_test.XXXXXX";
    programs_ = mkdtemp(name.data());
    fs::create_directory(folder());
  }
  ~MutantsTest() override { fs::remove_all(programs_); }

  [[nodiscard]] fs::path folder() const { return programs_ / "mutants"; }

  /// An executable script.
  static void script(const fs::path& path, const std::string& body) {
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }
  void catalogue(const std::string& lines) { std::ofstream(folder() / "catalogue") << lines; }

  /// Runs a mutant of the program `witness`; the scripts are what the program does without and
  /// with the bug.
  MutantResult run(const std::string& without_bug, const std::string& with_bug) {
    script(programs_ / "witness", without_bug);
    script(folder() / "bug", with_bug);
    return Mutants(folder()).run({"bug", "unit", "witness --some argument"}, {});
  }

  fs::path programs_;
};

TEST_F(MutantsTest, AreReadFromTheCatalogue) {
  catalogue(
      "lost-ring quick seeded graphs_test --gtest_filter=*seeded*\n"
      "lost-task long checker runtime/chain/word\n");
  script(folder() / "lost-ring", "");
  script(folder() / "lost-task", "");
  const Mutants mutants(folder());
  EXPECT_EQ(mutants.matching("", false).size(), 2U);
  EXPECT_EQ(mutants.matching("task", false).at(0).witness, "runtime/chain/word");
  const auto quick = mutants.matching("lost", true);
  ASSERT_EQ(quick.size(), 1U);
  EXPECT_EQ(quick[0].name, "lost-ring");
  EXPECT_EQ(quick[0].kind, "seeded");
  EXPECT_EQ(quick[0].witness, "graphs_test --gtest_filter=*seeded*");
}

TEST_F(MutantsTest, MustHaveBeenBuilt) {
  EXPECT_THROW(static_cast<void>(Mutants(folder()).matching("", false)), std::runtime_error);
  catalogue("lost-ring quick seeded graphs_test\n");
  try {
    static_cast<void>(Mutants(folder()).matching("", false));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lost-ring is not built; build the target mutants"));
  }
}

TEST_F(MutantsTest, AreKilledByAFailure) {
  const MutantResult result = run("exit 0", "echo 'run 3: 7 tasks'; echo more; exit 1");
  EXPECT_EQ(result.outcome, Outcome::killed);
  EXPECT_EQ(result.effect, "run 3: 7 tasks");
}

TEST_F(MutantsTest, AreKilledByACrash) {
  const MutantResult result = run("exit 0", "kill -SEGV $$");
  EXPECT_EQ(result.outcome, Outcome::killed);
  EXPECT_EQ(result.effect, "ended by Segmentation fault");
}

TEST_F(MutantsTest, SurviveAWitnessThatPasses) {
  const MutantResult result = run("exit 0", "echo fine");
  EXPECT_EQ(result.outcome, Outcome::survived);
  EXPECT_EQ(result.effect, "the witness passes");
}

TEST_F(MutantsTest, SurviveAWitnessThatFailsAnyway) {
  const MutantResult result = run("echo broken; exit 1", "echo broken; exit 1");
  EXPECT_EQ(result.outcome, Outcome::survived);
  EXPECT_EQ(result.effect, "the witness fails without the bug, too: broken");
}

TEST_F(MutantsTest, SurviveAWitnessThatHangs) {
  script(programs_ / "witness", "exit 0");
  script(folder() / "bug", "echo 'run 3: wrong'; sleep 600");
  const MutantResult result = Mutants(folder(), 0.2).run({"bug", "unit", "witness"}, {});
  EXPECT_EQ(result.outcome, Outcome::survived);
  EXPECT_EQ(result.effect, "no result within 0.2 s");
}

TEST_F(MutantsTest, SurviveAWitnessThatIsNotThere) {
  EXPECT_THROW(Mutants(folder()).run({"bug", "unit", "witness"}, {}), std::runtime_error);
}

TEST_F(MutantsTest, AWitnessGetsItsArgumentsAndRunsOnceWithoutTheBug) {
  const std::string log = (programs_ / "log").string();
  script(programs_ / "witness", "echo \"without $*\" >> " + log);
  script(folder() / "bug", "echo \"with $*\" >> " + log + "; exit 1");
  Mutants mutants(folder());
  const Mutant mutant{"bug", "unit", "witness --some argument"};
  EXPECT_EQ(mutants.run(mutant, {}).effect, "exit code 1");
  EXPECT_EQ(mutants.run(mutant, {}).effect, "exit code 1");
  std::ifstream file(log);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, "without --some argument\nwith --some argument\nwith --some argument\n");
}

TEST_F(MutantsTest, AScenarioIsJudgedByItsReport) {
  const auto explore = [&](const std::string& harness) {
    script(folder() / "bug", "echo '{\"harnesses\": [" + harness + "]}'");
    return Mutants(folder()).run({"bug", "checker", "piece/scenario"}, {});
  };
  const MutantResult found =
      explore(R"({"wall_s": 1.5, "replay": "token", "report": {"violation": )"
              R"({"kind": "data race", "message": "on a cell"}}})");
  EXPECT_EQ(found.outcome, Outcome::killed);
  EXPECT_EQ(found.effect, "data race: on a cell");
  EXPECT_EQ(found.token, "token");
  EXPECT_EQ(found.seconds, 1.5);
  EXPECT_EQ(explore(R"({"wall_s": 1})").effect, "the scenario holds");
  EXPECT_EQ(explore(R"({"wall_s": 1, "reason": "time"})").outcome, Outcome::survived);
  script(folder() / "bug", "exit 1");
  const MutantResult silent = Mutants(folder()).run({"bug", "checker", "piece/scenario"}, {});
  EXPECT_EQ(silent.outcome, Outcome::survived);
  EXPECT_EQ(silent.effect, "the program ended without a result");
}

TEST(Complaint, IsTheFirstFailureOfATest) {
  EXPECT_EQ(complaint("Running main() from gmock_main.cc\n"
                      "Note: Google Test filter = *\n"
                      "[ RUN      ] A.B\n"
                      "../../tests/a_test.cpp:12: Failure\n"
                      "Expected equality of these values:\n"
                      "  first\n"
                      "    Which is: 1\n"
                      "../../tests/a_test.cpp:13: Failure\n"
                      "and so on\n"
                      "[  FAILED  ] A.B (0 ms)\n"),
            "a_test.cpp:12: Expected equality of these values: first Which is: 1");
}

TEST(Complaint, IsTheFirstLineOfAProgram) {
  EXPECT_EQ(complaint("\n  run 3: wrong\nrepeat: soak\n"), "run 3: wrong");
  EXPECT_EQ(complaint("=====\n==7==ERROR: bad\n"), "==7==ERROR: bad");
  EXPECT_EQ(complaint(""), "");
}

TEST(Complaint, IsCutWhenItIsLong) {
  const std::string cut = complaint(std::string(1000, 'x'));
  EXPECT_EQ(cut.size(), 162U);
  EXPECT_THAT(cut, testing::EndsWith("x.."));
}

}  // namespace
}  // namespace pto2::scenarios
