// The script dev, with stand-ins for the tools that it calls.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// What cmake leaves.
constexpr const char* setting_up =
    R"([ "$1" != --fresh ] || { mkdir -p "$3/build/$5" && : >"$3/build/$5/build.ninja"; })";

class Dev : public testing::Test {
 protected:
  Dev() {
    fs::copy_file(fs::path(PTO2_SOURCE) / "dev", folder_.path("dev"));
    fs::copy_file(fs::path(PTO2_SOURCE) / "CMakePresets.json", folder_.path("CMakePresets.json"));
    for (const char* part : {"tests", "bench", "models", "runtime"}) {
      fs::create_directory_symlink(fs::path(PTO2_SOURCE) / part, folder_.path(part));
    }
    for (const char* tool :
         {"apt-get", "sudo", "dpkg-query", "ninja", "ctest", "ccache", "clang-format", "gcovr"}) {
      add_program("tools/" + std::string(tool));
    }
    add_script("tools/cmake", setting_up);
  }

  /// Writes its name and its arguments to the record of calls, and says `text`.
  void add_program(const std::string& name, const std::string& text = "") {
    add_script(name, "printf '" + text + "'");
  }

  /// Does the same, and then what the shell is told.
  void add_script(const std::string& name, const std::string& script) {
    const fs::path path = folder_.path(name);
    fs::create_directories(path.parent_path());
    folder_.file(name, "#!/bin/sh\necho \"" + path.filename().string() + " $*\" >>'" + calls_ +
                           "'\n" + script + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }

  void add_file(const std::string& name, const std::string& text = "") {
    fs::create_directories(fs::path(path(name)).parent_path());
    folder_.file(name, text);
  }

  /// What /usr/bin/env is told to run the script.
  [[nodiscard]] Strings line(const Strings& arguments, const Strings& variables = {}) const {
    Strings all{"PATH=" + folder_.path("tools") + ":/usr/bin:/bin"};
    all.insert(all.end(), variables.begin(), variables.end());
    all.push_back(folder_.path("dev"));
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  Outcome dev(const Strings& arguments, const Strings& variables = {}) {
    return run_program("/usr/bin/env", line(arguments, variables));
  }

  /// Nothing has been called, and nothing has been built.
  void expect_refused(const Strings& arguments, const std::string& why) {
    const Outcome outcome = dev(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("dev: " + why));
    EXPECT_THAT(outcome.err, HasSubstr("; ./dev help"));
    EXPECT_EQ(calls(), "") << why;
    EXPECT_FALSE(fs::exists(folder_.path("build")));
  }

  int code_of(const Strings& arguments) { return dev(arguments, {"PTO2_DEPS=skip"}).code; }

  /// Whether a build of the preset dev sets the tree up. Its end is as that of cmake.
  bool sets_up(int code = 0) {
    fs::remove(calls_);
    const Outcome outcome = dev({"build"}, {"PTO2_DEPS=skip"});
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return calls().find("cmake --fresh") != std::string::npos;
  }

  /// What is called in a tree where pto2 and benchmarks have been built.
  std::string calls_of(const Strings& arguments) {
    for (const char* program : {"pto2", "runtime_bench", "kernels_bench", "peers_bench"}) {
      add_program("build/release/bin/" + std::string(program));
    }
    fs::remove(calls_);
    const Outcome outcome = dev(arguments, {"PTO2_DEPS=skip"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return calls();
  }

  [[nodiscard]] std::string calls() const { return read_text(calls_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  TemporaryFolder folder_;
  std::string calls_ = folder_.path("calls");
};

TEST_F(Dev, LooksAtTheArgumentsFirst) {
  expect_refused({"nosuch"}, "unknown verb: nosuch");
  expect_refused({"deps", "nosuch"}, "deps: no preset nosuch; there are: lint kernels peers asan-");
  expect_refused({"build", "nosuch"}, "build: no preset nosuch; there are: asan-ubsan clang");
  expect_refused({"build", "dev", "release"}, "build: too many arguments: release");
  expect_refused({"test", "nosuch"}, "test: no label nosuch; there are: unit e2e");
  expect_refused({"test", "unit", "nosuch"}, "test: no preset nosuch");
  expect_refused({"test", "", "dev", "x", "y"}, "test: too many arguments: x y");
  expect_refused({"test", "unit", "dev", "x", "--long"}, "test: too many arguments: x");
  expect_refused({"test", "--lng"}, "test: no label --lng");
  expect_refused({"check", "5"}, "check: too many arguments: 5");
  expect_refused({"stress", "--seconds", "5"}, "stress: too many arguments: --seconds 5");
  expect_refused({"mutants", "nosuch"}, "mutants: no planted bug has a name that contains nosuch");
  expect_refused({"lint", "--fx"}, "lint: no option --fx; there are: --fix --format");
  expect_refused({"coverage", "nosuch"}, "coverage: no label or option nosuch");
  expect_refused({"pto2", "nosuch"}, "pto2: no command nosuch; there are: run run-folder validate");
}

TEST_F(Dev, LooksAtTheArgumentsOfFuzzAndBenchFirst) {
  expect_refused({"fuzz", "nosuch"}, "fuzz: no target nosuch; there are: arguments elf graphs");
  expect_refused({"fuzz", "elf graphs"}, "fuzz: no target elf graphs");
  expect_refused({"fuzz", "elf", "graphs"}, "fuzz: one target at a time");
  expect_refused({"fuzz", "--runs", "some"}, "fuzz: --runs needs a number");
  expect_refused({"fuzz", "elf", "--seconds"}, "fuzz: --seconds needs a number");
  expect_refused({"fuzz", "--second", "5"}, "fuzz: unknown option --second");
  expect_refused(
      {"bench", "nosuch"},
      "bench: no subject nosuch; there are: cache_lines checker instructions kernels peers");
  expect_refused({"bench", "runtime", "--update"}, "bench: --update is for cache_lines, instruc");
  expect_refused({"bench", "--update"},
                 "bench: --update is for cache_lines, instructions or peers");
  expect_refused({"bench", "--json"}, "bench: --json needs a file");
  expect_refused({"bench", "--json", ""}, "bench: --json needs a file");
  expect_refused({"bench", "cache_lines", "--json", "/no/dir/x"},
                 "bench: /no/dir/x cannot be written");
  expect_refused({"bench", "--json", "/"}, "bench: / cannot be written");
}

TEST_F(Dev, HandsOptionsToTheMutants) {
  const auto called_with = [this](const Strings& arguments) {
    add_program("build/dev/mutants/build/bin/pto2-check");
    Strings all{"mutants"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const std::string calls = calls_of(all);
    return calls.substr(calls.find("pto2-check"));
  };
  EXPECT_EQ(called_with({}), "pto2-check check --mutants --jobs 2\n");
  EXPECT_EQ(called_with({"--quick"}), "pto2-check check --mutants --jobs 2 --quick\n");
  EXPECT_EQ(called_with({"watermark", "--jobs", "1"}),
            "pto2-check check --mutants watermark --jobs 1\n");
  EXPECT_EQ(called_with({"watermark", "--jobs=3"}),
            "pto2-check check --mutants watermark --jobs=3\n");
}

TEST_F(Dev, RunsWhatIsLeftToTheNightWhenAsked) {
  add_program("tools/ninja", "tests_unit: phony\ntests_cli: phony\nunit_test: phony\n");
  EXPECT_THAT(calls_of({"test"}), Not(HasSubstr("-C long")));
  EXPECT_THAT(calls_of({"test", "unit"}), Not(HasSubstr("-C long")));
  const std::string unit = calls_of({"test", "unit", "--long"});
  EXPECT_THAT(unit, ContainsRegex("ninja -C [^ ]*/build/dev -j [0-9]+ tests_unit\n"));
  EXPECT_THAT(unit, ContainsRegex("ctest .* -L \\^unit\\$ .* -C long\n"));
  EXPECT_THAT(calls_of({"test", "--long", "unit", "release"}),
              ContainsRegex("ctest [^\n]*/build/release .*-L \\^unit\\$ .* -C long\n"));
  const std::string all = calls_of({"test", "--long"});
  EXPECT_THAT(all, ContainsRegex("ninja -C [^ ]*/build/dev -j [0-9]+ all tests_cli tests_unit\n"));
  EXPECT_THAT(all, ContainsRegex("ctest [^\n]* -C long\n"));
  EXPECT_THAT(all, Not(HasSubstr("-L ")));
}

/// Those of other labels may take hours.
TEST_F(Dev, CountsWhatUnitTestsOfTheNightReach) {
  add_program("tools/ninja", "tests_unit: phony\\ntests_check: phony\\n");
  EXPECT_THAT(calls_of({"coverage"}), HasSubstr("-C long\n"));
  EXPECT_THAT(calls_of({"coverage", "unit"}), HasSubstr("-C long\n"));
  EXPECT_THAT(calls_of({"coverage", "check"}), Not(HasSubstr("-C long")));
}

/// Of those that git lists, one is deleted by now.
TEST_F(Dev, LooksAtTheFormatOfTheSources) {
  add_program("tools/ninja", "tests_tidy: phony\\n");
  add_program("tools/git", "core/a.hpp\\ncore/gone.hpp\\ncore/README.md\\n");
  for (const char* name : {"core/a.hpp", "core/README.md"}) add_file(name);
  EXPECT_THAT(calls_of({"lint", "--format"}),
              EndsWith("\nclang-format --dry-run -Werror core/a.hpp\n"));
  EXPECT_THAT(calls_of({"lint", "--fix"}), HasSubstr("\nclang-format -i core/a.hpp\n"));
  add_script("tools/clang-format", "exit 1");
  EXPECT_NE(code_of({"lint", "--format"}), 0);
}

TEST_F(Dev, FailsWhenATestDoes) {
  add_program("tools/ninja", "tests_check: phony\\ntests_stress: phony\\n");
  add_script("tools/ctest", "exit 8");
  for (const char* verb : {"test", "check", "stress"}) EXPECT_EQ(code_of({verb}), 8) << verb;
}

TEST_F(Dev, FailsWhenABuildDoes) {
  add_script("tools/ninja", "echo an error; exit 1");
  const Outcome outcome = dev({"build"}, {"PTO2_DEPS=skip"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("an error\ndev: failed: ninja -C "));
}

TEST_F(Dev, FailsWhenWhatItHasBuiltDoes) {
  add_program("tools/ninja", "runtime_bench: phony\\n");
  for (const char* program : {"dev/mutants/build/bin/pto2-check", "release/bin/pto2",
                              "release/bin/runtime_bench", "fuzz/bin/elf_fuzz"}) {
    add_script("build/" + std::string(program), "exit 5");
  }
  EXPECT_EQ(code_of({"mutants"}), 5);
  EXPECT_EQ(code_of({"run"}), 5);
  EXPECT_EQ(code_of({"bench"}), 1);
  const Outcome fuzz = dev({"fuzz", "elf"}, {"PTO2_DEPS=skip"});
  EXPECT_EQ(fuzz.code, 1);
  EXPECT_THAT(fuzz.out, ContainsRegex("elf .* FAILED"));
  add_program("build/fuzz/bin/elf_fuzz");
  EXPECT_THAT(calls_of({"fuzz", "elf"}),
              ContainsRegex("elf_fuzz -runs=100000 .*/corpus/elf [^\n]*/tests/fuzz/corpus/elf\n"));
}

/// After the page, which has what they reached.
TEST_F(Dev, FailsWhenTestsThatItCountsDo) {
  add_program("tools/ninja", "tests_unit: phony\\n");
  add_script("tools/ctest", "exit 8");
  const Outcome outcome = dev({"coverage"}, {"PTO2_DEPS=skip"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("not all tests passed"));
  EXPECT_THAT(calls(), ContainsRegex("ctest .* --no-tests=error .*\ngcovr "));
}

/// ninja lists the targets of what it has read before.
TEST_F(Dev, KnowsTestsAndBenchmarksThatAreNew) {
  add_script("tools/ninja", R"(case "$*" in
    *build.ninja) : >"$2/read" ;;
    *all) [ ! -e "$2/read" ] || printf 'tests_unit: phony\nruntime_bench: phony\n' ;;
  esac)");
  EXPECT_THAT(calls_of({"test", "unit"}), HasSubstr(" tests_unit\nctest "));
  EXPECT_THAT(calls_of({"bench"}), HasSubstr("\nruntime_bench \n"));
}

/// They need packages that no other benchmark does.
TEST_F(Dev, MeasuresKernelsAndPeersOnlyWhenTheyAreNamed) {
  add_program("tools/ninja", "kernels_bench: phony\\npeers_bench: phony\\nruntime_bench: phony\\n");
  const std::string all = calls_of({"bench"});
  EXPECT_THAT(all, HasSubstr("\nruntime_bench \n"));
  EXPECT_THAT(all, Not(HasSubstr("peers")));
  EXPECT_THAT(all, Not(HasSubstr("kernels")));
  EXPECT_THAT(calls_of({"bench", "kernels"}), HasSubstr("\nkernels_bench \n"));
  const std::string peers = calls_of({"bench", "peers", "--update"});
  EXPECT_THAT(peers, HasSubstr("\npeers_bench --update\n"));
  EXPECT_THAT(peers, Not(HasSubstr("runtime_bench")));
}

TEST_F(Dev, WritesTheRowsOfABenchmark) {
  add_program("tools/ninja", "runtime_bench: phony\\n");
  const TemporaryFolder results;
  const std::string file = results.path("rows.json");
  EXPECT_THAT(calls_of({"bench", "--json", file}), HasSubstr("\nruntime_bench --rows "));
  EXPECT_EQ(read_text(file), "{\"schema\": \"pto2-bench/1\", \"rows\": [\n\n]}\n");
  calls_of({"bench", "--json", file});  // again: the file is there
}

/// As the nightly job has it: nothing has been logged before. Elsewhere a folder that is not there
/// is a mistake.
TEST_F(Dev, WritesRowsBesideTheLogsOfABareTree) {
  add_program("tools/ninja", "runtime_bench: phony\\n");
  const std::string file = path("build/log/rows.json");
  EXPECT_THAT(calls_of({"bench", "--json", file}), HasSubstr("\nruntime_bench --rows "));
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(dev({"bench", "--json", path("build/other/rows.json")}).code, 2);
}

/// After minutes of measuring the disk may be full.
TEST_F(Dev, KeepsTheRowsThatItCannotWrite) {
  add_program("tools/ninja", "runtime_bench: phony\\n");
  static_cast<void>(calls_of({"bench"}));
  const Outcome outcome = dev({"bench", "--json", "/dev/full"}, {"PTO2_DEPS=skip"});
  EXPECT_EQ(outcome.code, 1);
  static const std::regex told("/dev/full could not be written; the rows, .*, are in (.*)\n");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(outcome.err, match, told)) << outcome.err;
  const fs::path kept = match[1].str();
  EXPECT_TRUE(fs::exists(kept)) << kept;
  fs::remove(kept);
}

/// With google-benchmark's own main(), it would refuse them.
TEST(DevBench, EachProgramTakesRows) {
  for (const auto& file : fs::directory_iterator(fs::path(PTO2_SOURCE) / "bench")) {
    if (!file.path().string().ends_with("_bench.cpp")) continue;
    EXPECT_EQ(read_text(file.path()).find("BENCHMARK_MAIN"), std::string::npos) << file.path();
  }
}

/// The verbs that ./dev help lists.
std::vector<std::string> verbs_of(const std::string& usage) {
  static const std::regex line(R"(\n  ([a-z0-9]+)[ \n])");
  std::vector<std::string> verbs;
  for (std::sregex_iterator match(usage.begin(), usage.end(), line), end; match != end; ++match) {
    verbs.push_back((*match)[1]);
  }
  return verbs;
}

TEST_F(Dev, HelpOfAVerbIsItsOwn) {
  const std::string all = dev({"help"}).out;
  const std::vector<std::string> verbs = verbs_of(all);
  EXPECT_EQ(verbs.size(), 13U) << all;
  for (const std::string& verb : verbs) {
    const Outcome outcome = dev({"help", verb});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (verb != "pto2") {
      EXPECT_EQ(dev({verb, "--help"}).out, outcome.out);
    }
    if (verb == "help") {
      EXPECT_EQ(outcome.out, all);
      continue;
    }
    EXPECT_THAT(outcome.out, StartsWith("./dev " + verb));
    EXPECT_THAT(outcome.out, Not(HasSubstr("help [VERB]")));
    EXPECT_LT(outcome.out.size(), all.size() / 3);
  }
  EXPECT_THAT(dev({"help", "fuzz"}).out, HasSubstr("\ntargets: arguments elf "));
  expect_refused({"help", "nosuch"}, "help: unknown verb: nosuch");
}

TEST_F(Dev, HelpOfPto2BuildsTheProgramThatHasIt) {
  EXPECT_THAT(calls_of({"pto2", "--help"}), HasSubstr(" pto2\npto2 --help\n"));
  EXPECT_THAT(calls_of({"pto2", "run", "--help"}), HasSubstr(" pto2\npto2 run --help\n"));
  EXPECT_THAT(calls_of({"pto2", "stress", "-h"}), HasSubstr(" pto2 pto2-stress\npto2 stress -h\n"));
  EXPECT_THAT(calls_of({"pto2", "check", "--mutants", "--help"}),
              HasSubstr(" pto2 pto2-check\npto2 check --mutants --help\n"));
}

TEST_F(Dev, CommandsOfPto2BuildWhatTheyNeed) {
  EXPECT_THAT(calls_of({"pto2", "list"}), HasSubstr(" pto2 workloads\npto2 list\n"));
  EXPECT_THAT(calls_of({"pto2", "stress"}), HasSubstr(" pto2 pto2-stress workloads\n"));
  EXPECT_THAT(calls_of({"pto2", "check"}), HasSubstr(" pto2 pto2-check\n"));
  EXPECT_THAT(calls_of({"pto2", "check", "--mutants"}), HasSubstr(" pto2 pto2-check mutants\n"));
  EXPECT_THAT(calls_of({"pto2", "replay", "lifetime/x/7"}), HasSubstr(" pto2 pto2-check\n"));
  EXPECT_THAT(calls_of({"pto2", "replay", "simulate/x/7"}),
              HasSubstr(" pto2 pto2-simulate workloads\n"));
  EXPECT_THAT(calls_of({"run", "bgemm"}), HasSubstr(" pto2 workloads\npto2 run bgemm\n"));
}

TEST_F(Dev, BuildsWhatIsNamed) {
  EXPECT_THAT(calls_of({"build", "release"}), HasSubstr("--preset release\n"));
  EXPECT_THAT(calls_of({"build"}), HasSubstr("--preset dev\n"));
}

/// And again after a failure: cmake has removed parts of the tree by then.
TEST_F(Dev, SetsATreeUpOncePerConfiguration) {
  const std::string presets = read_text(path("CMakePresets.json"));
  EXPECT_TRUE(sets_up());
  EXPECT_FALSE(sets_up());
  add_file("CMakePresets.json", presets + "\n");
  add_script("tools/cmake", "exit 1");
  EXPECT_TRUE(sets_up(1));
  add_file("CMakePresets.json", presets);
  add_script("tools/cmake", setting_up);
  EXPECT_TRUE(sets_up());
  add_file("core/part/CMakeLists.txt");
  EXPECT_TRUE(sets_up());
}

/// One that is installed already is not asked for, and as root there is no sudo.
TEST_F(Dev, InstallsWhatIsMissing) {
  const std::string installing =
      "env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ";
  add_program("tools/id", "1000");
  add_script("tools/dpkg-query", R"([ "$3" = ninja-build ] || echo install ok installed)");
  add_file("build/release/configuration");
  EXPECT_EQ(dev({"deps", "fuzz"}).code, 0);
  EXPECT_THAT(calls(), HasSubstr(" clang-19\n"));
  EXPECT_THAT(calls(), EndsWith("\nsudo apt-get update\nsudo " + installing + "ninja-build\n"));
  EXPECT_FALSE(fs::exists(path("build/release/configuration")));
  add_program("tools/id", "0");
  EXPECT_EQ(dev({"deps"}).code, 0);
  EXPECT_THAT(calls(), HasSubstr("\napt-get update\napt-get install --yes"));
  add_script("tools/apt-get", "exit 100");
  EXPECT_EQ(dev({"deps"}).code, 1);
}

TEST_F(Dev, WaitsForAnotherThatBuildsInTheTree) {
  fs::create_directories(path("build"));
  const int lock = open(path("build/.lock-dev").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_THAT(calls_of({"build", "release"}), HasSubstr("--preset release\n"));
  RunningProgram second(line({"build"}, {"PTO2_DEPS=skip"}), "/usr/bin/env");
  EXPECT_TRUE(second.wait_for_text("another ./dev sets up or builds build/dev"));
  EXPECT_THAT(calls(), Not(HasSubstr("--preset dev\n")));
  close(lock);
  EXPECT_EQ(second.end_with(0).code, 0);
  EXPECT_THAT(calls(), HasSubstr("--preset dev\n"));
}

/// Others may build while tests run.
TEST_F(Dev, KeepsTheTreeUntilItIsBuilt) {
  add_script("tools/ninja",
             R"([ ! -e /proc/$$/fd/9 ] && ! flock --nonblock "$2/../.lock-dev" true)");
  add_script("tools/ctest", R"(flock --nonblock "$2/../.lock-dev" true)");
  EXPECT_THAT(calls_of({"test"}), HasSubstr("\nctest "));
}

/// Each stage runs, whatever the others have found.
TEST(MergeGate, FailsWhenAStageDoes) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path(".ci"));
  fs::copy_file(fs::path(PTO2_SOURCE) / ".ci/run", folder.path(".ci/run"));
  for (const std::string failing :
       {"none", "test", "lint --format", "test races tsan", "test memory asan-ubsan"}) {
    folder.file("dev", "#!/bin/sh\necho called with \"$@\"\n[ \"$*\" != '" + failing + "' ]\n");
    fs::permissions(folder.path("dev"), fs::perms::owner_all);
    const Outcome outcome = run_program(folder.path(".ci/run"), {});
    EXPECT_EQ(outcome.code, failing == "none" ? 0 : 1) << failing;
    EXPECT_EQ(outcome.out.find("FAILED") != std::string::npos, failing != "none") << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("called with test memory asan-ubsan\n"));
  }
}

/// The labels that the tests of a folder have.
std::set<std::string> labels_in(const fs::path& folder) {
  static const std::regex labels("LABELS(( [a-z0-9]+)+)");
  static const std::regex word("[a-z0-9]+");
  std::set<std::string> all;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().filename() != "CMakeLists.txt") continue;
    const std::string text = read_text(file.path());
    for (std::sregex_iterator list(text.begin(), text.end(), labels), end; list != end; ++list) {
      const std::string names = (*list)[1];
      for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name) {
        all.insert(name->str());
      }
    }
  }
  return all;
}

/// A label that the script does not know is refused before the preset.
TEST_F(Dev, KnowsTheLabelsOfAllTests) {
  std::set<std::string> labels = labels_in(fs::path(PTO2_SOURCE) / "tests");
  labels.merge(labels_in(fs::path(PTO2_SOURCE) / "stress"));
  EXPECT_THAT(labels, testing::IsSupersetOf(
                          {"unit", "e2e", "cli", "stress", "sanitize", "races", "memory"}));
  for (const std::string& label : labels) {
    expect_refused({"test", label, "nosuch"}, "test: no preset nosuch");
  }
}

}  // namespace
}  // namespace pto2::test
