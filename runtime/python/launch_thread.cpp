#include "runtime/python/launch_thread.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace pto2::python {
namespace {

/// So soon a signal is heard of; a look costs some microseconds.
constexpr std::chrono::milliseconds between_looks{20};

}  // namespace

class LaunchThread::Server {
 public:
  Server() : thread_([this] { serve(); }) {}
  ~Server() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void run(const std::function<void()>& work, const std::function<bool()>& look) {
    std::unique_lock turn(turn_, std::defer_lock);
    while (!turn.try_lock_for(between_looks)) {
      if (!look()) return;
    }
    std::future<void> done;
    {
      const std::lock_guard lock(mutex_);
      task_ = std::packaged_task<void()>(work);
      done = task_.get_future();
    }
    wake_.notify_one();
    while (done.wait_for(between_looks) != std::future_status::ready) static_cast<void>(look());
    done.get();
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ended_ || task_.valid(); });
      if (!task_.valid()) return;
      std::packaged_task<void()> task = std::exchange(task_, {});
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::timed_mutex turn_;  ///< held by the thread whose work is being done
  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<void()> task_;
  bool ended_ = false;
  std::thread thread_;  ///< the last member: it uses the others
};

LaunchThread::LaunchThread() : server_(std::make_unique<Server>()), process_(getpid()) {}

LaunchThread::~LaunchThread() {
  // In a child there is nobody to join; what the server was made of is lost.
  if (process_ != getpid()) static_cast<void>(server_.release());
}

void LaunchThread::run(const std::function<void()>& work, const std::function<bool()>& look) {
  server_->run(work, look);
}

void LaunchThread::start_in_child() {
  if (process_ == getpid()) return;
  static_cast<void>(server_.release());
  server_ = std::make_unique<Server>();
  process_ = getpid();
}

}  // namespace pto2::python
