// Memory that the explored program frees stays untouched until the execution ends: a dangling
// pointer then never meets a new object, and the same program gets comparable addresses.
#pragma once

namespace pto2::model::engine::allocation {

/// While one exists on this OS thread, operator delete only notes what it is given.
class Deferred {
 public:
  Deferred();
  ~Deferred();
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

 private:
  bool outer_;
};

/// Frees what has been noted on this OS thread. After a failed execution something may have been
/// given back twice, which is the program's error and must not become ours.
void release_deferred(bool failed);

}  // namespace pto2::model::engine::allocation
