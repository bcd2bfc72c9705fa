// How a mutant's run is judged, on a catalogue whose programs are shell scripts.
#include "models/pto2_check/mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
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
  }
  ~MutantsTest() override { fs::remove_all(programs_); }

  /// An executable script.
  void script(const std::string& name, const std::string& body) const {
    std::ofstream(programs_ / name) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(programs_ / name, fs::perms::owner_all);
  }
  /// One that does the one without a mutant, and the other with number 7.
  void script(const std::string& name, const std::string& without_bug,
              const std::string& with_bug) const {
    script(name, "if [ -z \"$PTO2_MUTANT\" ]; then\n" + without_bug +
                     "\nelif [ $PTO2_MUTANT = 7 ]; then\n" + with_bug + "\nfi");
  }
  void catalogue(const std::string& lines) const {
    std::ofstream(programs_ / "catalogue") << lines;
  }

  [[nodiscard]] MutantResult run(const std::string& without_bug, const std::string& with_bug,
                                 double max_seconds = mutant_seconds) const {
    script("witness", without_bug, with_bug);
    return Mutants(programs_, max_seconds).run({"bug", 7, "unit", "witness --some argument"}, {});
  }

  fs::path programs_;
};

TEST_F(MutantsTest, AreReadFromTheCatalogue) {
  catalogue(
      "lost-ring 1 quick seeded graphs_test --gtest_filter=*seeded*\n"
      "lost-task 2 long checker runtime/chain/word\n");
  script("graphs_test", "");
  script("pto2-check", "");
  const Mutants mutants(programs_);
  EXPECT_EQ(mutants.matching("", false).size(), 2U);
  EXPECT_EQ(mutants.matching("task", false).at(0).witness, "runtime/chain/word");
  EXPECT_EQ(mutants.matching("task", false).at(0).number, 2U);
  const auto quick = mutants.matching("lost", true);
  ASSERT_EQ(quick.size(), 1U);
  EXPECT_EQ(quick[0].name, "lost-ring");
  EXPECT_EQ(quick[0].number, 1U);
  EXPECT_EQ(quick[0].kind, "seeded");
  EXPECT_EQ(quick[0].witness, "graphs_test --gtest_filter=*seeded*");
}

TEST_F(MutantsTest, MustHaveBeenBuilt) {
  const auto refusal = [&] {
    try {
      static_cast<void>(Mutants(programs_).matching("", false));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(), HasSubstr("catalogue; build the target mutants"));
  catalogue("lost-ring 1 quick seeded graphs_test\n");
  EXPECT_THAT(refusal(), HasSubstr("graphs_test of the mutant lost-ring is not built; build the"));
}

/// It is not for a part of it that all is said to be found.
TEST_F(MutantsTest, AreNoneOfACatalogueThatIsCutShort) {
  script("graphs_test", "");
  for (const char* line :
       {"\n", "lost-ring 1 quick seeded\n", "lost-ring 1 quick seeded \n",
        "lost-ring one quick seeded graphs_test\n", "lost-ring 1 later seeded graphs_test\n",
        "lost-ring 1 quick seeded graphs_test"}) {
    catalogue(std::string("lost-task 2 quick seeded graphs_test\n") + line);
    try {
      static_cast<void>(Mutants(programs_).matching("lost", false));
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("catalogue, line 2: not `NAME NUMBER quick|long KIND W"));
    }
  }
}

TEST_F(MutantsTest, AreKilledByAFailure) {
  const MutantResult result = run("exit 0", "echo 'run 3: 7 tasks'; echo more; exit 1");
  EXPECT_EQ(result.status, MutantStatus::killed);
  EXPECT_EQ(result.effect, "run 3: 7 tasks");
  EXPECT_EQ(result.repeat,
            "PTO2_MUTANT=7 " + (programs_ / "witness").string() + " --some argument");
}

/// Nobody would hear of the end of a process then.
TEST_F(MutantsTest, AreKilledWhereSigchldIsIgnored) {
  script("witness", "exit ${PTO2_MUTANT:+1}");
  std::signal(SIGCHLD, SIG_IGN);
  Mutants(programs_).run_all({{"x", 1, "unit", "witness"}}, 1, {}, [](const MutantResult& result) {
    EXPECT_EQ(result.status, MutantStatus::killed) << result.effect;
  });
  std::signal(SIGCHLD, SIG_DFL);
}

