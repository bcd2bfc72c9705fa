/// What the instructions of a kernel read and write, byte by byte, and what is wrong with that.
///
///   race           two instructions access a byte, one of them writes it, and their pipes are not
///                  ordered (pipe_clocks.hpp). Whether they met in this run does not matter.
///   unwritten      an instruction reads a byte of the core's memory that no one has written since
///                  the kernel began
///   overwritten    an instruction reads a byte through a tile whose content there was overwritten
///                  through another one, which overlaps it
///
/// Two tiles at the same address with as many bytes are two views of one content: what is written
/// through one may be read through the other. So is a tile that was bound to its place after what
/// it reads had been written there, and one that is a part of another and was bound after that had
/// its content: compilers take rows of a tile so. A tile may be read, too, once parts of it have
/// replaced all that it had.
///
/// A byte keeps its last write, and for each pipe the last read since: an earlier one of that pipe
/// comes before it (Flanagan and Freund, FastTrack, 2009, section 3).
///
///   AL-P1: begin() comes before the accesses of an instruction, and its reads before its writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "pto/checks/finding.hpp"
#include "pto/checks/pipe_clocks.hpp"
#include "pto/checks/range_map.hpp"

namespace pto::checks {

/// The memories that a core reaches: its own buffers, and the chip's.
enum class Space : uint8_t { UB, L1, L0A, L0B, L0C, GM };
inline constexpr uint32_t space_count = 6;

inline const char* name_of(Space space) {
  constexpr std::array<const char*, space_count> names{"UB", "L1", "L0A", "L0B", "L0C", "GM"};
  return names[static_cast<uint32_t>(space)];
}

/// Where the content of a tile lies in its memory, which tells it from others.
struct TileBytes {
  uint64_t begin = 0;
  uint64_t bytes = 0;  ///< 0: no tile, in GM
  uint64_t bound = 0;  ///< the log's time() when the tile was given this place; not compared

  friend bool operator==(const TileBytes& a, const TileBytes& b) {
    return a.begin == b.begin && a.bytes == b.bytes;
  }
};

class AccessLog {
 public:
  /// An instruction is issued. What follows is what it does.
  void begin(Pipe pipe, const Site& site) {
    now_ = {pipe, number_of(site), clocks_.issue(pipe), ++time_};
  }
  /// How many instructions have been issued, on all pipes, as long as the log has existed.
  uint64_t time() const { return time_; }
  /// Bytes begin .. end - 1 of `space`, addresses in GM, as a part of `tile`. Throws Finding.
  void read(Space space, uint64_t begin, uint64_t end, const TileBytes& tile = {}) {
    of(space).update(begin, end, [&](uint64_t first, uint64_t last, Bytes& bytes) {
      const Place place{space, first, last};
      if (space != Space::GM && !bytes.write.is_set()) report_unwritten(place);
      if (const Lost* const lost = find_lost(bytes, tile)) {
        if (!is_made_of_parts(space, tile)) report_overwritten(place, *lost, tile);
        forget_lost(bytes, tile);
      }
      check_order("reads", place, bytes.write, "writes");
      bytes.reads[static_cast<uint32_t>(now_.pipe)] = now_;
    });
  }
  /// The same.
  void write(Space space, uint64_t begin, uint64_t end, const TileBytes& tile = {}) {
    of(space).update(begin, end, [&](uint64_t first, uint64_t last, Bytes& bytes) {
      const Place place{space, first, last};
      // The reads came after the write: what is behind them is behind that, too.
      for (const Access& former : bytes.reads) check_order("writes", place, former, "reads");
      check_order("writes", place, bytes.write, "writes");
      if (!is_row_of(tile, bytes)) {
        note_lost(bytes, tile);
        bytes.tile = tile;
        bytes.content = now_.time;
      }
      bytes.write = now_;
      bytes.reads = {};
    });
  }

  void set_flag(Pipe from, Pipe to, int event) { clocks_.set_flag(from, to, event); }
  /// Throws Finding.
  void wait_flag(Pipe from, Pipe to, int event, const Site& site) {
    if (clocks_.wait_flag(from, to, event)) return;
    throw Finding(text_of(site) + ": " + name_of(to) + " waits for ever: no set_flag(" +
                  flag_text(from, to, event) +
                  ") comes before it that no other wait has taken; set the flag once per wait");
  }
  void barrier_of_all() { clocks_.barrier_of_all(); }

  /// A kernel begins: nothing is written, and no flag is set.
  void clear() {
    clocks_.clear();
    for (RangeMap<Bytes>& memory : memories_) memory.clear();
    sites_.clear();
    now_ = {};
  }

 private:
  struct Access {
    Pipe pipe = Pipe::S;
    uint32_t site = 0;
    uint64_t number = 0;  ///< of the instruction in its pipe; 0: none
    uint64_t time = 0;    ///< of the instruction among all

    bool is_set() const { return number != 0; }
    friend bool operator==(const Access& a, const Access& b) {
      return a.pipe == b.pipe && a.site == b.site && a.number == b.number;
    }
  };
  /// A tile whose content was overwritten through another one.
  struct Lost {
    TileBytes tile;
    TileBytes by;
    uint32_t site;
    uint64_t time;  ///< of the overwriting

