#include "runtime/record/chip_check.hpp"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

namespace pto2 {
namespace {

class ChipCheck {
 public:
  ChipCheck(const JsonLine& header, const Record& record)
      : header_(header), chip_(header.object("chip"), header.line()), record_(record) {
    for (const CoreRecord& core : record.cores) ++cores_[{record.types[core.type], core.cluster}];
  }

  void check() {
    for (const char* part : {"blocks", "cubes_per_block", "vectors_per_block", "schedulers"}) {
      if (chip_.number(part) == 0) {
        header_.refuse(fmt::format("\"{}\" of \"chip\" is 0, and no chip is without them", part));
      }
    }
    const uint64_t blocks = chip_.number("blocks");
    if (blocks != record_.clusters) {
      header_.refuse(fmt::format("\"chip\" has {} blocks, but \"cores\" are of {} clusters", blocks,
                                 record_.clusters));
    }
    for (uint64_t block = 0; block < blocks; ++block) {
      take("cubes_per_block", "cube", static_cast<int64_t>(block));
      take("vectors_per_block", "vector", static_cast<int64_t>(block));
    }
    take("accelerators", "accelerator", -1);
    take("schedulers", "ai_cpu", -1);
    for (const auto& [place, count] : cores_) {
      if (count == 0) continue;
      header_.refuse(fmt::format("\"cores\" has {} of type {} {}, but \"chip\" has no such cores",
                                 count, place.first, text_of(place.second)));
    }
  }

 private:
  static std::string text_of(int64_t cluster) {
    return cluster == -1 ? "of no cluster" : fmt::format("of cluster {}", cluster);
  }

  /// The cores of a type in one place are as many as the chip says.
  void take(std::string_view key, std::string_view type, int64_t cluster) {
    const uint64_t expected = chip_.number(key);
    uint64_t& count = cores_[{type, cluster}];
    if (count != expected) {
      header_.refuse(fmt::format("\"{}\" of \"chip\" is {}, but \"cores\" has {} of type {} {}",
                                 key, expected, count, type, text_of(cluster)));
    }
    count = 0;
  }

  const JsonLine& header_;
  JsonLine chip_;
  const Record& record_;
  std::map<std::pair<std::string_view, int64_t>, uint64_t> cores_;  // by type and cluster
};

}  // namespace

void check_chip(const JsonLine& header, const Record& record) {
  ChipCheck(header, record).check();
}

}  // namespace pto2