TEST_F(MutantsTest, AreKilledByACrash) {
  const MutantResult result = run("exit 0", "kill -SEGV $$");
  EXPECT_EQ(result.status, MutantStatus::killed);
  EXPECT_EQ(result.effect, "ended by Segmentation fault");
}

/// As the system does when memory ends, or time (ulimit -t), or while the witness is linked anew;
/// and somebody with kill.
constexpr const char* ends_by_system[] = {"kill -KILL $$", "kill -XCPU $$", "kill -TERM $$",
                                          "exit 126", "exit 127"};

TEST_F(MutantsTest, NothingIsKnownFromAWitnessThatTheSystemEnds) {
  for (const char* end : ends_by_system) {
    EXPECT_EQ(run("exit 0", end).status, MutantStatus::inconclusive) << end;
    const MutantResult anyway = run(end, "exit 1");
    EXPECT_EQ(anyway.status, MutantStatus::inconclusive) << end;
    EXPECT_THAT(anyway.effect, HasSubstr("fails without the bug, too")) << end;
  }
}

/// Of pto2 the exit code says that memory ended, or that nothing was seen; of a test it is a
/// failure like any other.
TEST_F(MutantsTest, NothingIsKnownFromAProgramThatSaysSo) {
  const auto run_simulations = [&](const std::string& without_bug, const std::string& with_bug) {
    script("pto2-simulate", without_bug, with_bug);
    return Mutants(programs_).run({"bug", 7, "random", "pto2-simulate simulate X"}, {}).status;
  };
  for (const char* code : {"3", "4"}) {
    const std::string exit = std::string("exit ") + code;
    EXPECT_EQ(run_simulations("exit 0", exit), MutantStatus::inconclusive) << code;
    EXPECT_EQ(run_simulations(exit, "exit 1"), MutantStatus::inconclusive) << code;
    EXPECT_EQ(run("exit 0", exit).status, MutantStatus::killed) << code;
  }
  for (const char* code : {"1", "5", "70"}) {
    EXPECT_EQ(run_simulations("exit 0", std::string("exit ") + code), MutantStatus::killed) << code;
  }
}

TEST_F(MutantsTest, SurviveAWitnessThatPasses) {
  const MutantResult result = run("exit 0", "echo fine");
  EXPECT_EQ(result.status, MutantStatus::survived);
  EXPECT_EQ(result.effect, "the witness passes");
}

TEST_F(MutantsTest, SurviveAWitnessThatFailsAnyway) {
  const MutantResult result = run("echo broken; exit 1", "echo broken; exit 1");
  EXPECT_EQ(result.status, MutantStatus::survived);
  EXPECT_EQ(result.effect, "the witness fails without the bug, too: broken");
}

TEST_F(MutantsTest, SurviveAWitnessThatHangs) {
  const MutantResult result = run("exit 0", "echo 'run 3: wrong'; sleep 600", 1);
  EXPECT_EQ(result.status, MutantStatus::survived);
  EXPECT_THAT(result.effect, HasSubstr("no result within "));
}

TEST_F(MutantsTest, NothingIsKnownFromAWitnessThatIsTooSlowByItself) {
  const MutantResult result = run("exec sleep 600", "exit 1", 0.05);
  EXPECT_EQ(result.status, MutantStatus::inconclusive);
  EXPECT_EQ(result.effect, "the witness fails without the bug, too: no result within 0.2 s");
}

TEST_F(MutantsTest, HaveFourTimesAsLongAsTheWitnessTakes) {
  const MutantResult result = run("sleep 1", "sleep 2; exit 1", 1);
  EXPECT_EQ(result.status, MutantStatus::killed);
}

