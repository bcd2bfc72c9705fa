#include "runtime/output/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

namespace fs = std::filesystem;

namespace {

constexpr mode_t readable_and_writable = 0666;
constexpr int most_links = 40;  // so many are followed when a file is opened

/// A path without links and dots, also of a file that is not there yet.
fs::path resolved(const std::string& name) {
  std::error_code none;
  fs::path path = fs::absolute(name, none);
  // A link to a file that is not there yet.
  for (int i = 0; i < most_links && fs::is_symlink(path, none) && !fs::exists(path, none); ++i) {
    path = path.parent_path() / fs::read_symlink(path, none);
  }
  const fs::path canonical = fs::weakly_canonical(path, none);
  return canonical.empty() ? path : canonical;
}

/// Where links lead in /proc, as /dev/stdout and /dev/fd/3 do; else nothing.
fs::path place_in_proc(const std::string& name) {
  std::error_code none;
  fs::path path = fs::absolute(name, none);
  for (int i = 0; i < most_links; ++i) {
    const fs::path folder = fs::weakly_canonical(path.parent_path(), none);
    if (folder.native().starts_with("/proc/")) return folder / path.filename();
    if (!fs::is_symlink(path, none)) return {};
    path = folder / fs::read_symlink(path, none);
  }
  return {};
}

/// Such as a terminal, which keeps nothing that could be mixed.
bool is_device(const std::string& name) {
  struct stat named = {};
  return stat(name.c_str(), &named) == 0 && S_ISCHR(named.st_mode);
}

bool is_open_as(int descriptor, const struct stat& named) {
  struct stat open = {};
  return fstat(descriptor, &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

/// Of a file that stdout is, by whatever name. Of a device only a name for stdout itself is the
/// same, which leads to stderr later.
bool is_stdout(const std::string& name) {
  struct stat named = {};
  if (stat(name.c_str(), &named) != 0 || !is_open_as(STDOUT_FILENO, named)) return false;
  return !S_ISCHR(named.st_mode) ||
         place_in_proc(name) == fmt::format("/proc/{}/fd/{}", getpid(), STDOUT_FILENO);
}

/// stdout or stderr, whichever is the regular file of this name; else negative.
int standard_descriptor(const std::string& name) {
  struct stat named = {};
  if (stat(name.c_str(), &named) != 0 || !S_ISREG(named.st_mode)) return -1;
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
    if (is_open_as(standard, named)) return standard;
  }
  return -1;
}

/// Who has opened it goes on with the file that there is.
bool is_open_already(const std::string& name) {
  return standard_descriptor(name) >= 0 || !place_in_proc(name).empty();
}

/// A result in a file that is stdout or stderr shares their place in it: neither may write over the
/// other.
int opened_in_place(const std::string& name, bool to_empty) {
  const int standard = standard_descriptor(name);
  if (standard >= 0) return fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (to_empty ? 0 : O_APPEND);
  return open(name.c_str(), flags, readable_and_writable);
}

/// Some file systems, of other machines above all, say only at a close that there was no room, of
/// whichever descriptor. False: for the reason in errno.
bool closes(int file) {
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || close(copy) == 0;
}

/// False: the file stays where it was, and has lost its interim name.
bool take_place(const fs::path& interim, const std::string& target) {
  if (rename(interim.c_str(), target.c_str()) == 0) return true;
  const int error = errno;
  unlink(interim.c_str());
  errno = error;
  return false;
}

/// Why a file stays that is a mount of its own, or somebody else's in a folder such as /tmp.
bool is_kept(int error) {
  return error == EBUSY || error == EPERM || error == EACCES;
}

/// Writes a text that is whole into the file that there is. False: for the reason in errno.
bool writes_over(int text, const std::string& target) {
  const int file = open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return false;
  constexpr std::size_t most_at_once = std::size_t{1} << 20;
  off_t from = 0;
  ssize_t written = 1;
  while (written > 0) written = sendfile(file, text, &from, most_at_once);
  const int error = errno;
  const bool is_closed = close(file) == 0;
  if (written < 0) errno = error;
  return written == 0 && is_closed;
}

}  // namespace

std::string refusal_of_file_name(const std::string& path) {
  return path.empty() ? "an empty name; name a file, or leave it out" : "";
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b || is_stdout(a == "-" ? b : a);
  if (is_device(a) && is_device(b)) {
    const fs::path place = place_in_proc(a);
    return !place.empty() && place == place_in_proc(b);
  }
  std::error_code none;
  return fs::equivalent(a, b, none) || resolved(a) == resolved(b);
}

OutputFile::OutputFile(const std::string& path, std::string content, std::FILE* standard)
    : path_(path), content_(std::move(content)), standard_(standard) {
  if (path == "-") {
    path_ = stdout_name;
  } else {
    open_file();
  }
}

/// For the reason in errno.
void OutputFile::fail(const char* what) const {
  const int error = errno;
  const char* const remedy =
      error == EFBIG ? "raise the limit of the size of files (ulimit -f)"
                     : "name a file in a folder that you may write, on a disk with room";
  throw OutputError(exit_bad_input, fmt::format("{}: {} {}: {}; {}", path_, content_, what,
                                                std::strerror(error), remedy));
}

void OutputFile::open_file() {
  target_.clear();
  if (!open_nameless()) open_in_place();
}

void OutputFile::open_in_place() {
  to_empty_ = !is_open_already(path_);
  const int file = opened_in_place(path_, to_empty_);
  if (file < 0 || !own(file)) fail("cannot be written");
}

/// Takes the descriptor. False: there is no memory for the rest of the file.
bool OutputFile::own(int file) {
  owned_.reset(fdopen(file, "w"));
  if (owned_) return true;
  const int error = errno;
  close(file);
  errno = error;
  return false;
}

/// In the folder of the file to be, and with the rights of the one that is there. False: the file
/// must be written in place, or cannot be written.
bool OutputFile::open_nameless() {
  const fs::path target = resolved(path_);
  struct stat former = {};
  const bool is_there = stat(path_.c_str(), &former) == 0;
  const bool is_file = is_there && S_ISREG(former.st_mode) && access(path_.c_str(), W_OK) == 0;
  if (is_open_already(path_) || (is_there && !is_file)) return false;
  const int file =
      open(target.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, readable_and_writable);
  if (file < 0) return false;
  if (is_there) rights_ = former.st_mode;
  if (rights_) (void)!fchmod(file, *rights_);
  if (!own(file)) fail("cannot be written");
  target_ = target;
  return true;
}

/// A link cannot take the place of a file, but a rename can.
void OutputFile::put_in_place() {
  const std::string self = fmt::format("/proc/self/fd/{}", fileno(owned_.get()));
  const auto link_as = [&](const std::string& name) {
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(target_)) return;
  // Its own name may be as long as one can be. Others may be at the same.
  constexpr int most_names = 100;
  for (int i = 0; errno == EEXIST && i < most_names; ++i) {
    const fs::path name = fmt::format(".pto2-{}-{}", getpid(), i);
    const fs::path interim = fs::path(target_).parent_path() / name;
    if (!link_as(interim)) continue;
    if (take_place(interim, target_)) return;
    break;
  }
  if (!is_kept(errno) || !writes_over(fileno(owned_.get()), target_)) fail("could not be written");
}

/// Not at all a pipe or a device.
void OutputFile::empty() {
  if (to_empty_) (void)!ftruncate(fileno(owned_.get()), 0);
  to_empty_ = false;
}

/// A file that is written in place, or over, stays without its text.
void OutputFile::remove_former() const {
  if (!target_.empty()) {
    if (unlink(target_.c_str()) == 0 || errno == ENOENT) return;
    const bool is_emptied = is_kept(errno) && truncate(target_.c_str(), 0) == 0;
    if (!is_emptied) fail("cannot replace the earlier one");
  } else if (to_empty_) {
    (void)!ftruncate(fileno(owned_.get()), 0);
  }
}

void OutputFile::begin_again() {
  remove_former();
  struct stat now = {};
  if (owned_ && fstat(fileno(owned_.get()), &now) == 0 && !S_ISFIFO(now.st_mode)) open_file();
}

void OutputFile::write(std::string_view text) {
  empty();
  const std::size_t written =
      std::fwrite(text.data(), 1, text.size(), owned_ ? owned_.get() : standard_);
  if (written != text.size() && error_ == 0) error_ = errno;
}

void OutputFile::finish() {
  empty();
  std::FILE* const file = owned_ ? owned_.get() : standard_;
  const bool is_written = std::fflush(file) == 0 && closes(fileno(file));
  if (!is_written && error_ == 0) error_ = errno;
  if (error_ != 0) {
    errno = error_;
    fail("could not be written");
  }
  if (!target_.empty()) put_in_place();
  owned_.reset();
}

}  // namespace pto2::cli
