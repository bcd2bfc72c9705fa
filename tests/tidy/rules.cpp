#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "models/mutants/source_text.hpp"
#include "tests/tidy/classes.hpp"

namespace pto2::tidy {
namespace {

/// These sources spell out what they forbid.
bool is_of_tidy(const SourceFile& file) {
  return file.is_under("tests/tidy");
}

bool is_concurrent(const SourceFile& file) {
  static const std::array folders{"core",        "runtime/chip",         "runtime/scheduler",
                                  "runtime/run", "runtime/orchestrator", "runtime/tensormap"};
  return file.is_cpp() &&
         std::ranges::any_of(folders, [&](const char* folder) { return file.is_under(folder); });
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n')) + 1;
}

/// Reports each match of `pattern` in `text` with `describe(match)` unless that is empty.
template <class Describe>
void report_matches(const SourceFile& file, const std::string& text, const std::regex& pattern,
                    Findings& findings, Describe&& describe) {
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    std::string message = describe(*match);
    if (message.empty()) continue;
    const auto offset = static_cast<std::size_t>(match->position());
    findings.push_back({file.path, line_of(text, offset), std::move(message)});
  }
}

const std::regex& include_pattern() {
  static const std::regex pattern(R"(#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])");
  return pattern;
}

void check_includes_of_threads(const SourceFile& file, const std::string& code,
                               Findings& findings) {
  static const std::set<std::string> forbidden{
      "atomic", "thread",  "mutex",  "condition_variable", "shared_mutex", "semaphore",
      "latch",  "barrier", "future", "stop_token",         "pthread.h"};
  report_matches(file, code, include_pattern(), findings, [&](const std::smatch& match) {
    const std::string name = match[2];
    const bool for_orders = name == "atomic" && file.path == "core/policy.hpp";
    if (!forbidden.contains(name) || for_orders) return std::string();
    return "includes <" + name + ">; use what the policy P provides";
  });
}

/// Which of our folders the sources in `folder` may include, `folder` being the longest match.
struct Allowance {
  const char* folder;
  std::vector<std::string> may_include;
};

const Allowance* allowance_of(const SourceFile& file) {
  static const std::vector<Allowance> allowances{
      {"core", {"core"}},
      {"models/checker", {"models/checker"}},
      {"models", {"core", "models", "runtime"}},
      {"runtime", {"core", "runtime"}},
      {"stress", {"core", "models", "runtime", "stress"}},
  };
  const auto found = std::ranges::find_if(
      allowances, [&](const Allowance& allowance) { return file.is_under(allowance.folder); });
  return found == allowances.end() ? nullptr : &*found;
}

/// Why `file` may not include `name`, or an empty string.
std::string forbidden_include(const SourceFile& file, const Allowance& allowance, char bracket,
                              const std::string& name) {
  static const std::regex ours(R"((core|models|runtime|stress|tests|bench)/.*)");
  // What is copied out of this tree as it is knows its own files only by where they lie.
  const bool is_copied_out = file.is_under("runtime/workloads/folders");
  if ((name.starts_with("../") && !is_copied_out) || name.find("/../") != std::string::npos) {
    return "includes \"" + name + "\"; write the path from the root";
  }
  const bool allowed = std::ranges::any_of(allowance.may_include, [&](const std::string& folder) {
    return name.starts_with(folder + "/");
  });
  if (std::regex_match(name, ours) && !allowed) {
    return std::string(allowance.folder) + " may not depend on \"" + name + "\"";
  }
  const bool standard = bracket == '<' && name.find_first_of("/.") == std::string::npos;
  if (file.is_under("core") && !allowed && !standard) {
    return "core includes only core and the standard library, not " + name;
  }
  return {};
}

constexpr const char* layers_document = "docs/ARCHITECTURE.md";

/// The folders in the rows `| layer | \`folder\` | ..` of the table of layers, in order.
std::vector<std::string> layers_of(const SourceTree& tree) {
  static const std::regex row(R"(\| [a-zA-Z ]+ \| `([a-z/]+[a-z])/?` \|.*)");
  std::vector<std::string> layers;
  for (const SourceFile& file : tree) {
    if (file.path != layers_document) continue;
    for (const std::string_view line : source::split_lines(file.text)) {
      std::cmatch match;
      if (std::regex_match(line.data(), line.data() + line.size(), match, row)) {
        layers.push_back(match[1]);
      }
    }
  }
  return layers;
}

const std::regex& invariant_pattern() {
  static const std::regex pattern(R"(\b[A-Z]{2,3}-[IP][0-9]+\b)");
  return pattern;
}

/// Whether invariants may be defined here.
bool specifies(const SourceFile& file) {
  return file.is_under("core") || file.is_under("runtime");
}

/// Where each id is defined: id -> "path:line" of every definition.
std::map<std::string, std::vector<Finding>> invariant_definitions(const SourceTree& tree) {
  static const std::regex definition(
      R"(^(?:///   |    \{")([A-Z]{2,3}-[IP][0-9]+)(?::|", Strength))");
  std::map<std::string, std::vector<Finding>> definitions;
  for (const SourceFile& file : tree) {
    if (!specifies(file)) continue;
    std::size_t number = 0;
    for (const std::string_view line : source::split_lines(file.text)) {
      ++number;
      std::cmatch match;
      if (std::regex_search(line.data(), line.data() + line.size(), match, definition)) {
        definitions[match[1]].push_back({file.path, number, {}});
      }
    }
  }
  return definitions;
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string to_string(const Findings& findings) {
  std::ostringstream text;
  for (const Finding& finding : findings) {
    text << finding.path << ':' << finding.line << ": " << finding.message << '\n';
  }
  return text.str();
}

Findings check_seam(const SourceTree& tree) {
  static const std::regex names(
      R"(\bstd\s*::\s*(atomic\w*|j?thread|this_thread|\w*mutex|condition_variable\w*)\b)"
      R"(|\bstd\s*::\s*(\w*semaphore|latch|barrier|call_once|async)\b)"
      R"(|\bvolatile\b|\bsleep_(for|until)\b|\batomic_(thread|signal)_fence\b)"
      R"(|\b(pthread_|__atomic_|__sync_)\w+|\b(__)?asm(__)?\b)");
  static const std::regex conditional(R"(#[ \t]*(if|ifdef|ifndef|elif|else)\b)");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_concurrent(file)) continue;
    const std::string code = source::without_comments_and_literals(file.text);
    report_matches(file, code, names, findings, [](const std::smatch& match) {
      return "names " + match.str() + "; use what the policy P provides";
    });
    report_matches(file, code, conditional, findings, [](const std::smatch& match) {
      return match.str() + ": what is checked must be what is shipped, so no conditional code";
    });
    check_includes_of_threads(file, code, findings);
  }
  return findings;
}

