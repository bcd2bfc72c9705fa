#include "stress/noise.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <stdexcept>

#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::stress {
namespace {

constexpr std::array names{"yields", "delays", "pinning", "crowd", "priorities"};
constexpr int signal_of_noise = SIGURG;  // is ignored by whoever does not expect it
constexpr uint32_t longest_delay_us = 200;
constexpr auto between = std::chrono::microseconds(100);
constexpr int largest_nice = 19;

/// How long the next thread that gets the signal is delayed; 0: it yields.
std::atomic<uint32_t> next_delay_us{0};

/// On the disturbed thread. Calls only what a signal handler may. TSan takes the fibers of one OS
/// thread for several threads and would see them race for its errno, so the handler is not
/// instrumented, and calls nothing that TSan wraps.
PTO2_UNSEEN_BY_TSAN void be_disturbed(int) {
  const int error = errno;
  const uint32_t delay = next_delay_us.load(std::memory_order_relaxed);
  if (delay == 0) {
    syscall(SYS_sched_yield);
  } else {
    const timespec time{0, static_cast<long>(delay) * 1000};
    syscall(SYS_nanosleep, &time, nullptr);
  }
  errno = error;
}

pid_t this_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

/// The processors that this process may use.
std::vector<int> processors() {
  cpu_set_t set;
  std::vector<int> all;
  if (sched_getaffinity(getpid(), sizeof set, &set) != 0) return all;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) all.push_back(i);
  }
  return all;
}

}  // namespace

std::vector<NoiseKind> noise_named(std::string_view list) {
  std::array<bool, names.size()> chosen{};
  if (list == "none") return {};
  for (bool more = true; more;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    if (name != "all" && std::ranges::find(names, name) == names.end()) {
      throw std::invalid_argument(fmt::format("no noise is called '{}'; there are {}, all and none",
                                              name, fmt::join(names, ", ")));
    }
    for (std::size_t i = 0; i < names.size(); ++i) chosen[i] |= name == "all" || names[i] == name;
    more = comma != list.size();
    list.remove_prefix(comma + (more ? 1 : 0));
  }
  std::vector<NoiseKind> kinds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) kinds.push_back(static_cast<NoiseKind>(i));
  }
  return kinds;
}

std::string noise_text(const std::vector<NoiseKind>& kinds) {
  if (kinds.empty()) return "none";
  if (kinds.size() == names.size()) return "all";
  std::vector<std::string_view> listed;
  for (const NoiseKind kind : kinds) listed.emplace_back(names[static_cast<std::size_t>(kind)]);
  return fmt::format("{}", fmt::join(listed, ","));
}

Noise::Noise(std::vector<NoiseKind> kinds, uint64_t seed)
    : kinds_(std::move(kinds)), random_(seed), processors_(processors()) {
  try {
    start();
  } catch (...) {
    end();
    throw;
  }
}

Noise::~Noise() {
  end();
}

void Noise::start() {
  if (std::erase(kinds_, NoiseKind::crowd) != 0) crowd();
  if (kinds_.empty()) return;
  struct sigaction action {};
  action.sa_handler = be_disturbed;
  action.sa_flags = SA_RESTART;
  sigaction(signal_of_noise, &action, nullptr);
  threads_.emplace_back([this] { disturb(); });
}

void Noise::end() {
  over_.store(true, std::memory_order_relaxed);
  for (std::thread& thread : threads_) thread.join();
}

/// Threads that work for a while and sleep for a while, at no time all.
void Noise::crowd() {
  const std::size_t size = 2 * std::max<std::size_t>(processors_.size(), 1);
  for (std::size_t i = 0; i < size; ++i) {
    const executors::Random random(random_.next());
    threads_.emplace_back([this, random] { be_one_of_the_crowd(random); });
  }
}

void Noise::be_one_of_the_crowd(executors::Random random) {
  {
    const std::lock_guard lock(mutex_);
    own_.push_back(this_thread());
  }
  while (!over_.load(std::memory_order_relaxed)) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::microseconds(random.below(2000));
    while (std::chrono::steady_clock::now() < end) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(8000)));
  }
}

void Noise::disturb() {
  while (!over_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(between);
    const std::vector<pid_t> threads = others();
    if (threads.empty()) continue;
    if (do_to(threads[random_.below(threads.size())], kinds_[random_.below(kinds_.size())])) {
      disturbed_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

/// Whether something happened. The thread may have ended meanwhile, and the system may refuse: that
/// nothing happens then is right.
bool Noise::do_to(pid_t thread, NoiseKind kind) {
  const bool lasts = kind == NoiseKind::priorities || kind == NoiseKind::pinning;
  if (lasts && thread == getpid()) return false;
  if (kind == NoiseKind::priorities) {
    const int least = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
    const auto steps = static_cast<uint64_t>(largest_nice - least) + 1;
    const int nice = least + static_cast<int>(random_.below(steps));
    return setpriority(PRIO_PROCESS, static_cast<id_t>(thread), nice) == 0;
  }
  if (kind == NoiseKind::pinning) {
    if (processors_.empty()) return false;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors_[random_.below(processors_.size())], &set);
    return sched_setaffinity(thread, sizeof set, &set) == 0;
  }
  const uint64_t delay = kind == NoiseKind::yields ? 0 : 1 + random_.below(longest_delay_us);
  next_delay_us.store(static_cast<uint32_t>(delay), std::memory_order_relaxed);
  return syscall(SYS_tgkill, getpid(), thread, signal_of_noise) == 0;
}

std::vector<pid_t> Noise::others() {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  if (folder == nullptr) return threads;
  const pid_t own = this_thread();
  while (const dirent* entry = readdir(folder.get())) {
    pid_t thread = 0;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    const auto [last, error] = std::from_chars(entry->d_name, end, thread);
    if (error == std::errc{} && last == end && thread != own) threads.push_back(thread);
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(threads, [&](pid_t thread) { return std::ranges::count(own_, thread) != 0; });
  return threads;
}

}  // namespace pto2::stress
