// Which tokens are refused: those that are damaged, and those of other programs.
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <pto2/checker.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// A thread fails that main has started, or a thread of main.
void fail_in_thread(bool nested) {
  const auto failing = [] { check(false, "never right"); };
  thread a([&] {
    if (!nested) return failing();
    thread inner(failing);
    inner.join();
  });
  a.join();
}

/// As before, and with the numbers of all threads where main has not started them in this order.
TEST(Tokens, have_numbers_only_of_threads_that_need_them) {
  const Report by_main = explore(Options{}, [] { fail_in_thread(false); });
  ASSERT_TRUE(by_main.violation);
  EXPECT_TRUE(by_main.violation->token.ends_with(":1:0.0x1,1.0x0,")) << by_main.violation->token;
  const Report by_another = explore(Options{}, [] { fail_in_thread(true); });
  ASSERT_TRUE(by_another.violation);
  EXPECT_TRUE(by_another.violation->token.ends_with(":2:1s0.0,2s1.0,0.0x1,1.0x1,2.0x0,"))
      << by_another.violation->token;
}

/// As tokens were before they had the starts of threads, or with one of a thread that is not there.
TEST(Tokens, one_whose_threads_do_not_all_start_does_not_fit) {
  const auto body = [] { fail_in_thread(true); };
  const Report report = explore(Options{}, body);
  ASSERT_TRUE(report.violation);
  const std::string& token = report.violation->token;
  const std::string starts = "1s0.0,2s1.0,";
  const std::size_t at = token.find(starts);
  ASSERT_NE(at, std::string::npos) << token;
  for (const char* others : {"", "1s0.0,2s1.0,3s0.1,", "1s0.0,2s1.0,3s2.0,"}) {
    const Report other = replay(std::string(token).replace(at, starts.size(), others), body);
    EXPECT_FALSE(other.violation) << other.to_text();
    EXPECT_NE(other.reason.find("does not fit"), std::string::npos) << other.reason;
    EXPECT_NE(other.reason.find("never starts"), std::string::npos) << other.reason;
  }
}

TEST(Tokens, one_fits_only_its_program) {
  const auto body = [](std::memory_order order, int extra) {
    return [=] {
      atomic<int> x{0};
      thread a([&] {
        for (int i = 0; i <= extra; ++i) x.store(1, order);
      });
      const int value = x.load(relaxed);
      a.join();
      check(value == 0, "nothing seen");
    };
  };
  const Report report = explore(Options{}, body(relaxed, 0));
  ASSERT_TRUE(report.violation);
  const std::string& token = report.violation->token;
  EXPECT_TRUE(replay(token, body(relaxed, 0)).violation);
  const Report changed = replay(token, body(release, 0));
  EXPECT_EQ(changed.verdict, Verdict::inconclusive);
  EXPECT_NE(changed.reason.find("changed"), std::string::npos) << changed.reason;
  EXPECT_NE(replay(token, body(relaxed, 1)).reason.find("changed"), std::string::npos);
}

TEST(Tokens, damaged_ones_are_refused) {
  for (const char* token : {"x",
                            "pto2.0:1:1:0.0x1,",
                            "pto2.2:",
                            "pto2.1:1:1:0.0x1,",
                            "pto2.2:1:2:0.0x1,",
                            "pto2.2:1:1:0.0x2,",
                            "pto2.2:1:1:999.0x1,",
                            "pto2.2:1:1:0.0x1",
                            "pto2.2:zz:1:0.0x1,",
                            "pto2.2:1:99999999999999999999:0.0x1,",
                            "pto2.2:0:20000000:0.0x20000000,",
                            "pto2.2:0:1:1s0.0,0.0x2,",
                            "pto2.2:0:1:1s0,0.0x1,",
                            "pto2.2:0:1:0s0.0,0.0x1,",
                            "pto2.2:0:1:256s0.0,0.0x1,",
                            "pto2.2:0:1:1s256.0,0.0x1,",
                            "pto2.2:0:1:1s0.4294967296,0.0x1,",
                            "pto2.2:0:1:1s0.3000000000,0.0x1,",
                            "pto2.2:0:1:0.3000000000x1,",
                            "pto2.2:0:1:1s0.0,1s0.1,0.0x1,",
                            "pto2.2:0:1:1s0.0,2s0.0,0.0x1,"}) {
    EXPECT_THROW(replay(token, [] {}), std::invalid_argument) << token;
  }
}

