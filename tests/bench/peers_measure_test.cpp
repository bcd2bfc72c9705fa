#include "bench/peers/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/peers/page.hpp"
#include "bench/peers/surroundings.hpp"
#include "bench/peers/telling.hpp"
#include "bench/peers/update.hpp"

namespace pto2::bench {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Property;
using testing::Throws;
using testing::ThrowsMessage;

const PeerName own{ours, "PTO2", ""};
const PeerName other{"other", "Other", "libother-dev"};

/// Programs of peers, as scripts.
class Peers : public testing::Test {
 protected:
  Peers() { fs::create_directories(folder_); }
  ~Peers() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  /// A program that does first what is `special`, and otherwise runs each task once, in 50 ns, with
  /// kernels of whole nanoseconds.
  void add(const PeerName& peer, const std::string& special = "") const {
    write("peer_" + peer.name, "#!/bin/sh\n" + special + R"(
if [ $1 = --check ]; then echo "{\"runs\": $((2 * $4)), \"correct\": true}"; exit; fi
shift 3
while [ $# != 0 ]; do
  loads="$loads,{\"kernel_ns\": ${2%.*}, \"wall\": [9,0.001,0.001], \"cpu\": [9,1,1]}"
  shift 2
done
echo "{\"loads\": [${loads#,}], \"peak_bytes\": 1000000}"
)");
  }

  /// Both, measured.
  [[nodiscard]] Results measured() const {
    Results results = choose({own, other}, "pto2 other");
    testing::internal::CaptureStderr();
    measure_all(Programs(folder_), 2, results);
    testing::internal::GetCapturedStderr();
    return results;
  }

  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("pto2-peers-" + std::to_string(getpid()));
};

/// In the second round of a load, so that the first is no figure.
TEST_F(Peers, WhoFailsKeepsWhatItHadAndIsLeftOutOfTheRest) {
  add(own);
  add(other, R"(
if [ "$1 $2" = "stencil 1" ] && ! mkdir "$0.once"; then echo "no such stencil" >&2; exit 7; fi)");
  const Results results = measured();
  ASSERT_EQ(results.failures.size(), 1U);
  EXPECT_EQ(results.failures[0].peer.name, "other");
  EXPECT_THAT(results.failures[0].told,
              AllOf(HasSubstr("peer_other stencil 1 2 "), HasSubstr(": exit code 7\n"),
                    HasSubstr("no such stencil")));
  for (const auto& [load, costs] : results.loads) {
    EXPECT_EQ(costs.size(), load.pattern < Pattern::stencil ? 2U : 1U) << name_of(load.pattern);
  }
  EXPECT_EQ(results.granularities.size(), 2U);  // one and two threads, of ours
  EXPECT_EQ(results.memories.size(), 3U);
  EXPECT_EQ(rows_of(results).size(), 12U);  // of two graphs
  EXPECT_THAT(tables_of(results, false), AllOf(HasSubstr("| chain | 50 / 50000 | 50 / 50000 |"),
                                               HasSubstr("| stencil | 50 / 50000 | – |"),
                                               HasSubstr("| 50 %, 1 | 0.0130 | – |")));
}

TEST_F(Peers, WithoutOursThereAreNoRatios) {
  add(own, R"(if [ $1 = --check ]; then echo '{"runs": 39999, "correct": true}'; exit; fi)");
  add(other);
  const Results results = measured();
  ASSERT_EQ(results.failures.size(), 1U);
  EXPECT_THAT(results.failures[0].told, HasSubstr("39999 kernels of 40000 tasks"));
  EXPECT_EQ(results.loads.at(0).costs.at("other").ratio, 0);
  EXPECT_TRUE(rows_of(results).empty());
  EXPECT_THAT(tables_of(results, false), HasSubstr("| chain | – | 50 / 50000 |"));
}

TEST_F(Peers, SayHowTheyEnded) {
  const auto check = [&] { Programs(folder()).check(ours, Pattern::chain, 1); };
  for (const auto& [end, told] : {std::pair("echo why >&2; exit 3", ": exit code 3\nwhy\n"),
                                  {"kill -9 $$", ": exit code 137\n"},
                                  {"exit 124", ": no end within two minutes\n"},
                                  {"echo no JSON; exit 0", "parse error"}}) {
    add(own, end);
    EXPECT_THAT(check, Throws<std::exception>(Property(&std::exception::what, HasSubstr(told))));
  }
  EXPECT_FALSE(fs::exists(folder() / "peer_pto2.errors"));
}

TEST_F(Peers, AreThoseThatAreBuilt) {
  const Results results = choose({own, other}, "pto2 others");
  ASSERT_EQ(results.peers.size(), 1U);
  EXPECT_EQ(results.peers[0].name, ours);
  ASSERT_EQ(results.left_out.size(), 1U);
  EXPECT_EQ(results.left_out[0].name, "other");
}

/// As they would have one thread where two are asked for, or wait in another way.
TEST(PeersSurroundings, HaveNoSettingsOfPeers) {
  const std::vector<std::string> names{"OMP_THREAD_LIMIT", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                       "LIBOMP_A",         "STARPU_NCPU",    "TBB_A",
                                       "HWLOC_XMLFILE",    "ITT_A",          "OMPT_A"};
  for (const std::string& name : names) setenv(name.c_str(), "1", 1);
  setenv("NOT_OMP_AT_ALL", "1", 1);
  std::ostringstream told;
  leave_peers_as_they_come(told);
  for (const std::string& name : names) {
    EXPECT_EQ(getenv(name.c_str()), nullptr) << name;
    EXPECT_THAT(told.str(), HasSubstr("peers: without the setting " + name + "\n"));
  }
  EXPECT_NE(getenv("NOT_OMP_AT_ALL"), nullptr);
  unsetenv("NOT_OMP_AT_ALL");
}

TEST(PeersSurroundings, NeedAsManyCpusAsThreads) {
  expect_cpus(1);
  EXPECT_THAT(
      [] { expect_cpus(CPU_SETSIZE + 1); },
      ThrowsMessage<std::runtime_error>(HasSubstr("1025 CPUs are needed, and this process")));
}

class PeersUpdate : public Peers {
 protected:
  PeersUpdate() {
    write("gnuplot", "#!/bin/sh\nwhile read -r line; do echo \"$line\"; done >>\"$0.script\"\n");
    write("page.md",
          "<!-- generated: ./dev bench peers --update -->\n<!-- end of what is generated -->\n");
    setenv("PATH", folder().c_str(), 1);
  }
  ~PeersUpdate() override { setenv("PATH", path_.c_str(), 1); }

