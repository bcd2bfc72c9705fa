// The jobs of docs/guides/ci.md, in an empty folder, with what is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

class Guide : public testing::Test {
 protected:
  /// Installs both components, and writes the files of the guide: blocks that open with a language
  /// and a name.
  void SetUp() override {
    for (const char* component : {"checker", "runtime"}) {
      const Outcome outcome = run_program(
          CMAKE_PROGRAM, {"--install", PTO2_BUILD, "--prefix", prefix(), "--component", component});
      ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    }
    std::istringstream guide(read_text(std::string(PTO2_SOURCE) + "/docs/guides/ci.md"));
    std::ofstream file;
    for (std::string line; std::getline(guide, line);) {
      if (line.starts_with("```")) {
        file.close();
        const std::size_t name = line.find(' ');
        if (name != std::string::npos) {
          file.open(folder_.path(line.substr(name + 1)));
          ++files_;
        }
      } else if (file.is_open()) {
        file << line << '\n';
      }
    }
    ASSERT_EQ(files_, 6);
  }
  /// With a space, as people have it.
  std::string prefix() const { return folder_.path("the prefix"); }
  Outcome run_job() {
    return run_program(
        "/bin/sh", {"-c", "cd '" + folder_.path(".") + "' && PTO2='" + prefix() + "' sh job.sh"});
  }
  void replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = read_text(folder_.path(name));
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos);
    text.replace(place, from.size(), to);
    std::ofstream(folder_.path(name)) << text;
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(Guide, JobPassesAndFindsARaceThatIsPlanted) {
  const Outcome passed = run_job();
  EXPECT_EQ(passed.code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("pass"));
  replace("slot.hpp", "memory_order_release", "memory_order_relaxed");
  const Outcome failed = run_job();
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.out, HasSubstr("data race"));
}

TEST_F(Guide, JobFindsAKernelThatCrashes) {
  replace("add_one.cpp", "data[i] += 1", "data[i << 28] += 1");
  const Outcome failed = run_job();
  EXPECT_EQ(failed.code, 5) << failed.out;
  EXPECT_THAT(failed.err, HasSubstr("FATAL: kernel 0 (add_one), task 0 of ring 1, on aiv"));
}

TEST_F(Guide, InstalledWorkloadsAreFound) {
  const Outcome outcome = run_program(prefix() + "/bin/pto2", {"run", "vector_example"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* verb : {"check", "simulate", "stress"}) {
    EXPECT_EQ(run_program(prefix() + "/bin/pto2", {verb, "--help"}).code, 0) << verb;
  }
}

}  // namespace
}  // namespace pto2::test
