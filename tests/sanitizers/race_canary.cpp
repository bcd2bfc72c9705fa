/// Programs with a race, and their twins without one, for helgrind and DRD:
///
///   race_canary CASE
///
/// The time between two accesses is no matter: both tools report by happens-before. Without a tool
/// each case returns 0.
#include <cstdio>
#include <memory>
#include <string_view>
#include <thread>

#include "runtime/executors/hardware.hpp"

namespace {

using pto2::executors::Hardware;

/// One thread writes, then sets a flag with `publish`; the other waits for it, then reads.
int pass_message(std::memory_order publish, std::memory_order observe) {
  int message = 0;
  Hardware::atomic<bool> sent{false};
  std::jthread sender([&] {
    message = 1;
    sent.store(true, publish);
  });
  Hardware::spin([&] { return sent.load(observe); });
  return message;
}

/// The flag is stored anew, by a thread that does not know the message: who sees that store knows
/// nothing of what the first one published.
int pass_overwritten_message() {
  int message = 0;
  Hardware::atomic<int> sent{0};
  std::jthread sender([&] {
    message = 1;
    sent.store(1, std::memory_order_release);
  });
  std::jthread other([&] {
    Hardware::spin([&] { return sent.load(std::memory_order_relaxed) == 1; });
    sent.store(2, std::memory_order_release);
  });
  Hardware::spin([&] { return sent.load(std::memory_order_acquire) == 2; });
  return message;
}

/// An update continues the release sequence of the store.
int pass_updated_message() {
  int message = 0;
  Hardware::atomic<int> sent{0};
  std::jthread sender([&] {
    message = 1;
    sent.store(1, std::memory_order_release);
  });
  std::jthread other([&] {
    Hardware::spin([&] { return sent.load(std::memory_order_relaxed) == 1; });
    sent.fetch_add(1, std::memory_order_relaxed);
  });
  Hardware::spin([&] { return sent.load(std::memory_order_acquire) == 2; });
  return message;
}

int count_without_order() {
  int count = 0;
  {
    const std::jthread one([&] { ++count; });
    const std::jthread other([&] { ++count; });
  }
  return count - 1;
}

/// A word is written past its atomic.
int write_past_the_atomic() {
  const auto word = std::make_unique<Hardware::atomic<int>>(0);
  {
    const std::jthread one([&] { word->store(1, std::memory_order_release); });
    const std::jthread other([&] { *reinterpret_cast<volatile int*>(word.get()) = 1; });
  }
  return word->load(std::memory_order_relaxed);
}

int pass_through_queue() {
  int message = 0;
  Hardware::bounded_queue<int*> queue(2);
  std::jthread sender([&] {
    message = 1;
    (void)queue.try_push(&message);
  });
  int* taken = nullptr;
  Hardware::spin([&] { return queue.try_pop(taken); });
  return *taken;
}

int pass_through_sleep_word() {
  int message = 0;
  Hardware::sleep_word word{0};
  std::jthread sender([&] {
    message = 1;
    word.exchange(1, std::memory_order_seq_cst);
    word.notify_one();
  });
  word.wait(0, std::memory_order_seq_cst);
  return message;
}

int run(std::string_view name) {
  if (name == "released") {
    return pass_message(std::memory_order_release, std::memory_order_acquire);
  }
  if (name == "relaxed_store") {
    return pass_message(std::memory_order_relaxed, std::memory_order_acquire);
  }
  if (name == "relaxed_load") {
    return pass_message(std::memory_order_release, std::memory_order_relaxed);
  }
  if (name == "overwritten") return pass_overwritten_message();
  if (name == "updated") return pass_updated_message();
  if (name == "plain_race") return count_without_order();
  if (name == "past_the_atomic") return write_past_the_atomic();
  if (name == "queue") return pass_through_queue();
  if (name == "sleep_word") return pass_through_sleep_word();
  std::fprintf(stderr, "race_canary: no case %s\n", std::string(name).c_str());
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 2 && run(argv[1]) == 1 ? 0 : 2;
}
