/// What crashes, and what it leaves.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <string>

#include "runtime/device/crash_guard.hpp"

namespace pto2::test {

inline CrashGuard::Who always(const char* name) {
  return [name] { return std::string(name); };
}

/// Where nothing is, as far as a compiler can tell.
inline volatile int* nowhere() {
  static volatile uintptr_t address = 0x18;
  return reinterpret_cast<volatile int*>(address);
}

/// Where the process that crashes leaves its text for this one.
class SharedText {
 public:
  SharedText() {
    void* const memory =
        mmap(nullptr, sizeof(CrashText), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    text_ = new (memory) CrashText;
  }
  ~SharedText() { munmap(text_, sizeof(CrashText)); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  [[nodiscard]] CrashText* get() const { return text_; }
  CrashText* operator->() const { return text_; }

 private:
  CrashText* text_;
};

/// By which a process ends that is forked off and does this; 0: by none.
template <class Child>
int signal_that_ends(Child&& child, pid_t (*fork_off)() = fork) {
  const pid_t forked = fork_off();
  if (forked == 0) {
    alarm(10);
    child();
    _exit(0);
  }
  int status = 0;
  waitpid(forked, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace pto2::test
