#include "runtime/loader/shared_object.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cfenv>

#include "runtime/loader/file_bytes.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/loader/no_fork.hpp"

namespace pto2 {
namespace {

/// While it lives, what code does to the floating point environment of the thread is undone. The
/// start of an image that is linked with -ffast-math has subnormals flushed to zero, for all other
/// kernels and the reference as well, and on all threads that are made later.
class KeptFloatingPoint {
 public:
  KeptFloatingPoint() { std::fegetenv(&kept_); }
  ~KeptFloatingPoint() { std::fesetenv(&kept_); }
  KeptFloatingPoint(const KeptFloatingPoint&) = delete;
  KeptFloatingPoint& operator=(const KeptFloatingPoint&) = delete;

 private:
  std::fenv_t kept_;
};

/// An address in the image: that of its dynamic section.
const void* inside_of(void* handle) {
  const link_map* map = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : nullptr;
}

/// dlerror() without the name of the anonymous file.
std::string loader_message(const std::string& loaded_as) {
  const char* text = ::dlerror();
  std::string message = text == nullptr ? "unknown error" : text;
  if (message.starts_with(loaded_as + ": ")) message.erase(0, loaded_as.size() + 2);
  return message;
}

/// Whether the loader, which has no other word for it, has not found a library.
bool lacks_library(const std::string& message) {
  return message.find("cannot open shared object file") != message.npos;
}

}  // namespace

SharedObject SharedObject::from_file(const std::string& path) {
  return from_bytes(read_file_bytes(path), path);
}

SharedObject SharedObject::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  SealedImage copy(bytes, name);
  const std::string loaded_as = copy.name();
  // Made before the image is loaded, which nobody else would unload if memory is short then.
  SharedObject object(name, std::move(copy));
  {
    const KeptFloatingPoint kept;
    const NoFork meanwhile;
    object.handle_ = ::dlopen(loaded_as.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (object.handle_ == nullptr) {
    const std::string message = loader_message(loaded_as);
    const bool is_beside = object.image_.is_beside_libraries() && lacks_library(message);
    throw LoadError(name, "cannot be loaded: " + message,
                    is_beside
                        ? "a copy of it is loaded, so that $ORIGIN is not its folder; link it with "
                          "the whole path (-Wl,-rpath,/folder), or set LD_LIBRARY_PATH"
                        : "link it against every library it needs; an orchestration or kernel "
                          "needs none of the runtime's");
  }
  object.name_ = std::make_unique<ImageName>(inside_of(object.handle_), name);
  return object;
}

SharedObject::SharedObject(std::string path, SealedImage copy)
    : path_(std::move(path)), copy_(std::move(copy)), image_(copy_.bytes(), path_) {}

SharedObject::SharedObject(SharedObject&& other) noexcept
    : path_(std::move(other.path_)),
      copy_(std::move(other.copy_)),
      image_(other.image_),
      handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)) {}

SharedObject& SharedObject::operator=(SharedObject&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(copy_, other.copy_);
  std::swap(image_, other.image_);
  std::swap(handle_, other.handle_);
  std::swap(name_, other.name_);
  return *this;
}

SharedObject::~SharedObject() {
  close();
}

void SharedObject::close() noexcept {
  if (handle_ == nullptr) return;
  const KeptFloatingPoint as_it_was;
  const NoFork meanwhile;
  ::dlclose(handle_);
  // The dynamic loader knows an image by the name it was opened under. One that stays resident
  // (a unique symbol, a pending thread-local destructor) keeps that name, and the next image
  // under the same descriptor number would be taken for it: such a descriptor is never reused.
  if (::dlopen(copy_.name().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr) {
    copy_.keep_name();
  }
}

void* SharedObject::symbol(const std::string& name, const char* hint) const {
  // The loader would go on to the libraries that the image needs.
  void* address = image_.exports(name) ? ::dlsym(handle_, name.c_str()) : nullptr;
  if (address == nullptr) throw LoadError(path_, "does not export " + name, hint);
  return address;
}

}  // namespace pto2