  void expect_refused(const std::string& why, const Results& chosen = {}) const {
    EXPECT_THAT([&] { check_update(folder() / "page.md", chosen); },
                ThrowsMessage<std::runtime_error>(HasSubstr(why)));
  }

 private:
  std::string path_ = getenv("PATH");
};

TEST_F(PeersUpdate, IsPossible) {
  check_update(folder() / "page.md", choose({own, other}, "pto2 other"));
}

TEST_F(PeersUpdate, LosesNoFiguresOfAPeerThatIsNotHere) {
  expect_refused("would lose the figures of Other, which needs libother-dev",
                 choose({own, other}, ours));
}

TEST_F(PeersUpdate, NeedsGnuplot) {
  fs::remove(folder() / "gnuplot");
  expect_refused("install gnuplot-nox");
}

/// Root may write everything, so who asks is somebody else.
[[noreturn]] void check_as_a_user(const fs::path& page) {
  if (getuid() == 0 && setuid(65'534) != 0) std::_Exit(1);
  try {
    check_update(page, {});
  } catch (const std::runtime_error& problem) {
    std::cerr << problem.what() << '\n';
  }
  std::_Exit(0);
}

TEST_F(PeersUpdate, MustBeAllowedToWriteThePageAndTheFolderOfPlots) {
  const fs::path page = folder() / "page.md";
  const fs::path plots = folder() / "performance";
  fs::create_directory(plots);
  for (const auto& [refused, allowed] : {std::pair(page, plots), {plots, page}}) {
    fs::permissions(allowed, fs::perms(0777));
    fs::permissions(refused, fs::perms(0555));
    EXPECT_EXIT(check_as_a_user(page), testing::ExitedWithCode(0),
                "cannot write " + refused.string());
  }
  for (const fs::path& path : {page, plots}) fs::permissions(path, fs::perms(0777));
  for (const char* plot : plot_names) {
    write("performance/" + std::string(plot), "");
    fs::permissions(plots / plot, fs::perms(0444));
    EXPECT_EXIT(check_as_a_user(page), testing::ExitedWithCode(0),
                "cannot write " + (plots / plot).string());
    fs::permissions(plots / plot, fs::perms(0666));
  }
}

TEST_F(PeersUpdate, NeedsAPageAndAFolderOfPlotsToWrite) {
  write("performance", "a file");
  expect_refused("performance");
  write("page.md", "nothing is generated here\n");
  expect_refused("the page has no part between");
  fs::remove(folder() / "page.md");
  expect_refused("the page has no part between");
}

class PeersTelling : public PeersUpdate {
 protected:
  /// The exit code of tell(); what it says is in out() and err().
  int told(const Results& results, const std::string& rows, const fs::path& page) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = -1;
    try {
      code = tell(results, rows, page);
    } catch (const std::runtime_error& problem) {
      std::cerr << problem.what();
    }
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder() / name).rdbuf();
    return text.str();
  }

 private:
  std::string out_;
  std::string err_;
};

/// Two runtimes with one load.
Results found() {
  Results results = choose({own, other}, "pto2 other");
  results.machine = "Measured on paper.";
  const Costs costs{{ours, {2'000, 3'000, 1}}, {"other", {1'000, 1'500, 2}}};
  results.loads.push_back({{Pattern::chain, 10, 2, 0}, costs});
  return results;
}

Results found_with_a_failure() {
  Results results = found();
  results.failures.push_back({other, "no end within two minutes"});
  return results;
}

TEST_F(PeersTelling, WritesThePageAndAppendsRows) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(told(found(), folder() / "rows", i == 0 ? fs::path() : folder() / "page.md"), 0);
    EXPECT_THAT(out(), HasSubstr("| chain | 2000 / 3000 | 1000 / 1500 |"));
    EXPECT_EQ(text("page.md").find("| chain |") != std::string::npos, i == 1);
  }
  const std::string row = rows_of(found()).at(0).dump() + "\n";
  EXPECT_EQ(text("rows"), row + row);
}