TEST_F(MutantsTest, AWitnessGetsItsArgumentsAndRunsOnceWithoutTheBug) {
  const std::string log = (programs_ / "log").string();
  script("witness", "echo \"without $*\" >> " + log, "echo \"with $*\" >> " + log + "; exit 1");
  Mutants mutants(programs_);
  const Mutant mutant{"bug", 7, "unit", "witness --some argument"};
  EXPECT_EQ(mutants.run(mutant, {}).effect, "exit code 1");
  EXPECT_EQ(mutants.run(mutant, {}).effect, "exit code 1");
  std::ifstream file(log);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, "without --some argument\nwith --some argument\nwith --some argument\n");
}

TEST_F(MutantsTest, RunSideBySideButForThoseThatNeedTheMachineAlone) {
  const std::string log = (programs_ / "log").string();
  // Those that share the machine wait for each other.
  script("shared", "touch " + log + ".$1; while [ ! -e " + log + ".$2 ]; do sleep 0.01; done; " +
                       "echo $1 >> " + log + "; exit ${PTO2_MUTANT:+1}");
  script("alone", "echo alone >> " + log + "; exit ${PTO2_MUTANT:+1}");
  std::vector<std::string> killed;
  Mutants(programs_, 20)
      .run_all({{"x", 1, "executor", "alone"},
                {"y", 2, "unit", "shared a b"},
                {"z", 3, "unit", "shared b a"}},
               2, {}, [&](const MutantResult& result) {
                 EXPECT_EQ(result.status, MutantStatus::killed) << result.effect;
                 killed.push_back(result.mutant.name);
               });
  ASSERT_EQ(killed.size(), 3U);
  EXPECT_EQ(killed[2], "x");
}

