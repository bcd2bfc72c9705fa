#include "tests/runtime/judge/altered_lines.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace pto2::test {
namespace {

using Pointer = Json::json_pointer;

/// Collects the alterations of the lines, one after the other.
class Alterations {
 public:
  explicit Alterations(const TraceLines& lines) : lines_(lines) {
    for (const Json& line : lines_) collect_names(kind_of(line), line);
  }

  std::map<std::string, std::vector<Alteration>> take() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      alter_line(i);
      alter(i, kind_of(lines_[i]), Pointer());
    }
    return std::move(found_);
  }

 private:
  static std::string kind_of(const Json& line) { return line.value("event", "header"); }

  /// Which strings a field has in this trace.
  void collect_names(const std::string& field, const Json& value) {
    if (value.is_string()) names_[field].insert(value.get<std::string>());
    if (value.is_array()) {
      for (const Json& item : value) collect_names(field, item);
    }
    if (!value.is_object()) return;
    for (const auto& [key, item] : value.items()) collect_names(field + '.' + key, item);
  }

  void add(const std::string& kind, Alteration alteration) {
    found_[kind].push_back(std::move(alteration));
  }

  /// The value there becomes `value`.
  void replace(const std::string& kind, std::size_t line, const Pointer& place, Json value) {
    add(kind,
        [line, place, value = std::move(value)](TraceLines& lines) { lines[line][place] = value; });
  }

  void alter_line(std::size_t line) {
    const std::string kind = kind_of(lines_[line]);
    add(kind + " removed", [line](TraceLines& lines) {
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
    });
    add(kind + " twice", [line](TraceLines& lines) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), Json(lines[line]));
    });
    if (line + 1 == lines_.size() || !lines_[line].contains("t")) return;
    if (!lines_[line + 1].contains("t")) return;
    add(kind + " after the next", [line](TraceLines& lines) {
      std::swap(lines[line], lines[line + 1]);
      std::swap(lines[line]["t"], lines[line + 1]["t"]);
    });
  }

  /// What stands at this place of the line, and all in it.
  void alter(std::size_t line, const std::string& field, const Pointer& place) {
    const Json& value = lines_[line][place];
    if (value.is_number()) alter_number(line, field, place, value);
    if (value.is_boolean()) replace(field + " flipped", line, place, !value.get<bool>());
    if (value.is_string()) alter_name(line, field, place, value.get<std::string>());
    if (value.is_array()) alter_array(line, field, place, value);
    if (!value.is_object()) return;
    for (const auto& [key, item] : value.items()) {
      add(field + '.' + key + " missing",
          [line, place, name = key](TraceLines& lines) { lines[line][place].erase(name); });
      alter(line, field + '.' + key, place / key);
    }
  }

  void alter_number(std::size_t line, const std::string& field, const Pointer& place,
                    const Json& value) {
    const auto number = value.get<int64_t>();
    replace(field + " + 1", line, place, number + 1);
    replace(field + " - 1", line, place, number - 1);
    replace(field + " doubled", line, place, number > 1 ? number * 2 : number + 7);
    if (number > 1) replace(field + " 0", line, place, 0);
    replace(field + " at its end", line, place, std::numeric_limits<int64_t>::max());
  }

  /// Another one that the field has in this trace.
  void alter_name(std::size_t line, const std::string& field, const Pointer& place,
                  const std::string& name) {
    const std::set<std::string>& names = names_[field];
    if (names.size() > 1) {
      auto next = std::next(names.find(name));
      if (next == names.end()) next = names.begin();
      replace(field + " of another", line, place, *next);
    }
    replace(field + " unknown", line, place, name + "0");
  }

  void alter_array(std::size_t line, const std::string& field, const Pointer& place,
                   const Json& value) {
    for (std::size_t i = 0; i < value.size(); ++i) alter(line, field, place / i);
    Json array = value;
    array.push_back(value.empty() ? Json(0) : value.back());
    replace(field + " longer", line, place, std::move(array));
    if (value.empty()) return;
    array = value;
    array.erase(array.begin());
    replace(field + " without the first", line, place, std::move(array));
    if (value.size() == 1) return;
    array = value;
    array.erase(array.end() - 1);
    replace(field + " without the last", line, place, std::move(array));
    array = value;
    std::reverse(array.begin(), array.end());
    if (array != value) replace(field + " backwards", line, place, std::move(array));
  }

  const TraceLines& lines_;
  std::map<std::string, std::set<std::string>> names_;  ///< by field
  std::map<std::string, std::vector<Alteration>> found_;
};

}  // namespace

std::map<std::string, std::vector<Alteration>> alterations_of(const TraceLines& lines) {
  return Alterations(lines).take();
}

}  // namespace pto2::test
