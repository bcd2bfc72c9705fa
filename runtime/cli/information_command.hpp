/// `pto2 list` and `pto2 doctor`: commands that show something, as text or as JSON.
#pragma once

#include "runtime/output/exit_codes.hpp"

namespace CLI {
class App;
}

namespace pto2::cli {

class InformationCommand {
 public:
  /// Adds the command `name`; `note` ends its help. `this` must outlive `app`'s parsing.
  InformationCommand(CLI::App& app, const char* name, const char* description, const char* note,
                     ExitCode (*show)(bool json));
  [[nodiscard]] bool chosen() const;
  [[nodiscard]] ExitCode execute() const { return show_(json_); }

 private:
  CLI::App* command_;
  ExitCode (*show_)(bool json);
  bool json_ = false;
};

/// Shows workloads, cases, deadlock reproductions and platforms.
ExitCode show_list(bool json);
/// Shows what this machine offers: exit_pass unless a check fails; a warning does not count.
ExitCode show_doctor(bool json);

}  // namespace pto2::cli