TEST_F(MutantsTest, AnErrorOfOneEndsAll) {
  script("witness", "exit ${PTO2_MUTANT:+1}");
  int calls = 0;
  const auto run_all = [&] {
    Mutants(programs_).run_all({{"x", 1, "unit", "witness"}, {"y", 2, "unit", "witness"}}, 1, {},
                               [&](const MutantResult&) {
                                 ++calls;
                                 throw std::runtime_error("disk full");
                               });
  };
  EXPECT_THROW(run_all(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

/// Those that have the machine for themselves are not begun any more.
TEST_F(MutantsTest, AnErrorOfOneEndsThoseThatRunAlone) {
  script("witness", "exit ${PTO2_MUTANT:+1}");
  int calls = 0;
  const auto run_all = [&] {
    Mutants(programs_).run_all({{"x", 1, "unit", "witness"}, {"y", 2, "executor", "witness"}}, 1,
                               {}, [&](const MutantResult&) {
                                 ++calls;
                                 throw std::runtime_error("disk full");
                               });
  };
  EXPECT_THROW(run_all(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

/// A mutant that somebody has chosen before is none of the witness.
TEST_F(MutantsTest, TheWitnessRunsWithoutAnyMutant) {
  script("witness", "exit ${PTO2_MUTANT:+1}");
  setenv("PTO2_MUTANT", "3", 1);
  Mutants(programs_).run_all({{"x", 1, "unit", "witness"}}, 1, {}, [](const MutantResult& result) {
    EXPECT_EQ(result.status, MutantStatus::killed) << result.effect;
  });
  unsetenv("PTO2_MUTANT");
}

/// What is set for it.
TEST_F(MutantsTest, AWitnessLeavesNoCoreAndFailsAtOnce) {
  rlimit cores{};
  getrlimit(RLIMIT_CORE, &cores);
  cores.rlim_cur = cores.rlim_max;
  setrlimit(RLIMIT_CORE, &cores);
  const std::string log = (programs_ / "log").string();
  script("witness",
         "echo $(ulimit -c) $GTEST_BRIEF $GTEST_COLOR $GTEST_FAIL_FAST "
         "$PTO2_HANG_SECONDS >> " +
             log);
  const auto seen = [&](const char* hang_seconds) {
    for (const char* name : {"GTEST_BRIEF", "GTEST_COLOR", "GTEST_FAIL_FAST"}) unsetenv(name);
    unsetenv("PTO2_HANG_SECONDS");
    if (hang_seconds != nullptr) setenv("PTO2_HANG_SECONDS", hang_seconds, 1);
    fs::remove(log);
    Mutants(programs_).run_all({{"x", 1, "unit", "witness"}}, 1, {}, [](const MutantResult&) {});
    unsetenv("PTO2_HANG_SECONDS");
    std::ifstream file(log);
    std::string line;
    std::getline(file, line);
    return line;
  };
  EXPECT_EQ(seen(nullptr), "0 1 no 1 10");
  EXPECT_EQ(seen("3"), "0 1 no 1 3") << "as who calls it has set it";
}

/// What `pto2 check` prints of the only scenario.
std::string search(const std::string& harness) {
  return "echo '{\"harnesses\": [" + harness + "]}'";
}

constexpr const char* holds = R"({"verdict": "pass", "wall_s": 1})";
constexpr const char* violated =
    R"({"verdict": "fail", "executions": 5, "blocked": 2, "wall_s": 0.125, "replay": "token", )"
    R"("report": {"violation": {"kind": "data race", "message": "on a cell"}}})";

TEST_F(MutantsTest, AScenarioIsJudgedByItsReport) {
  const auto explore = [&](const std::string& with_bug) {
    script("pto2-check", search(holds), with_bug);
    return Mutants(programs_).run({"bug", 7, "checker", "piece/scenario"}, {});
  };
  const MutantResult found = explore(search(violated));
  EXPECT_EQ(found.status, MutantStatus::killed);
  EXPECT_EQ(found.effect, "data race: on a cell");
  EXPECT_EQ(found.repeat,
            "PTO2_MUTANT=7 " + (programs_ / "pto2-check").string() + " replay 'token'");
  EXPECT_EQ(found.seconds, 0.125);
  EXPECT_EQ(explore(search(holds)).effect, "the scenario holds");
  const MutantResult undecided =
      explore(search(R"({"verdict": "inconclusive", "wall_s": 1, "reason": "time"})"));
  EXPECT_EQ(undecided.status, MutantStatus::survived);
  EXPECT_EQ(undecided.effect, "time");
  const MutantResult silent = explore("exit 1");
  EXPECT_EQ(silent.status, MutantStatus::survived);
  EXPECT_EQ(silent.effect, "the program ended without a result");
}

/// pto2 check says of a search that was stopped that it was, and of one that was not begun nothing.
TEST_F(MutantsTest, NothingIsKnownFromASearchThatTheSystemEnds) {
  std::vector<std::string> ends(std::begin(ends_by_system), std::end(ends_by_system));
  ends.push_back("exit 3");
  ends.push_back("echo '{\"interrupted\": true}'; exit 143");
  ends.push_back(search(R"({"verdict": "inconclusive", "executions": 4, "blocked": 0, )"
                        R"("wall_s": 1, "reason": "it was stopped"})") +
                 "; exit 143");
  for (const std::string& end : ends) {
    Mutants mutants(programs_);
    const Mutant mutant{"bug", 7, "checker", "piece/scenario"};
    script("pto2-check", search(holds), end);
    EXPECT_EQ(mutants.run(mutant, {}).status, MutantStatus::inconclusive) << end;
    script("pto2-check", end, search(violated));
    EXPECT_EQ(mutants.run(mutant, {}).status, MutantStatus::inconclusive) << end;
    script("pto2-check", search(holds), search(violated));
    EXPECT_EQ(mutants.run(mutant, {}).status, MutantStatus::killed) << "it is explored again";
  }
}

/// A case that no execution has met is none that could be replayed.
TEST_F(MutantsTest, AScenarioWithoutAnExecutionToReplayIsSearchedAgain) {
  script("pto2-check", search(holds),
         search(R"({"verdict": "fail", "executions": 5, "blocked": 2, "wall_s": 1, )"
                R"("report": {"violation": {"kind": "unreached", "message": "a case"}}})"));
  const MutantResult found = Mutants(programs_).run({"bug", 7, "checker", "piece/scenario"}, {});
  EXPECT_EQ(found.status, MutantStatus::killed);
  EXPECT_EQ(found.repeat, "PTO2_MUTANT=7 " + (programs_ / "pto2-check").string() +
                              " check piece/scenario --deep");
}

/// What a scenario that breaks by itself shows is not the bug, be it the first execution.
TEST_F(MutantsTest, SurviveAScenarioThatDoesNotHoldAnyway) {
  const auto explore = [&](const std::string& without_bug) {
    script("pto2-check", without_bug, search(violated));
    return Mutants(programs_).run({"bug", 7, "checker", "piece/scenario"}, {});
  };
  const MutantResult broken = explore(search(violated));
  EXPECT_EQ(broken.status, MutantStatus::survived);
  EXPECT_EQ(broken.effect, "the witness fails without the bug, too: data race: on a cell");
  script("pto2-check", search(violated),
         search(R"({"verdict": "fail", "executions": 0, "blocked": 0, "wall_s": 0, )"
                R"("replay": "token", "report": {"violation": {"kind": "x", "message": "y"}}})"));
  EXPECT_EQ(Mutants(programs_).run({"bug", 7, "checker", "piece/scenario"}, {}).effect,
            "the witness fails without the bug, too: data race: on a cell");
  EXPECT_EQ(explore(search(R"({"verdict": "fail", "wall_s": 1, "reason": "expected 7"})")).effect,
            "the witness fails without the bug, too: expected 7");
  const MutantResult silent = explore("exit 1");
  EXPECT_EQ(silent.status, MutantStatus::survived);
  EXPECT_EQ(silent.effect,
            "the witness fails without the bug, too: the program ended without a result");
}

TEST_F(MutantsTest, AScenarioMustHoldAsFarWithoutTheBug) {
  const auto explore = [&](const std::string& without_bug, double max_seconds) {
    script("pto2-check", without_bug, search(violated));
    return Mutants(programs_, max_seconds).run({"bug", 7, "checker", "piece/scenario"}, {});
  };
  const auto given_up = [](const char* blocked) {
    return search(std::string(R"({"verdict": "inconclusive", "executions": 4, "blocked": )") +
                  blocked + R"(, "wall_s": 1, "reason": "time"})");
  };
  EXPECT_EQ(explore(given_up("4"), 60).status, MutantStatus::killed);
  const MutantResult further = explore(given_up("3"), 60);
  EXPECT_EQ(further.status, MutantStatus::inconclusive);
  EXPECT_EQ(further.effect,
            "after 7 executions, of which 7 hold without the bug: data race: on a cell");
  EXPECT_EQ(explore("exec sleep 600", 0.2).status, MutantStatus::inconclusive);
}

/// As far as the mutants ask for.
TEST_F(MutantsTest, AScenarioIsExploredWithoutTheBugOnce) {
  const std::string log = (programs_ / "log").string();
  const auto found = [&](const char* name, const char* executions, const char* seconds) {
    script("pto2-check",
           "echo \"$*\" >> " + log + "\n" +
               search(R"({"verdict": "inconclusive", "executions": 8, "blocked": 0,)"
                      R"( "wall_s": 1, "reason": "time"})"),
           search(std::string(R"({"verdict": "fail", "blocked": 0, "executions": )") + executions +
                  R"(, "replay": "token", "report": {"violation": {"kind": "data race", )"
                  R"("message": "on a cell"}}, "wall_s": )" +
                  seconds + "}"));
    return Mutant{name, 7, "checker", "piece/scenario"};
  };
  Mutants mutants(programs_, 60);
  EXPECT_EQ(mutants.run(found("a", "7", "2"), {}).status, MutantStatus::killed);
  EXPECT_EQ(mutants.run(found("b", "0", "2"), {}).status, MutantStatus::killed);
  EXPECT_EQ(mutants.run(found("c", "8", "20"), {}).status, MutantStatus::inconclusive);
  std::ifstream file(log);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string search = "check piece/scenario --deep --json - --max-seconds ";
  EXPECT_EQ(text, search + "10\n" + search + "80\n");
}

TEST_F(MutantsTest, AScenarioThatHoldsIsExploredOnce) {
  const std::string log = (programs_ / "log").string();
  script("pto2-check", "echo once >> " + log + "\n" + search(holds), search(violated));
  Mutants mutants(programs_);
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(mutants.run({name, 7, "checker", "piece/scenario"}, {}).status, MutantStatus::killed);
  }
  std::ifstream file(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "once\n");
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
  EXPECT_EQ(complaint("\n  run 3: wrong\nrepeat: pto2 stress X\n"), "run 3: wrong");
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
