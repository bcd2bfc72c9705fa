#include "runtime/output/guarded.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

namespace pto2::cli {
namespace {

using testing::HasSubstr;

const Remedies remedies{.memory = "use a smaller case", .thread = "use fewer --jobs"};

template <class Exception>
int ends_with(const Exception& exception,
              const std::function<std::optional<CliError>(const std::exception&)>& other = {}) {
  return guarded([&]() -> int { throw exception; }, remedies, other);
}

TEST(Guarded, ReturnsWhatTheProgramReturns) {
  EXPECT_EQ(guarded([] { return 4; }, remedies), 4);
}

TEST(Guarded, EachExceptionHasItsCodeAndRemedy) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ends_with(CliError(exit_usage, "no such thing")), exit_usage);
  EXPECT_EQ(ends_with(std::system_error(EAGAIN, std::generic_category())), exit_bad_input);
  EXPECT_EQ(ends_with(std::system_error(EPERM, std::generic_category())), exit_bad_input);
  EXPECT_EQ(ends_with(std::runtime_error("strange")), exit_our_bug);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("pto2: no such thing\n"));
  EXPECT_THAT(said, testing::ContainsRegex("the system refused: .*; use fewer --jobs\n"));
  EXPECT_THAT(said, testing::ContainsRegex("the system refused: .*ulimit -a"));
  EXPECT_THAT(said, HasSubstr("unexpected: strange; this is a bug"));
}

TEST(Guarded, AProgramKnowsExceptionsOfItsOwn) {
  const auto known = [](const std::exception& error) -> std::optional<CliError> {
    if (dynamic_cast<const std::invalid_argument*>(&error) == nullptr) return std::nullopt;
    return CliError(exit_bad_input, error.what());
  };
  EXPECT_EQ(ends_with(std::invalid_argument("bad"), known), exit_bad_input);
  EXPECT_EQ(ends_with(std::logic_error("worse"), known), exit_our_bug);
}

TEST(Guarded, WithoutMemoryItIsTheMachine) {
  EXPECT_EXIT(ends_with(std::bad_alloc()), testing::ExitedWithCode(exit_bad_input),
              "pto2: out of memory; use a smaller case");
}

/// As in a destructor: the exception ends the program on the spot.
TEST(Guarded, WithoutMemoryWhereNoExceptionMayPassItIsTheMachine) {
  const auto destruct = [](const std::exception_ptr& error) noexcept {
    std::rethrow_exception(error);
  };
  const std::exception_ptr memory = std::make_exception_ptr(std::bad_alloc());
  EXPECT_EXIT(guarded([&]() -> int { return destruct(memory), 0; }, remedies),
              testing::ExitedWithCode(exit_bad_input), "pto2: out of memory; use a smaller case");
  const std::exception_ptr strange = std::make_exception_ptr(std::runtime_error("strange"));
  EXPECT_EXIT(guarded([&]() -> int { return destruct(strange), 0; }, remedies),
              testing::KilledBySignal(SIGABRT), "strange");
}

/// Nobody else's code runs.
TEST(Guarded, WithoutMemoryOnAnyThreadItIsTheMachine) {
  const auto lack = [] {
    std::thread([] { throw std::bad_alloc(); }).join();
    return 0;
  };
  EXPECT_EXIT(guarded(lack, remedies), testing::ExitedWithCode(exit_bad_input),
              "pto2: out of memory; use a smaller case");
}

/// Whether reading there and writing there fail as if it were closed.
bool seems_closed(int descriptor) {
  char byte = 0;
  return read(descriptor, &byte, 1) < 0 && errno == EBADF && write(descriptor, &byte, 1) < 0 &&
         errno == EBADF;
}

/// With each set of the three closed.
TEST(GuardedDeathTest, NoFileTakesTheNumberOfAClosedStandardDescriptor) {
  const auto run = [](int closed) {
    for (const int standard : {0, 1, 2}) {
      if ((closed >> standard & 1) != 0) close(standard);
    }
    _exit(guarded(
        [closed] {
          bool right = open("/dev/null", O_RDONLY) > STDERR_FILENO;
          for (const int standard : {0, 1, 2}) {
            if ((closed >> standard & 1) != 0) right = right && seems_closed(standard);
          }
          return right ? 0 : 1;
        },
        remedies));
  };
  for (int closed = 0; closed < 8; ++closed) {
    EXPECT_EXIT(run(closed), testing::ExitedWithCode(0), "") << closed;
  }
}

}  // namespace
}  // namespace pto2::cli
