/// Linked with each test that is marked ONE_THREAD where no sanitizer claims pthread_create: ends
/// the program at its second thread. TSan does not run such a test, so what it would have to watch
/// must not be there.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>

#include "stress/hang_guard.hpp"

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using Create = decltype(&pthread_create);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (next == nullptr || !pto2::stress::HangGuard::is_starting) {
    std::fputs(
        "a test that is marked ONE_THREAD starts a thread; drop the mark, for TSan must "
        "watch it (tests/pto2_test.cmake)\n",
        stderr);
    std::abort();
  }
  return next(thread, attributes, body, argument);
}
