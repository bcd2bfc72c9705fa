#pragma once

#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pto2/checker/detail.hpp"

namespace pto2::model {

/// Plain shared memory. Accesses that race, and reads of a value that nobody wrote, are violations;
/// in a program without races cells add no executions.
///
/// read() and write() take and give the value itself, so that no use of it escapes the check. For
/// what is too large to copy, reading() and editing() return a guard that points to the value; the
/// access lasts from the call to the end of the guard.
template <class T>
class cell {
  using Site = std::source_location;

 public:
  using value_type = T;

  /// An access that lasts as long as this lives.
  template <class Value>
  class guard {
   public:
    guard(std::int32_t id, Value& value, const void* object, Site site)
        : value_(value), object_(object), site_(site), id_(id) {
      detail::begin_access(id_, object_, this, writes, site_);
    }
    ~guard() noexcept(false) { detail::end_access(id_, object_, this, writes, site_); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

    Value& operator*() const { return value_; }
    Value* operator->() const { return &value_; }

   private:
    static constexpr bool writes = !std::is_const_v<Value>;

    Value& value_;
    const void* object_;
    Site site_;
    std::int32_t id_;
  };
  using read_guard = guard<const T>;
  using write_guard = guard<T>;

  cell(Site site = Site::current()) { id_ = detail::create_cell(this, false, {}, site); }
  cell(T value, std::string_view name = {}, Site site = Site::current())
      : value_(std::move(value)) {
    id_ = detail::create_cell(this, true, name, site);
  }
  ~cell() { detail::destroy_cell(id_, this, Site::current()); }
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;

  T read(Site site = Site::current()) const {
    detail::read_cell(id_, this, site);
    return value_;
  }
  void write(T value, Site site = Site::current()) {
    detail::write_cell(id_, this, site);
    value_ = std::move(value);
  }

  [[nodiscard]] read_guard reading(Site site = Site::current()) const {
    return {id_, value_, this, site};
  }
  [[nodiscard]] write_guard editing(Site site = Site::current()) {
    return {id_, value_, this, site};
  }

 private:
  T value_{};
  std::int32_t id_ = -1;
};

}  // namespace pto2::model
