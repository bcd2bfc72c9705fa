#include "runtime/output/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() {
    std::string pattern = (fs::temp_directory_path() / "pto2-output-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    folder_ = pattern;
  }
  ~OutputFiles() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  static void write(const std::string& path, const char* text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(OutputFiles, AppearWhenTheyAreWhole) {
  OutputFile file(path("new"));
  file.write("one, ");
  EXPECT_TRUE(fs::is_empty(folder_));
  file.write("two");
  file.finish();
  EXPECT_EQ(read(path("new")), "one, two");
  EXPECT_EQ(fs::status(path("new")).permissions() & fs::perms::owner_all,
            fs::perms::owner_read | fs::perms::owner_write);
}

/// Whatever the process that was to write it has done before it ended.
TEST_F(OutputFiles, BeginAgainBehindAForkThatHadThem) {
  const std::string text(100'000, 'x');
  for (const bool is_finished : {false, true}) {
    write(path("result"), "earlier");
    OutputFile file(path("result"));
    const pid_t fork_of_this = fork();
    if (fork_of_this == 0) {
      file.write(text);
      if (is_finished) file.finish();
      _exit(0);
    }
    waitpid(fork_of_this, nullptr, 0);
    EXPECT_EQ(read(path("result")), is_finished ? text : "earlier");
    file.begin_again();
    EXPECT_FALSE(fs::exists(path("result")));
    file.write("whole");
    file.finish();
    EXPECT_EQ(read(path("result")), "whole");
  }
}

TEST_F(OutputFiles, OnStdoutGoOn) {
  testing::internal::CaptureStdout();
  OutputFile file("-");
  file.begin_again();
  file.write("text");
  file.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text");
}

/// Also where a file has been removed meanwhile.
TEST_F(OutputFiles, KeepTheRightsOfThoseBeforeThem) {
  constexpr fs::perms owners = fs::perms::owner_read | fs::perms::owner_write;
  write(path("result"), "earlier");
  fs::permissions(path("result"), owners);
  OutputFile file(path("result"));
  file.remove_former();
  file.begin_again();
  file.finish();
  EXPECT_EQ(fs::status(path("result")).permissions(), owners);
}

/// Memory that has names below /dev is as good a place as any.
TEST_F(OutputFiles, InMemoryAreFilesLikeOthers) {
  std::string name = "/dev/shm/pto2-output-XXXXXX";
  const int former = mkstemp(name.data());
  if (former < 0) GTEST_SKIP() << "no memory in /dev";
  EXPECT_EQ(::write(former, "earlier", 7), 7);
  close(former);
  OutputFile file(name);
  file.write("half");
  EXPECT_EQ(read(name), "earlier");
  file.remove_former();
  EXPECT_FALSE(fs::exists(name));
  file.finish();
  EXPECT_EQ(read(name), "half");
  fs::remove(name);
}

/// Who has opened a file goes on with it, by whatever path or link.
TEST_F(OutputFiles, GoOnWithWhatIsOpenAlready) {
  write(path("log"), "before\n");
  const int log = open(path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const std::string named = "/dev/fd/" + std::to_string(log);
  fs::create_symlink(named, path("link"));
  fs::create_symlink("link", path("link to it"));
  for (const std::string& name : {named, path("link"), path("link to it"), "/dev/../" + named}) {
    OutputFile file(name);
    file.remove_former();
    EXPECT_EQ(read(path("log")), "before\n") << name;
    file.write("result\n");
    file.finish();
    EXPECT_EQ(::write(log, "after\n", 6), 6);
    EXPECT_EQ(read(path("log")), "before\nresult\nafter\n") << name;
    EXPECT_EQ(ftruncate(log, 7), 0);
  }
  close(log);
}

/// What `file` leads to is the descriptor `number` as long as this lives.
class Redirected {
 public:
  Redirected(int number, int file) : number_(number), former_(dup(number)) {
    std::fflush(nullptr);
    dup2(file, number_);
    close(file);
  }
  ~Redirected() {
    dup2(former_, number_);
    close(former_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int number_;
  int former_;
};

/// What is said on stdout and stderr stands before and behind, also where that is not appended.
TEST_F(OutputFiles, StandBehindWhatIsSaidInTheSameFile) {
  fs::create_symlink("log", path("link"));
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    for (const std::string& name :
         {path("log"), path("link"), "/dev/fd/" + std::to_string(number)}) {
      {
        const Redirected log(number, creat(path("log").c_str(), 0600));
        EXPECT_EQ(::write(number, "before\n", 7), 7);
        OutputFile file(name);
        file.remove_former();
        file.write("result\n");
        file.finish();
        EXPECT_EQ(::write(number, "after\n", 6), 6);
      }
      EXPECT_EQ(read(path("log")), "before\nresult\nafter\n") << name;
    }
  }
}

/// A stdout that was closed is a null device that cannot be written.
TEST_F(OutputFiles, AreWrittenToDevicesWhateverStdoutIs) {
  const Redirected none(STDOUT_FILENO, open("/dev/null", O_RDONLY | O_CLOEXEC));
  OutputFile file("/dev/null");
  file.write("text");
  EXPECT_NO_THROW(file.finish());
}

/// Each device counts its files by itself.
TEST_F(OutputFiles, OfOneNumberOnTwoDevicesAreNotTheSame) {
  struct stat one = {};
  struct stat other = {};
  if (stat("/proc", &one) != 0 || stat("/sys", &other) != 0 || one.st_ino != other.st_ino) {
    GTEST_SKIP() << "no two such files";
  }
  const Redirected folder(STDOUT_FILENO, open("/proc", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(is_same_file("-", "/proc"));
  EXPECT_FALSE(is_same_file("-", "/sys"));
}

TEST_F(OutputFiles, LeaveWhatThereIsUntilThen) {
  write(path("old"), "earlier, and longer");
  {
    OutputFile abandoned(path("old"));
    abandoned.write("half");
  }
  EXPECT_EQ(read(path("old")), "earlier, and longer");
  OutputFile file(path("old"));
  file.write("whole");
  EXPECT_EQ(read(path("old")), "earlier, and longer");
  file.finish();
  EXPECT_EQ(read(path("old")), "whole");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

/// But the rights and the links of it stay.
TEST_F(OutputFiles, RemoveWhatThereIsIfTheyAreTold) {
  write(path("old"), "earlier");
  fs::permissions(path("old"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("old", path("link"));
  OutputFile file(path("link"));
  file.remove_former();
  EXPECT_FALSE(fs::exists(path("old")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  OutputFile(path("new")).remove_former();
  file.write("whole");
  file.finish();
  EXPECT_EQ(read(path("old")), "whole");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFiles, KeepTheRightsAndTheLinksOfEarlierOnes) {
  write(path("old"), "earlier");
  fs::permissions(path("old"), fs::perms::owner_read | fs::perms::owner_write |
                                   fs::perms::group_write | fs::perms::others_exec);
  const fs::perms rights = fs::status(path("old")).permissions();
  fs::create_symlink("old", path("link"));
  fs::create_symlink("new", path("dangling"));
  for (const char* name : {"link", "dangling"}) {
    OutputFile file(path(name));
    file.write(name);
    file.finish();
    EXPECT_TRUE(fs::is_symlink(path(name)));
  }
  EXPECT_EQ(read(path("old")), "link");
  EXPECT_EQ(fs::status(path("old")).permissions(), rights);
  EXPECT_EQ(read(path("new")), "dangling");
}

TEST_F(OutputFiles, MayHaveTheLongestNames) {
  const std::string longest = path(std::string(NAME_MAX, 'x').c_str());
  for (const char* text : {"first", "second"}) {
    OutputFile file(longest);
    file.write(text);
    file.finish();
    EXPECT_EQ(read(longest), text);
  }
}

/// Such as a program of the same number in another container.
TEST_F(OutputFiles, LeaveAloneWhatOthersHaveBegun) {
  const std::string interim = path((".pto2-" + std::to_string(getpid()) + "-0").c_str());
  write(interim, "of others");
  write(path("old"), "earlier");
  OutputFile file(path("old"));
  file.write("whole");
  file.finish();
  EXPECT_EQ(read(path("old")), "whole");
  EXPECT_EQ(read(interim), "of others");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(OutputFiles, WithoutATextAreEmpty) {
  write(path("old"), "earlier");
  OutputFile(path("old")).finish();
  EXPECT_EQ(read(path("old")), "");
}

/// A mount of its own is one for the calling process alone.
bool mount_itself(const std::string& file) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount(file.c_str(), file.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

constexpr int cannot_mount = 77;

/// How another process ends that writes to the file, which is a mount there: 0, if all is
/// as before until the result is whole.
int end_of_writer(const std::string& file, bool removes, const std::string& result,
                  const std::function<bool()>& is_as_before) {
  const pid_t writer = fork();
  if (writer == 0) {
    if (!mount_itself(file)) _exit(cannot_mount);
    try {
      OutputFile output(file);
      if (removes) output.remove_former();
      output.write(result);
      const bool is_right = is_as_before();
      output.finish();
      _exit(is_right ? 0 : 1);
    } catch (const CliError&) {
      _exit(2);
    }
  }
  int status = 0;
  waitpid(writer, &status, 0);
  return WEXITSTATUS(status);
}

/// Neither unlink() nor rename() has its way with them, nor with those of others in /tmp.
TEST_F(OutputFiles, AreWrittenOverWhatCannotBeReplaced) {
  const std::string old = path("old");
  for (const std::string& result : {std::string("new"), std::string(3'000'000, 'x')}) {
    for (const bool removes : {false, true}) {
      write(old, "earlier");
      const auto is_as_before = [&] { return read(old) == (removes ? "" : "earlier"); };
      const int end = end_of_writer(old, removes, result, is_as_before);
      if (end == cannot_mount) GTEST_SKIP() << "no mounts";
      EXPECT_EQ(end, 0) << removes;
      EXPECT_TRUE(read(old) == result) << removes;
      EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
    }
  }
}

/// A folder has come in between.
TEST_F(OutputFiles, LeaveNothingWhereTheirPlaceIsTaken) {
  OutputFile file(path("late"));
  file.write("text");
  fs::create_directory(path("late"));
  EXPECT_THROW(file.finish(), CliError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_TRUE(fs::is_empty(path("late")));
}

TEST_F(OutputFiles, AreRefusedWhereTheyCannotBe) {
  EXPECT_THROW(OutputFile(path("none/file")), CliError);
  EXPECT_THROW(OutputFile(folder_.string()), CliError);
  OutputFile full("/dev/full");
  full.write("text");
  EXPECT_THROW(full.finish(), CliError);
}

/// A pipe gets the texts as they come, and is a pipe afterwards.
TEST_F(OutputFiles, MayBePipes) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::fstream reader(path("pipe"));
  OutputFile file(path("pipe"));
  file.write("a line\n");
  file.finish();
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "a line");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

}  // namespace
}  // namespace pto2::cli
