/// TNOTIFY, TWAIT and TTEST: words that one rank writes and another waits for. They are ordinary
/// memory here, and the accesses are atomic.
#pragma once

#include "pto/comm/comm_types.hpp"
#include "pto/transfer.hpp"
#include "pto/waits.hpp"

namespace pto::comm {
namespace detail {

using pto::detail::Site;
using pto::detail::Use;
using pto::detail::View;

inline const char* text_of(WaitCmp cmp) {
  const char* const texts[] = {"==", "!=", ">", ">=", "<", "<="};
  return texts[static_cast<int>(cmp)];
}
inline bool compare(int32_t value, WaitCmp cmp, int32_t with) {
  switch (cmp) {
    case WaitCmp::EQ:
      return value == with;
    case WaitCmp::NE:
      return value != with;
    case WaitCmp::GT:
      return value > with;
    case WaitCmp::GE:
      return value >= with;
    case WaitCmp::LT:
      return value < with;
    case WaitCmp::LE:
      return value <= with;
  }
  return false;
}

/// That signals are there, and whole words.
template <class Signals>
void check_signals(const Use& use, const Signals& signals, const View<Signals>& view) {
  static_assert(std::is_same<typename Signals::RawDType, int32_t>::value,
                "signals are int32_t words");
  if constexpr (!pto::detail::checks_bounds) return;
  pto::detail::check_view(use, "the signal", signals);
  if (view.data == nullptr) pto::detail::fail(use, "the signal has no address: give it one");
  if (reinterpret_cast<uintptr_t>(view.data) % sizeof(int32_t) != 0)
    pto::detail::fail(use, "the signal is not aligned: give it an address that is a multiple of 4");
  pto::detail::check_tensor(
      use, "the signal", view.data,
      view.rows.last_offset(view.rows.size()) + view.cols.last_offset(view.cols.size()));
}

/// The first signal that does not compare so; null: all do.
template <class Signals>
const int32_t* find_other(const View<Signals>& view, WaitCmp cmp, int32_t with) {
  const int64_t rows = view.rows.size(), cols = view.cols.size();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      const int32_t* const signal = view.data + view.rows.offset(i) + view.cols.offset(j);
      if (!compare(__atomic_load_n(signal, __ATOMIC_ACQUIRE), cmp, with)) return signal;
    }
  return nullptr;
}

/// What is wrong with them.
template <class Signals>
std::string text_of(const View<Signals>& view, WaitCmp cmp, int32_t with) {
  const int32_t* const other = find_other(view, cmp, with);
  const int32_t found = other == nullptr ? with : __atomic_load_n(other, __ATOMIC_RELAXED);
  return "a signal is " + std::to_string(found) + " and shall be " + text_of(cmp) + " " +
         std::to_string(with);
}

/// Announces them as read.
template <class Signals>
void note_reads(const Use& use, const View<Signals>& view) {
  pto::detail::Accesses accesses(use);
  accesses.reads_view(view, pto::detail::as_size(view.rows.size()),
                      pto::detail::as_size(view.cols.size()));
}

}  // namespace detail

/// signal = value, or signal += value.
template <class Signals>
void TNOTIFY(const Signals& signal, int32_t value, NotifyOp op,
             detail::Site site = detail::Site::here()) {
  const detail::Use use{"TNOTIFY", PIPE_S, site, true};
  const detail::View<Signals> view(signal);
  detail::check_signals(use, signal, view);
  if (pto::detail::checks_bounds && view.rows.size() * view.cols.size() != 1)
    pto::detail::fail(use, "there are several signals: notify one at a time");
  {
    pto::detail::Accesses accesses(use);
    accesses.writes_view(view, 1, 1);
  }
  if (op == NotifyOp::Set) {
    __atomic_store_n(view.data, value, __ATOMIC_RELEASE);
  } else {
    __atomic_fetch_add(view.data, value, __ATOMIC_ACQ_REL);
  }
  pto::detail::announce();
}

/// Whether all signals compare so. In a loop of tests other kernels come to run.
template <class Signals>
bool TTEST(const Signals& signals, int32_t value, WaitCmp cmp,
           detail::Site site = detail::Site::here()) {
  const detail::Use use{"TTEST", PIPE_S, site, true};
  const detail::View<Signals> view(signals);
  detail::check_signals(use, signals, view);
  detail::note_reads(use, view);
  const auto holds = [&view, value, cmp] {
    return detail::find_other(view, cmp, value) == nullptr;
  };
  if (!holds() &&
      !pto::detail::test_again(use, holds, [&] { return detail::text_of(view, cmp, value); }))
    return false;
  pto::detail::call_tensors.failed_tests = {};
  return true;
}

/// Returns once they do.
template <class Signals>
void TWAIT(const Signals& signals, int32_t value, WaitCmp cmp,
           detail::Site site = detail::Site::here()) {
  const detail::Use use{"TWAIT", PIPE_S, site, true};
  const detail::View<Signals> view(signals);
  detail::check_signals(use, signals, view);
  pto::detail::wait_until(
      use, [&view, value, cmp] { return detail::find_other(view, cmp, value) == nullptr; },
      [&] { return detail::text_of(view, cmp, value); });
  detail::note_reads(use, view);
}

}  // namespace pto::comm
