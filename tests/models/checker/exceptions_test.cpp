// What threads have thrown and caught is theirs.
#include <exception>
#include <stdexcept>
#include <string>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Steps at which others may go on, and of which each may be revisited.
struct Steps {
  atomic<int> x{0}, y{0};

  void make() {
    x.fetch_add(1, relaxed);
    y.load(relaxed);
  }
};

template <class Body>
void run_twice_at_once(Body&& body) {
  Steps steps;
  thread first([&] { body(steps, "one"); });
  thread second([&] { body(steps, "another"); });
  first.join();
  second.join();
}

struct Thrown {
  explicit Thrown(bool& alive) : is_alive(alive) { is_alive = true; }
  ~Thrown() { is_alive = false; }
  bool& is_alive;
};

TEST(Exceptions, each_thread_has_its_own_handler) {
  expect_pass([] {
    run_twice_at_once([](Steps& steps, const char*) {
      bool is_alive = false;
      try {
        throw Thrown(is_alive);
      } catch (const Thrown&) {
        steps.make();
        check(is_alive, "it is handled");
      }
      check(!is_alive, "it has been handled");
    });
  });
}

TEST(Exceptions, each_thread_throws_its_own_again) {
  expect_pass([] {
    run_twice_at_once([](Steps& steps, const char* text) {
      try {
        try {
          throw std::string(text);
        } catch (...) {
          steps.make();
          throw;
        }
      } catch (const std::string& thrown) {
        check(thrown == text, "its own");
      }
    });
  });
}

TEST(Exceptions, nobody_else_is_unwound) {
  struct Last {
    Steps& steps;
    ~Last() { steps.make(); }
  };
  expect_pass([] {
    run_twice_at_once([](Steps& steps, const char* text) {
      if (text == std::string("another")) {
        check(std::uncaught_exceptions() == 0, "it has thrown nothing");
        steps.make();
        check(std::uncaught_exceptions() == 0, "nor has it now");
        return;
      }
      try {
        const Last last{steps};
        throw 1;
      } catch (int) {
      }
    });
  });
}

/// The handlers of other threads stay when one's frames are given up.
TEST(Exceptions, a_thread_that_is_given_up_leaves_the_others_theirs) {
  const Report report = explore({}, [] {
    atomic<int> x{0};
    thread handler([&] {
      try {
        throw std::runtime_error("kept");
      } catch (const std::exception& error) {
        x.store(1, relaxed);
        x.store(2, relaxed);
        check(error.what() == std::string("kept"), "its own");
      }
    });
    thread cut([&]() noexcept { assume(x.load(relaxed) == 2); });
    handler.join();
    cut.join();
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_NE(report.blocked, 0U);
}

/// The exception ends the wait, as a predicate does that holds.
TEST(Exceptions, a_predicate_may_throw) {
  expect_pass([] {
    atomic<int> x{1}, y{0};
    thread waiting([&] {
      try {
        await([&]() -> bool {
          if (x.load(relaxed) == 1) throw 1;
          return true;
        });
      } catch (int) {
      }
      y.fetch_add(1, relaxed);
    });
    waiting.join();
    check(y.load(relaxed) == 1, "what comes behind the wait");
  });
}

/// One with an update in it has made that, one that is tried on an older value has not waited.
TEST(Exceptions, a_predicate_may_throw_on_any_value) {
  bool has_thrown = false;
  bool has_held = false;
  const Report report = explore({}, [&] {
    atomic<int> x{0};
    thread setter([&] {
      x.store(1, relaxed);
      x.store(2, relaxed);
    });
    int thrown = 0;
    try {
      await([&]() -> bool {
        const int before = x.fetch_add(10, relaxed);
        if (before == 0) throw before;
        return true;
      });
    } catch (int) {
      thrown = 1;
    }
    setter.join();
    has_thrown |= thrown == 1;
    has_held |= thrown == 0;
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 3U);
  EXPECT_TRUE(has_thrown);
  EXPECT_TRUE(has_held);
}

}  // namespace
}  // namespace pto2::model