/// Half of what is measured; and of each peer its own.
TEST_F(PeersTelling, PlotsTwoThreads) {
  Results results = found();
  results.loads.push_back({{Pattern::chain, 10, 1, 0}, {{ours, {7'001, 0, 1}}}});
  results.loads.push_back({{Pattern::chain, 10, 2, 1'000}, {{ours, {7'002, 0, 1}}}});
  results.granularities.push_back({ours, 1, {{8'000, 0.71}}, {}});
  results.granularities.push_back({ours, 2, {{8'000, 0.81}}, {}});
  results.granularities.push_back({"other", 2, {{9'000, 0.5}}, {}});
  results.memories.push_back({ours, 10, 3 << 20});
  results.memories.push_back({"other", 10, std::nullopt});
  EXPECT_EQ(told(results, "", folder() / "page.md"), 0);
  const std::string script = text("gnuplot.script");
  for (const char* series :
       {"$series0 << END\n\"chain\" 2000\nEND\n", "$series1 << END\n\"chain\" 1000\nEND\n",
        "$series0 << END\n8 81\nEND\n", "$series1 << END\n9 50\nEND\n",
        "$series0 << END\n10 3\nEND\nplot $series0 with"}) {
    EXPECT_THAT(script, HasSubstr(series));
  }
  EXPECT_THAT(script, Not(HasSubstr("700")));
  for (const char* plot : plot_names) {
    EXPECT_THAT(script, HasSubstr("performance/" + std::string(plot)));
  }
}

TEST_F(PeersTelling, KeepsThePageIfOneFailed) {
  const std::string page = text("page.md");
  EXPECT_EQ(told(found_with_a_failure(), folder() / "rows", folder() / "page.md"), 3);
  EXPECT_EQ(err(), "peers: Other: no end within two minutes\n");
  EXPECT_EQ(text("page.md"), page);
  EXPECT_THAT(text("rows"), HasSubstr("chain"));
}

TEST_F(PeersTelling, SaysWhoFailedAlsoIfRowsCannotBeWritten) {
  EXPECT_EQ(told(found_with_a_failure(), folder() / "no folder" / "rows", {}), -1);
  EXPECT_THAT(err(), AllOf(HasSubstr("peers: Other: no end within two minutes\n"),
                           HasSubstr("cannot write ")));
  EXPECT_THAT(out(), HasSubstr("| chain | "));
}

}  // namespace
}  // namespace pto2::bench
