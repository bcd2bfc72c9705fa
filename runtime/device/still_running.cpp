#include "runtime/device/still_running.hpp"

#include <fmt/format.h>

#include "runtime/device/thread_signal.hpp"
#include "runtime/executors/user_code.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2 {

namespace {

/// To a thread that is to say which kernel it runs. Nobody else is known to use it.
int question_signal() {
  return SIGRTMIN + 8;
}

}  // namespace

std::atomic<StillRunning::Question*> StillRunning::newest_question_{nullptr};

StillRunning::~StillRunning() {
  for (Question* each = newest_question_.load(); each != nullptr; each = each->former) {
    if (each->asker.load() == this) each->asker.store(nullptr);
  }
}

void StillRunning::look(std::span<const executors::KernelState> threads) {
  seen_.resize(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const executors::KernelState& now = threads[i];
    Seen& seen = seen_[i];
    const uint64_t turn = now.inside ? now.begun : Seen::outside;
    if (turn == Seen::outside || turn != seen.turn) {
      seen = {.turn = turn};
      continue;
    }
    if (seen.looks == 0) seen.question = ask(now);
    if (seen.looks == 1) told_.push_back(answer(now, seen.question));
    ++seen.looks;  // not before: what lacks memory is for the next look
    if (seen.looks != 2) continue;
    // At once: a run that is given up waits for the kernel alone.
    cli::print_to_stderr_at_once("pto2: {} has not returned yet\n", told_.back());
  }
}

/// Null: it is known without, or by nobody.
const StillRunning::Question* StillRunning::ask(const executors::KernelState& thread) {
  if (thread.is_orchestration || thread.name == nullptr) return nullptr;
  const CoreCounts* const counts = counts_of_(*thread.name);
  if (counts == nullptr) return nullptr;
  struct sigaction action {};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(question_signal(), &action, nullptr);
  auto* const question = new Question{thread.begun, counts, this};
  question->former = newest_question_.load();
  while (!newest_question_.compare_exchange_weak(question->former, question)) {
  }
  sigval value{};
  value.sival_ptr = question;
  send_to_thread(thread.thread, question_signal(), value);
  return question;
}

/// Waits for nobody, and allocates nothing: the kernel may hold any lock. Who asks lives as long as
/// a kernel that it asks about.
void StillRunning::on_question(int, siginfo_t* info, void*) {
  auto& question = *static_cast<Question*>(info->si_value.sival_ptr);
  if (question.asker.load() == nullptr || !executors::is_inside(question.turn)) return;
  question.noted = *question.counts;
  if (question.noted.acks != question.noted.fins) question.called = *question.noted.called;
  question.noted.called = &question.called;
  question.is_answered.store(true, std::memory_order_release);
}

std::string StillRunning::answer(const executors::KernelState& thread,
                                 const Question* question) const {
  const auto* const usual = thread.is_orchestration ? "the orchestration" : "a core";
  const std::string name = thread.name == nullptr ? usual : *thread.name;
  if (thread.is_orchestration) return name;
  if (question == nullptr || !question->is_answered.load(std::memory_order_acquire)) {
    return fmt::format("a kernel on {}, whose thread takes no signals,", name);
  }
  return text_of_(question->noted, name);
}

}  // namespace pto2
