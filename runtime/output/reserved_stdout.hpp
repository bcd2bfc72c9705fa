/// Stdout for a document that programs read.
#pragma once

#include <cstdio>
#include <memory>

namespace pto2::cli {

/// While it lives, what is printed to stdout goes to stderr, whoever prints it, kernels and the
/// programs that they start too; the document alone goes to what stdout was.
class ReservedStdout {
 public:
  ReservedStdout();
  ~ReservedStdout();
  ReservedStdout(const ReservedStdout&) = delete;
  ReservedStdout& operator=(const ReservedStdout&) = delete;

  /// Where the document goes. If stdout is closed that is itself, and writing will say so.
  [[nodiscard]] std::FILE* document() const { return document_ ? document_.get() : stdout; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::unique_ptr<std::FILE, Closer> document_;
};

}  // namespace pto2::cli