/// A weak exchange that fails on a value as expected, with a stale read and a stale write behind
/// it.
void see_the_past() {
  atomic<int> x{0}, y{0}, z{0};
  thread first([&] {
    y.store(1, relaxed);
    x.store(1, relaxed);
  });
  thread second([&] {
    int expected = 0;
    const bool stored = z.compare_exchange_weak(expected, 1, relaxed);
    x.store(2, relaxed);
    const bool seen = x.load(relaxed) == 1;
    check(stored || expected != 0 || !seen || y.load(relaxed) == 1, "never like that");
  });
  first.join();
  second.join();
  check(x.load(relaxed) != 5, "never at all");
}

/// What is left of the token is no number, or another token.
void expect_refusal(const std::string& damaged, const Report& report,
                    const std::function<void()>& body, const Options& options = {}) {
  try {
    const Report again = replay(damaged, body, options);
    const std::string both = damaged + "\n" + report.violation->token;
    EXPECT_FALSE(again.violation) << both;
    EXPECT_EQ(again.executions + again.blocked, 0U) << both;
    EXPECT_TRUE(again.reason.starts_with("the token is damaged or ")) << again.reason;
  } catch (const std::invalid_argument&) {
  }
}

/// A number may begin with zeros.
bool is_at_zeros(const std::string& token, std::size_t at) {
  const std::size_t last = token.substr(0, at).find_last_not_of('0');
  return last == token.npos || std::isxdigit(static_cast<unsigned char>(token[last])) == 0;
}

TEST(Tokens, no_character_can_be_another_or_too_many_or_missing) {
  Options options;
  options.spurious_failures = true;
  const Report report = expect_violation(ViolationKind::check_failed, options, see_the_past);
  ASSERT_TRUE(report.violation);
  const std::string token = report.violation->token;
  for (const char* part : {".1x", "~x", ".0x"}) EXPECT_NE(token.find(part), token.npos) << token;
  for (std::size_t i = 0; i < token.size(); ++i) {
    expect_refusal(std::string(token).erase(i, 1), report, see_the_past, options);
    for (const char other : std::string("012345~.x,s:")) {
      std::string damaged = token;
      if (token[i] != other) {
        damaged[i] = other;
        expect_refusal(damaged, report, see_the_past, options);
      }
      if (other == '0' && is_at_zeros(token, i)) continue;
      expect_refusal(std::string(token).insert(i, 1, other), report, see_the_past, options);
    }
  }
}

/// The token with the parts before its commas, or colons, in the order of the text.
std::vector<std::string> parts_of(const std::string& token) {
  std::vector<std::string> parts(1);
  for (const char c : token) {
    parts.back() += c;
    if (c == ',' || c == ':') parts.emplace_back();
  }
  parts.pop_back();
  return parts;
}

/// The reader makes no step, and the writer none behind the one before which the reader runs.
TEST(Tokens, no_two_parts_can_be_exchanged) {
  const auto body = [] {
    atomic<int> x{0};
    cell<int> data{0};
    thread reader([&] { data.read(); });
    thread writer([&] {
      x.load(relaxed);
      data.write(1);
    });
    reader.join();
    writer.join();
  };
  const Report report = expect_violation(ViolationKind::data_race, body);
  ASSERT_TRUE(report.violation);
  const std::string& token = report.violation->token;
  EXPECT_TRUE(token.ends_with(":3:0.0x2,1.0x0,2.0x1,2.0x0,")) << token;
  const std::vector<std::string> parts = parts_of(token);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::vector<std::string> others = parts;
    std::swap(others[i - 1], others[i]);
    std::string damaged;
    for (const std::string& part : others) damaged += part;
    expect_refusal(damaged, report, body);
  }
}

