/// What a kernel asks of the runtime while it runs: which core it is on, memory that the cores of
/// its cluster share, and to wait for what another kernel of the run does. docs/CLUSTERS.md.
#pragma once

#include "pto_kernel_api.h"

/// Where a kernel runs.
struct PTOPlace {
  int32_t cluster;  ///< -1: on no core of a cluster
  int32_t type;     ///< PTO2_WORKER_CUBE or PTO2_WORKER_VECTOR
  int32_t index;    ///< of the cores of that type in the cluster, from 0 on
  int32_t vectors;  ///< vector cores of the cluster
};

/// Why a wait has ended.
enum class PTOWaited : int32_t {
  HOLDS = 0,     ///< what was waited for holds
  NOBODY = 1,    ///< no running kernel could make it hold, or it took as long as kernels may
  GIVEN_UP = 2,  ///< the run is given up
};

/// Of a run; null in kernels that no launch runs.
struct PTOCoreCalls {
  void* runtime;
  PTOPlace (*place)(void* runtime);
  PTOWaited (*wait)(void* runtime, bool (*holds)(void*), void* what);
  void (*announce)(void* runtime);
  void* (*share)(void* runtime, int32_t cluster, uint64_t key, uint64_t bytes);
  PTOWaited (*pause)(void* runtime, bool (*holds)(void*), void* what);
};

inline const PTOCoreCalls* pto_core_calls(const int64_t* args) {
  const PTORun* const run = pto_call(args).run;
  return run == nullptr ? nullptr : run->calls;
}

/// The core that the kernel runs on.
inline PTOPlace pto_place(const int64_t* args) {
  const PTOCoreCalls* const calls = pto_core_calls(args);
  return calls == nullptr ? PTOPlace{-1, 0, 0, 0} : calls->place(calls->runtime);
}

/// Waits until holds() returns true: it is called again after each pto_announce(), and the core's
/// OS thread runs others meanwhile. What it reads is written with release, and read with acquire.
template <class Holds>
PTOWaited pto_wait(const int64_t* args, Holds& holds) {
  const PTOCoreCalls* const calls = pto_core_calls(args);
  if (calls == nullptr) return holds() ? PTOWaited::HOLDS : PTOWaited::NOBODY;
  return calls->wait(
      calls->runtime, [](void* self) { return (*static_cast<Holds*>(self))(); }, &holds);
}

/// The same of a kernel that has other work: also until somebody announces anything, which is
/// HOLDS, too. NOBODY where every kernel of the run waits, before those are told so that have none.
template <class Holds>
PTOWaited pto_pause(const int64_t* args, Holds& holds) {
  const PTOCoreCalls* const calls = pto_core_calls(args);
  if (calls == nullptr) return holds() ? PTOWaited::HOLDS : PTOWaited::NOBODY;
  return calls->pause(
      calls->runtime, [](void* self) { return (*static_cast<Holds*>(self))(); }, &holds);
}

/// After a store that may end another kernel's wait.
inline void pto_announce(const int64_t* args) {
  if (const PTOCoreCalls* const calls = pto_core_calls(args)) calls->announce(calls->runtime);
}

/// Memory that the cores of a cluster know by `key`, and by its size: zeroed when the first of them
/// asks, aligned to 64 bytes, there until the run ends. Null: there is none.
inline void* pto_share(const int64_t* args, int32_t cluster, uint64_t key, uint64_t bytes) {
  const PTOCoreCalls* const calls = pto_core_calls(args);
  return calls == nullptr ? nullptr : calls->share(calls->runtime, cluster, key, bytes);
}