Findings check_named_orders(const SourceTree& tree) {
  // The definition of a site is matched as a whole, so that its order is not.
  static const std::regex order(R"(\bOrderSite\s+\w+\s*\{[^{};]*\})"
                                R"(|\bmemory_order(?:_|\s*::\s*)\w+)"
                                R"(|\busing\s+enum\s+(?:std\s*::\s*)?memory_order\b)");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_concurrent(file)) continue;
    report_matches(file, source::without_comments_and_literals(file.text), order, findings,
                   [](const std::smatch& match) {
                     if (match.str().starts_with("OrderSite")) return std::string();
                     return match.str() + " in place; name it as an OrderSite";
                   });
  }
  return findings;
}

Findings check_dependencies(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const Allowance* allowance = file.is_cpp() ? allowance_of(file) : nullptr;
    if (allowance == nullptr) continue;
    report_matches(file, source::without_comments_and_literals(file.text), include_pattern(),
                   findings, [&](const std::smatch& match) {
                     return forbidden_include(file, *allowance, match.str(1)[0], match[2]);
                   });
  }
  return findings;
}

Findings check_layers(const SourceTree& tree) {
  const std::vector<std::string> layers = layers_of(tree);
  // The number of a path's layer; layers.size() if it is in none.
  const auto layer_of = [&](const std::string& path) {
    const auto found = std::ranges::find_if(
        layers, [&](const std::string& folder) { return path.starts_with(folder + "/"); });
    return static_cast<std::size_t>(found - layers.begin());
  };
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_cpp() || !file.is_under("runtime")) continue;
    const std::size_t own = layer_of(file.path);
    if (own == layers.size()) {
      findings.push_back({file.path, 1, "in no layer of " + std::string(layers_document)});
      continue;
    }
    report_matches(file, source::without_comments_and_literals(file.text), include_pattern(),
                   findings, [&](const std::smatch& match) {
                     const std::size_t other = layer_of(match[2]);
                     if (other <= own || other == layers.size()) return std::string();
                     return layers[own] + " may not use " + layers[other] +
                            ", which comes later in the layers of " + layers_document;
                   });
  }
  return findings;
}

Findings check_sizes(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_code()) continue;
    const std::vector<std::string_view> lines = source::split_lines(file.text);
    if (lines.size() > max_file_lines) {
      findings.push_back({file.path, lines.size(), "more than 500 lines; split by subject"});
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (columns(lines[i]) > max_columns) {
        findings.push_back({file.path, i + 1, "more than 100 columns"});
      }
    }
    if (!file.is_cpp()) continue;
    for (const source::Function& function : source::find_functions(file.text)) {
      if (function.lines() <= max_function_lines) continue;
      findings.push_back(
          {file.path, function.first_line,
           "function of " + std::to_string(function.lines()) + " lines; at most 50 fit a screen"});
    }
  }
  return findings;
}

