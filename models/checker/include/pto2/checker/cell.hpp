#pragma once

#include <source_location>
#include <string_view>
#include <utility>

#include "pto2/checker/detail.hpp"

namespace pto2::model {

/// Plain shared memory. Accesses that race, and reads of a value that nobody wrote, are violations;
/// in a program without races cells add no executions.
template <class T>
class cell {
  using Site = std::source_location;

 public:
  using value_type = T;

  cell(Site site = Site::current()) { id_ = detail::create_cell(this, false, {}, site); }
  cell(T value, std::string_view name = {}, Site site = Site::current())
      : value_(std::move(value)) {
    id_ = detail::create_cell(this, true, name, site);
  }
  ~cell() { detail::destroy_cell(id_, this, Site::current()); }
  cell(const cell&) = delete;
  cell& operator=(const cell&) = delete;

  const T& read(Site site = Site::current()) const {
    detail::read_cell(id_, this, site);
    return value_;
  }
  void write(T value, Site site = Site::current()) {
    detail::write_cell(id_, this, site);
    value_ = std::move(value);
  }

 private:
  T value_{};
  std::int32_t id_ = -1;
};

}  // namespace pto2::model
