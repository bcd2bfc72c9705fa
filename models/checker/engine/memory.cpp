#include "models/checker/engine/memory.hpp"

#include <algorithm>

namespace pto2::model::engine {

std::string to_string(const std::source_location& site) {
  std::string_view file = site.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  return std::string(file) + ":" + std::to_string(site.line());
}

void Memory::begin_run() {
  ++run_;
  alive_ = 0;
}

std::int32_t Memory::add_slot() {
  objects_.emplace_back();
  return static_cast<std::int32_t>(objects_.size()) - 1;
}

void Memory::create(std::int32_t slot, const void* address, bool initialised, detail::TypeInfo type,
                    std::string_view name, const Moment& now) {
  Object& object = objects_[static_cast<std::size_t>(slot)];
  object.address = address;
  object.run = run_;
  object.alive = true;
  object.initialised = initialised;
  if (object.name != name) object.name = name;
  object.type = type;
  object.created = now;
  object.written = now;
  object.reads.clear();
  object.open.clear();
  ++alive_;
}

Object* Memory::find(std::int32_t slot, const void* address) {
  if (slot < 0 || static_cast<std::size_t>(slot) >= objects_.size()) return nullptr;
  Object& object = objects_[static_cast<std::size_t>(slot)];
  return object.run == run_ && object.alive && object.address == address ? &object : nullptr;
}

std::optional<Fault> Memory::missing(std::int32_t slot, const void* address) const {
  // The slot may itself be garbage from dead memory, so the address decides.
  const Object* last = nullptr;
  if (slot >= 0 && static_cast<std::size_t>(slot) < objects_.size() &&
      object(slot).address == address && object(slot).run == run_) {
    last = &object(slot);
  }
  for (const Object& other : objects_) {
    if (last == nullptr && other.run == run_ && other.address == address) last = &other;
  }
  if (last == nullptr) {
    return Fault{ViolationKind::use_after_free,
                 "access to an object that this execution did not construct (made outside of the "
                 "explored body, or in memory that is gone)"};
  }
  return Fault{ViolationKind::use_after_free,
               "access to " + (last->name.empty() ? "an object" : last->name) + " created at " +
                   to_string(last->created.site) + " after its end of life",
               last->destroyed};
}

namespace {

/// What is wrong with a use of an atomic by somebody who need not know that it is there.
std::optional<Fault> unseen(const Object& object, const char* use, const Moment& now,
                            const Count* clock) {
  if (object.created.before(clock, now.thread)) return std::nullopt;
  return Fault{ViolationKind::uninitialised_read,
               std::string(use) + " an atomic whose construction at " +
                   to_string(object.created.site) + " does not happen before it",
               object.created};
}

}  // namespace

std::optional<Fault> Memory::access(std::int32_t slot, const void* address, const Moment& now,
                                    const Count* clock) {
  const Object* object = find(slot, address);
  if (object == nullptr) return missing(slot, address);
  return unseen(*object, "access to", now, clock);
}

std::optional<Fault> Memory::destroy_atomic(std::int32_t slot, const void* address,
                                            const Moment& now, const Count* clock) {
  if (const Object* object = find(slot, address)) {
    if (const std::optional<Fault> fault = unseen(*object, "destruction of", now, clock)) {
      return fault;
    }
  }
  return destroy(slot, address, now);
}

std::optional<Fault> Memory::destroy(std::int32_t slot, const void* address, const Moment& now) {
  Object* object = find(slot, address);
  if (object == nullptr) {
    std::optional<Fault> fault = missing(slot, address);
    fault->kind = ViolationKind::double_free;
    fault->message = "second destruction: " + fault->message;
    return fault;
  }
  object->alive = false;
  object->destroyed = now;
  --alive_;
  return std::nullopt;
}

namespace {

/// A race of an access that writes or only reads; `what` it is, in words. Of several the one with
/// the thread of the lowest number is told, in whatever order they came.
std::optional<Fault> race(const Object& object, bool writes, const char* what, const Moment& now,
                          const Count* clock) {
  const auto with = [&](const char* other_is, const Moment& other, const char* more = "") {
    return Fault{
        ViolationKind::data_race,
        std::string(what) + " races with the " + other_is + " at " + to_string(other.site) + more,
        other};
  };
  if (!object.written.before(clock, now.thread)) return with("write", object.written);
  const Moment* read = nullptr;
  for (const Moment& other : object.reads) {
    if (!writes || other.before(clock, now.thread)) continue;
    if (read == nullptr || other.thread < read->thread) read = &other;
  }
  if (read != nullptr) return with("read", *read);
  const OpenAccess* open = nullptr;
  for (const OpenAccess& other : object.open) {
    if (other.begun.thread == now.thread || !(writes || other.writes)) continue;
    if (open == nullptr || other.begun.thread < open->begun.thread) open = &other;
  }
  if (open == nullptr) return std::nullopt;
  return with(open->writes ? "write" : "read", open->begun, ", which has not ended");
}

}  // namespace

std::optional<Fault> Memory::access_cell(std::int32_t slot, const void* address,
                                         const CellAccess& access, const Moment& now,
                                         const Count* clock, std::int32_t settled) {
  Object* const object = find(slot, address);
  if (object == nullptr) return missing(slot, address);
  if (access.part == CellAccess::Part::end) {
    std::erase_if(object->open, [&](const OpenAccess& o) { return o.guard == access.guard; });
  }
  const char* const what = access.writes ? "write" : "read";
  if (std::optional<Fault> fault = race(*object, access.writes, what, now, clock)) return fault;
  if (access.writes) {
    object->reads.clear();
    object->written = now;
    object->initialised = true;
  } else if (!object->initialised) {
    return Fault{
        ViolationKind::uninitialised_read,
        "read of a cell that nobody has written, created at " + to_string(object->created.site)};
  } else {
    std::erase_if(object->reads, [&](const Moment& other) {
      // One that may be taken back stands for none but those that are with it.
      if (settled < now.epoch) return other.thread == now.thread && other.epoch > settled;
      return other.before(clock, now.thread);
    });
    object->reads.push_back(now);
  }
  if (access.part == CellAccess::Part::begin) {
    object->open.push_back({access.guard, access.writes, now});
  }
  return std::nullopt;
}

void Memory::take_back_reads(ThreadId thread, std::int32_t settled) {
  for (Object& object : objects_) {
    if (object.run != run_ || !object.alive) continue;
    std::erase_if(object.reads, [&](const Moment& read) {
      return read.thread == thread && read.epoch > settled;
    });
  }
}

std::optional<Fault> Memory::destroy_cell(std::int32_t slot, const void* address, const Moment& now,
                                          const Count* clock) {
  if (const Object* object = find(slot, address)) {
    if (std::optional<Fault> fault = race(*object, true, "destruction", now, clock)) return fault;
  }
  return destroy(slot, address, now);
}

const Object* Memory::leaked() const {
  for (const Object& object : objects_) {
    if (object.run == run_ && object.alive) return &object;
  }
  return nullptr;
}

}  // namespace pto2::model::engine
