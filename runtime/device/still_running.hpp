/// Which kernels, or the orchestration, still run some time after a run was interrupted, and what
/// they are.
#pragma once

#include <csignal>

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/chip/ai_core.hpp"
#include "runtime/executors/kernel_watch.hpp"

namespace pto2 {

/// What a core runs is plain memory of its thread. So whoever has been inside the same kernel at
/// two looks is asked, by a signal, and its handler notes that memory, waiting for nobody. A look
/// later it is told, on stderr, whether an answer has come or not.
class StillRunning {
 public:
  /// What a logical thread counts of its kernels, which it alone may read; null: it runs none.
  using CountsOf = std::function<const CoreCounts*(const std::string& thread)>;
  /// A kernel in words, after these counts; empty: none has begun.
  using TextOf = std::function<std::string(const CoreCounts& counts, const std::string& thread)>;

  StillRunning(CountsOf counts_of, TextOf text_of)
      : counts_of_(std::move(counts_of)), text_of_(std::move(text_of)) {}
  ~StillRunning();
  StillRunning(const StillRunning&) = delete;
  StillRunning& operator=(const StillRunning&) = delete;

  /// At each look since the interruption: all threads, always in the same order.
  void look(std::span<const executors::KernelState> threads);
  /// What was told, after the last look.
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }

 private:
  /// Stays for ever: a thread that takes no signals hears of it when it does again, which may be in
  /// another run, whose kernels are in turns with the same numbers.
  struct Question {
    const uint64_t turn;
    const CoreCounts* const counts;
    std::atomic<const StillRunning*> asker;  ///< null: it is gone, and so may the counts be
    CoreCounts noted = {};
    CalledKernel called = {};  ///< of those, which is gone when the kernel returns
    std::atomic<bool> is_answered{false};
    Question* former = nullptr;  ///< anybody's that was asked before
  };
  /// How far a thread has come in its turn.
  struct Seen {
    static constexpr uint64_t outside = ~uint64_t{0};
    uint64_t turn = outside;
    uint64_t looks = 0;
    const Question* question = nullptr;
  };

  static void on_question(int signal, siginfo_t* info, void* context);
  [[nodiscard]] const Question* ask(const executors::KernelState& thread);
  [[nodiscard]] std::string answer(const executors::KernelState& thread,
                                   const Question* question) const;

  static std::atomic<Question*> newest_question_;

  const CountsOf counts_of_;
  const TextOf text_of_;
  std::vector<Seen> seen_;
  std::vector<std::string> told_;
};

}  // namespace pto2
