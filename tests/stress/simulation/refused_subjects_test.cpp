/// A system that refuses OS threads, to subjects that are made: nothing is amiss with what was
/// asked for.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "runtime/output/exit_codes.hpp"
#include "stress/simulation/simulate.hpp"

namespace {
std::atomic<bool> threads_are_refused{false};
}

/// In the place of the system's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using Create = decltype(&pthread_create);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_are_refused ? EAGAIN : next(thread, attributes, body, argument);
}

namespace pto2::simulations {
namespace {

TEST(RefusedSubjects, AThreadThatTheSystemRefusesIsNoBadInput) {
  Options options;
  options.workload = "bgemm";
  options.case_name = "Case1";
  threads_are_refused = true;
  EXPECT_THROW(static_cast<void>(make_subject(options)), std::system_error);
  threads_are_refused = false;
  EXPECT_NO_THROW(static_cast<void>(make_subject(options)));
  options.workload = "no workload";
  EXPECT_THROW(static_cast<void>(make_subject(options)), cli::CliError);
}

}  // namespace
}  // namespace pto2::simulations
