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

std::optional<Fault> Memory::read(std::int32_t slot, const void* address, const Moment& now,
                                  const Count* clock) {
  Object* object = find(slot, address);
  if (object == nullptr) return missing(slot, address);
  if (!object->written.before(clock, now.thread)) {
    return Fault{ViolationKind::data_race,
                 "read races with the write at " + to_string(object->written.site),
                 object->written};
  }
  if (!object->initialised) {
    return Fault{
        ViolationKind::uninitialised_read,
        "read of a cell that nobody has written, created at " + to_string(object->created.site)};
  }
  std::erase_if(object->reads,
                [&](const Moment& other) { return other.before(clock, now.thread); });
  object->reads.push_back(now);
  return std::nullopt;
}

std::optional<Fault> Memory::write(std::int32_t slot, const void* address, const Moment& now,
                                   const Count* clock) {
  Object* object = find(slot, address);
  if (object == nullptr) return missing(slot, address);
  if (!object->written.before(clock, now.thread)) {
    return Fault{ViolationKind::data_race,
                 "write races with the write at " + to_string(object->written.site),
                 object->written};
  }
  for (const Moment& other : object->reads) {
    if (!other.before(clock, now.thread)) {
      return Fault{ViolationKind::data_race,
                   "write races with the read at " + to_string(other.site), other};
    }
  }
  object->reads.clear();
  object->written = now;
  object->initialised = true;
  return std::nullopt;
}

std::optional<Fault> Memory::destroy_cell(std::int32_t slot, const void* address, const Moment& now,
                                          const Count* clock) {
  if (const Object* object = find(slot, address)) {
    const auto race = [](const Moment& other) {
      return Fault{ViolationKind::data_race, "destruction races with an access to the cell", other};
    };
    if (!object->written.before(clock, now.thread)) return race(object->written);
    for (const Moment& other : object->reads) {
      if (!other.before(clock, now.thread)) return race(other);
    }
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
