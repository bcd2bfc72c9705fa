/// Says which runs were under way when the program ended in the middle of them, and which were
/// wrong before: an invariant that is broken aborts it, and a kernel may crash, call exit(), or not
/// return where it cannot be left.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/device/crash_guard.hpp"

namespace pto2 {

/// One at a time in a program; it lives as long as the runs. The signals of a crash are a
/// CrashGuard's: one must live, too.
class CrashReport {
 public:
  /// `repeat` says how to repeat the run of a number. Empty: somebody else tells that.
  explicit CrashReport(std::function<std::string(uint64_t)> repeat) : repeat_(std::move(repeat)) {
    current = this;
    CrashGuard::say_more_by(list);
  }
  ~CrashReport() {
    CrashGuard::say_more_by(nullptr);
    current = nullptr;
  }
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  /// Calls run() as run `number`. From several threads, of which 256 at a time are reported.
  template <class Run>
  void during(uint64_t number, Run&& run) {
    const UnderWay until_it_ends(*this, number);
    run();
  }

  /// Run `number` was. From one thread at a time; the first ten are reported.
  void add_wrong(uint64_t number) {
    const std::size_t before = wrong_count_.load(std::memory_order_relaxed);
    if (before == wrong_.size()) return;
    wrong_[before] = number;
    wrong_count_.store(before + 1, std::memory_order_release);
  }

 private:
  enum class Slot : uint8_t { free, taken, told };

  /// A run, in a slot if there is a free one.
  class UnderWay {
   public:
    UnderWay(CrashReport& report, uint64_t number) {
      for (std::size_t i = 0; i < report.slots_.size() && slot_ == nullptr; ++i) {
        Slot free = Slot::free;
        if (!report.slots_[i].compare_exchange_strong(free, Slot::taken)) continue;
        slot_ = &report.slots_[i];
        report.numbers_[i].store(number);
        slot_->store(Slot::told);
      }
    }
    ~UnderWay() {
      if (slot_ != nullptr) slot_->store(Slot::free);
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    std::atomic<Slot>* slot_ = nullptr;
  };

  /// Uses nothing that may be broken but memory for a line.
  static void list() {
    for (std::size_t i = 0; i < current->slots_.size(); ++i) {
      if (current->slots_[i].load() == Slot::told) current->tell("", current->numbers_[i].load());
    }
    const std::size_t wrong = current->wrong_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < wrong; ++i) {
      current->tell("wrong: a run that ended before\n", current->wrong_[i]);
    }
  }
  void tell(const char* why, uint64_t number) const {
    const std::string command = repeat_(number);
    if (command.empty()) return;
    const std::string lines = why + ("repeat: " + command + "\n");
    (void)!write(STDERR_FILENO, lines.data(), lines.size());
  }

  static inline CrashReport* current = nullptr;
  std::function<std::string(uint64_t)> repeat_;
  std::array<std::atomic<Slot>, 256> slots_{};
  std::array<std::atomic<uint64_t>, 256> numbers_{};  // of the runs in them
  std::array<uint64_t, 10> wrong_{};
  std::atomic<std::size_t> wrong_count_{0};
};

}  // namespace pto2
