/// Calls a function at regular intervals from an OS thread of its own, for as long as it lives.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pto2::executors {

class Ticker {
 public:
  /// `tick` must be callable from another thread until the destructor has returned.
  Ticker(std::chrono::milliseconds period, std::function<void()> tick)
      : thread_([this, period, tick = std::move(tick)] {
          std::unique_lock lock(mutex_);
          while (!wake_.wait_for(lock, period, [this] { return over_; })) tick();
        }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      wake_.notify_one();
    }
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;   // under mutex_
  std::thread thread_;  // last: it uses the others
};

}  // namespace pto2::executors
