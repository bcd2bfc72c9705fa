/// A policy with the members that core/policy.hpp documents, and no others. For one thread.
#pragma once

#include <deque>

#include "core/policy.hpp"

namespace pto2 {

struct DocumentedPolicy {
  template <class T>
  class atomic {
   public:
    atomic() = default;
    explicit atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order) const { return value_; }
    void store(T value, std::memory_order) { value_ = value; }
    T exchange(T value, std::memory_order) { return change(value); }
    T fetch_add(T n, std::memory_order) { return change(static_cast<T>(value_ + n)); }
    T fetch_sub(T n, std::memory_order) { return change(static_cast<T>(value_ - n)); }
    T fetch_or(T n, std::memory_order) { return change(value_ | n); }
    T fetch_and(T n, std::memory_order) { return change(value_ & n); }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
      const bool equal = value_ == expected;
      expected = value_;
      if (equal) value_ = desired;
      return equal;
    }

   private:
    T change(T value) {
      const T before = value_;
      value_ = value;
      return before;
    }
    T value_{};
  };

  template <class T>
  class guard {
   public:
    explicit guard(T& value) : value_(value) {}
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    T& operator*() const { return value_; }
    T* operator->() const { return &value_; }

   private:
    T& value_;
  };

  template <class T>
  class cell {
   public:
    cell() = default;
    explicit cell(const T& value) : value_(value) {}
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;

    T read() const { return value_; }
    void write(const T& value) { value_ = value; }
    guard<const T> reading() const { return guard<const T>(value_); }
    guard<T> editing() { return guard<T>(value_); }

   private:
    T value_{};
  };

  class sleep_word : public atomic<uint32_t> {
   public:
    using atomic<uint32_t>::atomic;
    void wait(uint32_t, std::memory_order) const {}
    void notify_one() {}
    void notify_all() {}
  };

  template <class T>
  class bounded_queue {
   public:
    explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {}
    bool try_push(const T& value) {
      if (items_.size() == capacity_) return false;
      items_.push_back(value);
      return true;
    }
    bool try_pop(T& value) {
      if (items_.empty()) return false;
      value = items_.front();
      items_.pop_front();
      return true;
    }

   private:
    std::size_t capacity_;
    std::deque<T> items_;
  };

  class doorbell {
   public:
    void ring() const {}
  };

  static std::memory_order order(const OrderSite& site) { return site.order; }
  template <class Predicate>
  static void await(Predicate&& predicate) {
    while (!predicate()) {
    }
  }
  template <class Predicate>
  static void spin(Predicate&& predicate) {
    await(predicate);
  }
  static void idle() {}
};

}  // namespace pto2