/// All make the same step, so that each could be any other.
TEST(Tokens, no_thread_can_have_been_started_as_another) {
  const auto body = [] {
    atomic<int> x{0};
    thread one, two, three;
    const auto look = [&] { x.load(relaxed); };
    thread a([&] { one = thread(look), two = thread(look); });
    thread b([&] { three = thread(look); });
    for (thread* t : {&a, &b, &one, &two, &three}) t->join();
    check(false, "never right");
  };
  const Report report = expect_violation(ViolationKind::check_failed, body);
  ASSERT_TRUE(report.violation);
  const std::string& token = report.violation->token;
  const std::string starts = "3s1.0,4s1.1,5s2.0,";
  const std::size_t at = token.find(starts);
  ASSERT_NE(at, token.npos) << token;
  for (const char* others : {"3s1.1,4s1.0,5s2.0,", "3s2.0,4s1.1,5s1.0,", "4s1.0,3s1.1,5s2.0,"}) {
    expect_refusal(std::string(token).replace(at, starts.size(), others), report, body);
  }
}

/// Two threads that each make two steps, and the part of the token of one execution that is made
/// another.
struct Forged {
  void (*first)(atomic<int>& x, atomic<int>& y);
  void (*second)(atomic<int>& x, atomic<int>& y);
  const char* steps;
  const char* forged;
};

TEST(Tokens, one_of_what_the_model_forbids_is_refused) {
  using Atomic = atomic<int>;
  const auto store_and_load = [](Atomic& x, Atomic& y) { x.store(1), y.load(); };
  const auto load_and_store = [](Atomic& x, Atomic& y) { y.store(1), x.load(); };
  const auto store_twice = [](Atomic& x, Atomic&) { x.store(1, relaxed), x.store(2, relaxed); };
  const auto add = [](Atomic& x, Atomic&) { x.fetch_add(1, relaxed); };
  const auto store = [](Atomic& x, Atomic&) { x.store(5, relaxed); };
  const auto store_x_and_y = [](Atomic& x, Atomic& y) { x.store(1), y.store(2); };
  const auto store_y_and_x = [](Atomic& x, Atomic& y) { y.store(1), x.store(2); };
  const Forged forgeries[] = {
      {store_and_load, load_and_store, "1.0x2,2.0x2,", "1.0x1,1.0x1,2.0x1,2.1x1,"},
      {store_x_and_y, store_y_and_x, "1.0x2,2.0x2,", "1.0x1,2.0x1,2.1x1,1.1x1,"},
      {store_twice, add, "1.0x2,2.0x2,", "1.0x1,1.1x1,2.0x2,"},
      {add, store, "1.0x2,2.0x1,", "1.0x2,2.1x1,"},
      {add, add, "1.0x2,2.0x2,", "1.0x2,2.1x1,2.0x1,"},
  };
  for (const Forged& forgery : forgeries) {
    const auto body = [&] {
      Atomic x{0}, y{0};
      thread first([&] { forgery.first(x, y); });
      thread second([&] { forgery.second(x, y); });
      first.join();
      second.join();
      check(false, "always");
    };
    const Report report = expect_violation(ViolationKind::check_failed, body);
    ASSERT_TRUE(report.violation);
    const std::string& token = report.violation->token;
    const std::size_t at = token.find(forgery.steps);
    ASSERT_NE(at, token.npos) << token;
    const std::size_t size = std::string(forgery.steps).size();
    const Report forged = replay(std::string(token).replace(at, size, forgery.forged), body);
    EXPECT_FALSE(forged.violation) << forged.to_text();
    EXPECT_EQ(forged.executions + forged.blocked, 0U);
    EXPECT_NE(forged.reason.find("damaged"), forged.reason.npos) << forged.reason;
    EXPECT_TRUE(forged.reason.find("the model forbids") != forged.reason.npos ||
                forged.reason.find("fewer positions") != forged.reason.npos)
        << forged.reason;
  }
}

}  // namespace
}  // namespace pto2::model
