#include "models/litmus/families.hpp"

#include <deque>
#include <pto2/checker.hpp>
#include <vector>

namespace pto2::model::litmus {

namespace {

using enum std::memory_order;

/// Runs `body(i)` for i of 0..n-1, a thread each, and joins them.
template <class Function>
void in_parallel(int n, Function&& body) {
  std::vector<thread> threads;
  threads.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back([&body, i] { body(i); });
  for (thread& t : threads) t.join();
}

}  // namespace

Body adds(int n) {
  return [n] {
    atomic<int> x{0};
    in_parallel(n, [&](int) { x.fetch_add(1, relaxed); });
  };
}

Body writers(int n) {
  return [n] {
    atomic<int> x{0};
    in_parallel(n, [&](int i) { x.store(i, relaxed); });
  };
}

Body readers(int n) {
  return [n] {
    atomic<int> x{0};
    in_parallel(n + 1, [&](int i) {
      if (i == 0) {
        x.store(1, release);
      } else {
        x.load(acquire);
      }
    });
  };
}

Body last_zero(int n) {
  return [n] {
    std::deque<atomic<int>> a(static_cast<std::size_t>(n) + 1);
    const auto at = [&](int i) -> atomic<int>& { return a[static_cast<std::size_t>(i)]; };
    in_parallel(n + 1, [&](int j) {
      if (j == 0) {
        for (int i = n; at(i).load(acquire) != 0;) --i;
      } else {
        at(j).store(at(j - 1).load(acquire) + 1, release);
      }
    });
  };
}

Body cas_rotation(int n) {
  return [n] {
    atomic<int> x{0};
    in_parallel(n, [&](int i) {
      int expected = i;
      x.compare_exchange_strong(expected, i + 1, relaxed, relaxed);
    });
  };
}

Body fibonacci(int n) {
  return [n] {
    atomic<int> x{1}, y{1};
    const auto rounds = [&](atomic<int>& own) {
      for (int i = 0; i < n; ++i) {
        const int first = x.load(acquire);
        own.store(first + y.load(acquire), release);
      }
    };
    thread one([&] { rounds(x); });
    thread two([&] { rounds(y); });
    thread three([&] {
      if (x.load(acquire) <= 144) y.load(acquire);
    });
    one.join();
    two.join();
    three.join();
  };
}

Body indexer(int n) {
  return [n] {
    constexpr int slots = 128;
    std::deque<atomic<int>> table(slots);
    in_parallel(n, [&](int t) {
      for (int i = 0; i < 4; ++i) {
        const int value = 11 * i + t;
        int expected = 0;
        for (int at = 7 * value % slots;
             !table[static_cast<std::size_t>(at)].compare_exchange_strong(expected, value, relaxed,
                                                                          relaxed);
             at = (at + 1) % slots) {
          expected = 0;
        }
      }
    });
  };
}

Body ring_of_buffers(int n) {
  return [n] {
    std::deque<atomic<int>> a(static_cast<std::size_t>(n));
    in_parallel(n, [&](int i) {
      a[static_cast<std::size_t>(i)].store(1);
      a[static_cast<std::size_t>((i + 1) % n)].load();
    });
  };
}

Body independent(int n) {
  return [n] {
    std::deque<atomic<int>> a(static_cast<std::size_t>(n));
    in_parallel(n, [&](int i) { a[static_cast<std::size_t>(i)].fetch_add(1, relaxed); });
  };
}

}  // namespace pto2::model::litmus
