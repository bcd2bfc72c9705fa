// What the trace says of pipes: each use by a task, and what a group leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/record/trace_writer.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::IsEmpty;

/// Parameters: how many entries to push, pop and free, and a pipe.
void use_kernel(int64_t* args) {
  for (int64_t i = 0; i < args[0]; ++i) (void)TPUSH(args, 3);
  for (int64_t i = 0; i < args[1]; ++i) (void)TPOP(args, 3);
  for (int64_t i = 0; i < args[2]; ++i) (void)TFREE(args, 3);
}

void use(PTO2Runtime* rt, int32_t cluster, const std::vector<PTOParam>& pipes, uint64_t pushes,
         uint64_t pops, uint64_t frees) {
  std::vector<PTOParam> params{make_scalar_param(pushes), make_scalar_param(pops),
                               make_scalar_param(frees)};
  params.insert(params.end(), pipes.begin(), pipes.end());
  pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, params.data(),
                                static_cast<int32_t>(params.size()), cluster);
}

/// The lines of a seeded run's trace.
std::vector<Json> trace_of(const std::function<void(PTO2Runtime*)>& entry, uint64_t seed,
                           std::size_t events = 4096) {
  static constexpr KernelEntry kernels[] = {use_kernel};
  DeviceConfig config = tiny_device();
  config.events = events;
  const Launch what{kernels, entry, {}};
  const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
  std::string text;
  write_trace(result.record, [&](std::string_view part) { text += part; });
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// Those of an event, without when and by whom.
std::vector<std::string> texts_of(const std::vector<Json>& lines, const std::string& event) {
  std::vector<std::string> found;
  for (Json line : lines) {
    if (line.value("event", "") != event) continue;
    for (const char* field : {"t", "thread", "event"}) line.erase(field);
    found.push_back(line.dump());
  }
  return found;
}

TEST(PipeEvents, TellWhatEachTaskDid) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Json> lines = trace_of(
        [](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          use(rt, cluster, {make_pipe_out_param(-7, 4, 64)}, 3, 1, 0);
          use(rt, cluster, {make_pipe_in_param(-7)}, 0, 2, 2);
          use(rt, cluster, {make_pipe_in_param(-7), make_pipe_out_param(2)}, 0, 0, 1);
        },
        seed);
    EXPECT_THAT(texts_of(lines, "pipe"),
                ElementsAre(R"({"ring":0,"task":0,"group":0,"tag":-7,"capacity":4,)"
                            R"("pushed":3,"popped":1,"freed":0,"before":[0,0],"after":[2,1]})",
                            R"({"ring":0,"task":1,"group":0,"tag":-7,"capacity":4,)"
                            R"("pushed":0,"popped":2,"freed":2,"before":[2,1],"after":[0,1]})",
                            R"({"ring":0,"task":2,"group":0,"tag":-7,"capacity":4,)"
                            R"("pushed":0,"popped":0,"freed":1,"before":[0,1],"after":[0,0]})",
                            R"({"ring":0,"task":2,"group":0,"tag":2,"capacity":8,)"
                            R"("pushed":0,"popped":0,"freed":0,"before":[0,0],"after":[0,0]})"));
    EXPECT_THAT(texts_of(lines, "leftover"), IsEmpty());
    const std::vector<std::string> submissions = texts_of(lines, "submit");
    ASSERT_EQ(submissions.size(), 3U);
    EXPECT_THAT(submissions[2], testing::HasSubstr(R"({"dir":"pipe_in","tag":-7},)"
                                                   R"({"dir":"pipe_out","tag":2})"));
    EXPECT_THAT(submissions[0], testing::HasSubstr(R"("pipes":[[-7,4]])"));
    EXPECT_THAT(submissions[1], testing::Not(testing::HasSubstr("pipes")));
    EXPECT_THAT(submissions[2], testing::HasSubstr(R"("pipes":[[2,8]])"));
  }
}

