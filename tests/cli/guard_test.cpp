/// `pto2 run --guard`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

/// vector_example with a kernel that writes one element past its output.
class Overruns : public testing::Test {
 protected:
  Overruns() {
    fs::copy(images() + "/vector_example/kernels", folder_.path("kernels"),
             fs::copy_options::recursive);
    fs::copy_file(std::string(TEST_IMAGES) + "/overrun_kernel.so",
                  folder_.path("kernels/2_multiply.so"), fs::copy_options::overwrite_existing);
  }
  Outcome run(const Strings& more) {
    Strings arguments{"run",    "vector_example",      "--kernels", folder_.path("kernels"),
                      "--json", folder_.path("result")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pto2(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(Overruns, AreNamed) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome = run({"--executor", executor, "--guard"});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.err, ContainsRegex("FATAL: kernel 2, task 2 of ring 1, on aiv[0-9]+: "
                                           "parameter 2 \\(float32 .*wrote 4 bytes behind"));
    EXPECT_THAT(outcome.err, HasSubstr("compare the indices"));
    const Json result = Json::parse(read_text(folder_.path("result")));
    EXPECT_EQ(result["outcome"], "kernel_overran");
    EXPECT_EQ(result["error"]["code"], "kernel_overran");
    EXPECT_EQ(result["config"]["guard"], "on");
  }
}

TEST_F(Overruns, AreExpected) {
  EXPECT_EQ(run({"--guard=all", "--expect", "kernel_overran"}).code, 0);
  EXPECT_EQ(run({"--guard", "--expect", "pass"}).code, 1);
}

TEST_F(Overruns, AreNotLookedForUnasked) {
  EXPECT_EQ(run({}).code, 0);
  EXPECT_EQ(run({"--guard=off"}).code, 0);
}

TEST(Guards, FindNothingInRightKernels) {
  for (const char* workload : {"vector_example", "paged_attention", "block_incore"}) {
    EXPECT_EQ(pto2({"run", workload, "--guard=all"}).code, 0) << workload;
  }
}

/// The flag takes nothing that stands behind it.
TEST(Guards, AreChosenByOneOfThreeNames) {
  EXPECT_EQ(pto2({"run", "--guard", "vector_example"}).code, 0);
  for (const Strings& arguments : {Strings{"run", "--guard", "all", "vector_example"},
                                   Strings{"run", "vector_example", "--guard", "all"}}) {
    const Outcome apart = pto2(arguments);
    EXPECT_EQ(apart.code, 2);
    EXPECT_EQ(apart.err, "pto2: --guard all: its value goes behind '=': --guard=all\n");
  }
  EXPECT_THAT(pto2({"run", "--help"}).out, HasSubstr("  --guard[=VALUE] "));
  const Outcome wrong = pto2({"run", "vector_example", "--guard=most"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--guard: 'most' is not allowed; it must be off or on or all"));
}

/// What docs/OWN_GRAPH.md says of a heap that is nearly too small.
TEST(Guard, NeedsMoreOfTheHeap) {
  const auto run = [](const char* heap, const char* guard) {
    return pto2({"run", "paged_attention_seq", "--heap", heap, guard});
  };
  EXPECT_EQ(run("32K", "--guard=off").code, 0);
  const Outcome deadlock = run("32K", "--guard=all");
  EXPECT_THAT(deadlock.out, HasSubstr("heap_ring_deadlock"));
  EXPECT_THAT(deadlock.err, HasSubstr("Recommended: 65536 "));
  EXPECT_EQ(run("64K", "--guard=all").code, 0);
}

}  // namespace
}  // namespace pto2::test