    friend bool operator==(const Lost& a, const Lost& b) {
      return a.tile == b.tile && a.by == b.by && a.site == b.site;
    }
  };
  /// Of each byte of a piece.
  struct Bytes {
    Access write;
    TileBytes tile;        ///< whose content it is
    uint64_t content = 0;  ///< the time of its last write through that tile itself
    std::array<Access, pipe_count> reads;
    std::vector<Lost> lost;

    friend bool operator==(const Bytes& a, const Bytes& b) {
      return a.write == b.write && a.tile == b.tile && a.content == b.content &&
             a.reads == b.reads && a.lost == b.lost;
    }
  };
  struct Place {
    Space space;
    uint64_t begin;
    uint64_t end;
  };

  RangeMap<Bytes>& of(Space space) { return memories_[static_cast<uint32_t>(space)]; }

  /// A kernel has few places, and comes to most of them in the order of the last time.
  uint32_t number_of(const Site& site) {
    const auto count = static_cast<uint32_t>(sites_.size());
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t number = now_.site + i < count ? now_.site + i : now_.site + i - count;
      if (sites_[number] == site) return number;
    }
    sites_.push_back(site);
    return count;
  }

  static const Lost* find_lost(const Bytes& bytes, const TileBytes& tile) {
    for (const Lost& lost : bytes.lost) {
      if (lost.tile == tile && tile.bound < lost.time) return &lost;
    }
    return nullptr;
  }
  /// Whether it lies in the tile that the bytes belong to, and was bound when they had its content.
  static bool is_row_of(const TileBytes& tile, const Bytes& bytes) {
    return bytes.write.is_set() && tile.bound >= bytes.content && is_part(tile, bytes.tile);
  }
  static bool is_part(const TileBytes& tile, const TileBytes& whole) {
    return tile.begin >= whole.begin && tile.begin + tile.bytes <= whole.begin + whole.bytes &&
           !(tile == whole);
  }
  /// Whether all that is written where the tile lies was written through parts of it: kernels load
  /// them one by one and then compute with the whole.
  bool is_made_of_parts(Space space, const TileBytes& tile) {
    return of(space).all_of(tile.begin, tile.begin + tile.bytes, [&](const Bytes& bytes) {
      return !bytes.write.is_set() || is_part(bytes.tile, tile);
    });
  }
  static void forget_lost(Bytes& bytes, const TileBytes& tile) {
    const auto is_of = [&](const Lost& lost) { return lost.tile == tile; };
    bytes.lost.erase(std::remove_if(bytes.lost.begin(), bytes.lost.end(), is_of), bytes.lost.end());
  }
  void note_lost(Bytes& bytes, const TileBytes& tile) const {
    const auto remove = [&](const TileBytes& of) { forget_lost(bytes, of); };
    remove(tile);
    if (!bytes.write.is_set() || bytes.tile == tile || bytes.tile.bytes == 0) return;
    remove(bytes.tile);
    bytes.lost.push_back({bytes.tile, tile, now_.site, now_.time});
  }

  /// An instruction that came before this one, most often from the same file.
  std::string earlier(uint32_t site) const {
    const Site& before = sites_[site];
    if (std::string(before.file) != sites_[now_.site].file) return text_of(before);
    return std::string(before.instruction) + " in line " + std::to_string(before.line);
  }
  void check_order(const char* verb, const Place& place, const Access& former,
                   const char* former_verb) const {
    if (!former.is_set() || clocks_.is_before(former.pipe, former.number, now_.pipe)) return;
    const std::string pipes = std::string(name_of(former.pipe)) + ", " + name_of(now_.pipe);
    throw Finding(text_of(sites_[now_.site]) + ": " + name_of(now_.pipe) + " " + verb + " " +
                  text(place) + ", which " + earlier(former.site) + " " + former_verb + " on " +
                  name_of(former.pipe) + ", unordered: set_flag(" + pipes +
                  ", e) and its wait_flag go between");
  }
  [[noreturn]] void report_unwritten(const Place& place) const {
    throw Finding(
        text_of(sites_[now_.site]) + ": reads " + text(place) +
        ", which nobody has written in this kernel: load or compute it first, or make the "
        "valid region smaller");
  }
  [[noreturn]] void report_overwritten(const Place& place, const Lost& lost,
                                       const TileBytes& tile) const {
    throw Finding(text_of(sites_[now_.site]) + ": reads " + text(place) + " of the tile at " +
                  text(tile) + ", which " + earlier(lost.site) +
                  " has overwritten through that at " + text(lost.by) +
                  ": TASSIGN one of them elsewhere, or read it before");
  }

  static std::string hexadecimal(uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
  }
  static std::string text(const Place& place) {
    return hexadecimal(place.begin) + ".." + hexadecimal(place.end - 1) + " of " +
           name_of(place.space);
  }
  static std::string text(const TileBytes& tile) {
    return hexadecimal(tile.begin) + " (" + std::to_string(tile.bytes) + " bytes)";
  }
  static std::string flag_text(Pipe from, Pipe to, int event) {
    return std::string(name_of(from)) + ", " + name_of(to) + ", " + std::to_string(event);
  }

  PipeClocks clocks_;
  std::array<RangeMap<Bytes>, space_count> memories_;
  std::vector<Site> sites_;
  uint64_t time_ = 0;
  Access now_;  // the instruction that was issued last
};

}  // namespace pto::checks