TEST(PipeEvents, AreOnePerPipe) {
  const std::vector<Json> lines = trace_of(
      [](PTO2Runtime* rt) {
        const int32_t cluster = pto2_rt_allocate_cluster(rt);
        use(rt, cluster, {make_pipe_out_param(1), make_pipe_in_param(1)}, 2, 2, 2);
      },
      1);
  EXPECT_EQ(texts_of(lines, "pipe").size(), 1U);
}

TEST(PipeEvents, OfAPartAreThatOfATask) {
  const std::vector<Json> lines = trace_of(
      [](PTO2Runtime* rt) {
        const int32_t cluster = pto2_rt_allocate_cluster(rt);
        use(rt, cluster, {make_pipe_out_param(1, 4, 8)}, 3, 0, 0);
        const PTOParam params[] = {make_scalar_param(1), make_scalar_param(4), make_scalar_param(4),
                                   make_pipe_in_param(1)};
        pto2_rt_submit_block_task_clustered(rt, 0, PTO2_WORKER_VECTOR, params, 4, 1, &cluster);
      },
      1);
  EXPECT_THAT(
      texts_of(lines, "pipe").back(),
      testing::HasSubstr(R"("task":1,"group":0,"tag":1,"capacity":4,)"
                         R"("pushed":1,"popped":4,"freed":4,"before":[3,0],"after":[0,0])"));
}

/// The groups share a cluster. The last one's pipe is empty.
TEST(PipeEvents, TellWhatIsLeft) {
  const std::vector<Json> lines = trace_of(
      [](PTO2Runtime* rt) {
        for (uint64_t group = 0; group < 3; ++group) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          use(rt, cluster, {make_pipe_out_param(5)}, 2 - group, 1 - group / 2, 0);
          pto2_rt_free_cluster(rt, cluster);
        }
      },
      3);
  EXPECT_THAT(texts_of(lines, "leftover"), ElementsAre(R"({"group":0,"tag":5,"left":[1,1]})",
                                                       R"({"group":1,"tag":5,"left":[0,1]})"));
  // Each has made its own.
  EXPECT_THAT(texts_of(lines, "submit"), testing::Each(testing::HasSubstr(R"("pipes":[[5,8]])")));
}

/// Of the task that broke the bound, too; not of those that never ran.
TEST(PipeEvents, TellOfAFault) {
  const std::vector<Json> lines = trace_of(
      [](PTO2Runtime* rt) {
        const int32_t cluster = pto2_rt_allocate_cluster(rt);
        use(rt, cluster, {make_pipe_out_param(5, 2, 8)}, 3, 0, 0);
        use(rt, cluster, {make_pipe_in_param(5)}, 0, 1, 1);
      },
      1);
  EXPECT_EQ(lines.front()["error"], "pipe_overflow");
  EXPECT_THAT(texts_of(lines, "pipe"),
              ElementsAre(R"({"ring":0,"task":0,"group":0,"tag":5,"capacity":2,)"
                          R"("pushed":2,"popped":0,"freed":0,"before":[0,0],"after":[2,0]})"));
}

/// Those that find their buffer full are counted, and the others keep what they tell.
TEST(PipeEvents, FillTheirBufferAsOthersDo) {
  const std::vector<Json> lines = trace_of(
      [](PTO2Runtime* rt) {
        const int32_t cluster = pto2_rt_allocate_cluster(rt);
        for (uint64_t i = 0; i < 20; ++i) {
          PTO2_SCOPE(rt) {
            use(rt, cluster, {make_pipe_out_param(5)}, 1, 1, 1);
          }
        }
      },
      1, 20);
  EXPECT_NE(lines.back()["dropped"], 0U);
  for (const Json& line : lines) {
    if (line.value("event", "") == "pipe") {
      EXPECT_EQ(line["pushed"], 1U);
    }
  }
}

}  // namespace
}  // namespace pto2::test
