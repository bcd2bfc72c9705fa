/// A signal to one OS thread of this process, with a value.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace pto2 {

/// A thread that has ended gets none, and nobody else does.
inline void send_to_thread(pid_t thread, int signal, sigval value) {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = value;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, &info);
}

}  // namespace pto2