namespace {

struct LargeClass {
  const char* path;
  const char* name;
  std::size_t functions;
  std::size_t members;
};
constexpr LargeClass classes_beyond_the_limits[] = {
    {"models/checker/engine/event.hpp", "Event", 0, 21},
    {"models/checker/engine/event_graph.hpp", "EventGraph", 71, 14},
    {"models/checker/engine/execution.hpp", "Execution", 110, 39},
    {"models/checker/engine/execution.hpp", "Thread", 0, 31},
    {"models/checker/include/pto2/checker/options.hpp", "Options", 0, 24},
    {"runtime/record/record.hpp", "Record", 0, 24},
    {"stress/graphs/interpreter.hpp", "Interpreter", 47, 13},
};

std::string complaint(const ClassSize& found, const LargeClass* known) {
  const auto sizes = [](std::size_t functions, std::size_t members) {
    return std::to_string(functions) + " functions and " + std::to_string(members) + " members";
  };
  const std::string is = "class " + found.name + " has " + sizes(found.functions, found.members);
  const bool is_large = found.functions > max_class_functions || found.members > max_class_members;
  if (known == nullptr) {
    return is_large ? is + "; at most " + sizes(max_class_functions, max_class_members) : "";
  }
  if (!is_large) return is + "; take it from classes_beyond_the_limits";
  if (found.functions == known->functions && found.members == known->members) return "";
  return is + ", " + sizes(known->functions, known->members) +
         " in classes_beyond_the_limits; these may become fewer, not more";
}

}  // namespace

Findings check_classes(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_cpp()) continue;
    for (const ClassSize& found : find_classes(file.text)) {
      const auto* const known =
          std::ranges::find_if(classes_beyond_the_limits, [&](const LargeClass& large) {
            return file.path == large.path && found.name == large.name;
          });
      std::string message =
          complaint(found, known == std::end(classes_beyond_the_limits) ? nullptr : known);
      if (!message.empty()) findings.push_back({file.path, found.line, std::move(message)});
    }
  }
  return findings;
}

Findings check_order_reasons(const SourceTree& tree) {
  static const std::regex site(R"(^\s*static constexpr OrderSite (\w+))");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_under("core") || !file.is_cpp()) continue;
    const std::vector<std::string_view> lines = source::split_lines(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::cmatch match;
      if (!std::regex_search(lines[i].begin(), lines[i].end(), match, site)) continue;
      const std::string_view above = i == 0 ? std::string_view() : lines[i - 1];
      const std::size_t first = above.find_first_not_of(' ');
      if (first != std::string_view::npos && above.substr(first).starts_with("///")) continue;
      findings.push_back({file.path, i + 1, "no reason above the order " + match.str(1)});
    }
  }
  return findings;
}

Findings check_invariant_ids(const SourceTree& tree) {
  const auto definitions = invariant_definitions(tree);
  Findings findings;
  for (const auto& [id, places] : definitions) {
    for (std::size_t i = 1; i < places.size(); ++i) {
      findings.push_back(
          {places[i].path, places[i].line, id + " is already defined in " + places[0].path});
    }
  }
  for (const SourceFile& file : tree) {
    const bool cites = specifies(file) || file.is_under("models") || file.is_under("tests");
    if (!cites || is_of_tidy(file)) continue;
    report_matches(file, file.text, invariant_pattern(), findings, [&](const std::smatch& match) {
      if (definitions.contains(match.str())) return std::string();
      return match.str() + " is not defined by any specification";
    });
  }
  return findings;
}

Findings check_asserts(const SourceTree& tree) {
  static const std::regex dropped(R"(\bassert\s*\(|<cassert>|<assert\.h>)");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!specifies(file) || !file.is_cpp()) continue;
    report_matches(file, source::without_comments_and_literals(file.text), dropped, findings,
                   [](const std::smatch&) {
                     return std::string("release builds drop assert(); use PTO2_INVARIANT");
                   });
  }
  return findings;
}

Findings check_stderr(const SourceTree& tree) {
  static const std::regex throws(R"(\bfmt::print(ln)?\s*\(\s*stderr\b)");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_cpp() || file.is_under("tests")) continue;
    report_matches(file, source::without_comments_and_literals(file.text), throws, findings,
                   [](const std::smatch&) {
                     return std::string("throws if stderr is closed; use print_to_stderr()");
                   });
  }
  return findings;
}

Findings check_mirrors(const SourceTree& tree) {
  std::set<std::string> paths;
  for (const SourceFile& file : tree) paths.insert(file.path);
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_under("core") || !file.path.ends_with(".hpp")) continue;
    const std::string test =
        "tests/" + file.path.substr(0, file.path.size() - std::string_view(".hpp").size()) +
        "_test.cpp";
    if (!paths.contains(test)) findings.push_back({file.path, 1, "has no " + test});
  }
  return findings;
}

Findings check_loose_ends(const SourceTree& tree) {
  static const std::regex words(R"(\b(TODO|FIXME|NOLINT\w*)\b|\bDISABLED_)");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_code() || is_of_tidy(file)) continue;
    report_matches(file, file.text, words, findings, [](const std::smatch& match) {
      return match.str() + ": finish it, or take it out";
    });
  }
  return findings;
}

Findings check_suppressions(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_under("sanitizers") || !file.path.ends_with(".supp")) continue;
    std::size_t number = 0;
    for (const std::string_view line : source::split_lines(file.text)) {
      ++number;
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != std::string_view::npos && line[first] != '#') {
        findings.push_back({file.path, number, "a suppression; fix what the sanitizer reports"});
      }
    }
  }
  return findings;
}

}  // namespace pto2::tidy
