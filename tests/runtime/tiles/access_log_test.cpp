/// Races of a core's pipes, reads of what nobody wrote, and tiles that overlap. Each is told where
/// it is, and what differs from it in one thing alone is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "pto/checks/access_log.hpp"

namespace {

using pto::checks::AccessLog;
using pto::checks::Finding;
using pto::checks::Pipe;
using pto::checks::Site;
using pto::checks::Space;
using pto::checks::TileBytes;
using testing::AllOf;
using testing::HasSubstr;

constexpr TileBytes first_tile{0, 512};
constexpr TileBytes second_tile{512, 512};

/// A kernel, line by line.
class Kernel {
 public:
  Kernel& load(const TileBytes& tile = first_tile) {
    return issue(Pipe::MTE2, "TLOAD").write(tile);
  }
  Kernel& add(const TileBytes& to, const TileBytes& from) {
    return issue(Pipe::V, "TADD").read(from).write(to);
  }
  Kernel& store(const TileBytes& tile) { return issue(Pipe::MTE3, "TSTORE").read(tile); }
  Kernel& flag(Pipe from, Pipe to, int event = 0) {
    ++line_;
    log_.set_flag(from, to, event);
    log_.wait_flag(from, to, event, {"wait_flag", "k.cpp", line_});
    return *this;
  }
  Kernel& barrier() {
    ++line_;
    log_.barrier_of_all();
    return *this;
  }
  Kernel& issue(Pipe pipe, const char* instruction) {
    log_.begin(pipe, {instruction, "k.cpp", ++line_});
    return *this;
  }
  Kernel& read(const TileBytes& tile) {
    log_.read(Space::UB, tile.begin, tile.begin + tile.bytes, tile);
    return *this;
  }
  Kernel& write(const TileBytes& tile) {
    log_.write(Space::UB, tile.begin, tile.begin + tile.bytes, tile);
    return *this;
  }
  AccessLog& log() { return log_; }

 private:
  AccessLog log_;
  int line_ = 0;
};

/// What the kernel is told, or nothing.
std::string told(const std::function<void(Kernel&)>& body) {
  Kernel kernel;
  try {
    body(kernel);
  } catch (const Finding& finding) {
    EXPECT_LT(std::string(finding.what()).size(), 240U) << "longer than what a run keeps";
    return finding.what();
  }
  return "";
}

TEST(AccessLog, TellsAReadOfWhatIsBeingLoaded) {
  EXPECT_THAT(told([](Kernel& k) { k.load().add(second_tile, first_tile); }),
              AllOf(HasSubstr("TADD at k.cpp:2: PIPE_V reads 0x0..0x1ff of UB"),
                    HasSubstr("TLOAD in line 1 writes on PIPE_MTE2"),
                    HasSubstr("set_flag(PIPE_MTE2, PIPE_V, e) and its wait_flag")));
  EXPECT_EQ(
      told([](Kernel& k) { k.load().flag(Pipe::MTE2, Pipe::V).add(second_tile, first_tile); }), "");
}

TEST(AccessLog, TellsALoadOverWhatIsBeingRead) {
  const auto loads_again = [](Kernel& k) -> Kernel& {
    return k.load().flag(Pipe::MTE2, Pipe::V).add(second_tile, first_tile);
  };
  EXPECT_THAT(told([&](Kernel& k) { loads_again(k).load(); }),
              AllOf(HasSubstr("TLOAD at k.cpp:4: PIPE_MTE2 writes"),
                    HasSubstr("TADD in line 3 reads on PIPE_V")));
  EXPECT_EQ(told([&](Kernel& k) { loads_again(k).flag(Pipe::V, Pipe::MTE2).load(); }), "");
}

TEST(AccessLog, TellsTwoWritesOfTwoPipes) {
  const auto writes = [](Kernel& k) { k.issue(Pipe::V, "TEXPANDS").write(first_tile); };
  EXPECT_THAT(told([&](Kernel& k) { k.load(), writes(k); }),
              HasSubstr("TEXPANDS at k.cpp:2: PIPE_V writes"));
  EXPECT_EQ(told([&](Kernel& k) { k.load().barrier(), writes(k); }), "");
}

TEST(AccessLog, OrdersOnePipeByItself) {
  EXPECT_EQ(told([](Kernel& k) {
              k.issue(Pipe::V, "TEXPANDS").write(first_tile);
              k.add(second_tile, first_tile).add(first_tile, second_tile);
            }),
            "");
}

TEST(AccessLog, TakesAFlagInItsDirectionAlone) {
  const auto flagged = [](Pipe from, Pipe to) {
    return told([=](Kernel& k) { k.load().flag(from, to).add(second_tile, first_tile); });
  };
  EXPECT_EQ(flagged(Pipe::MTE2, Pipe::V), "");
  EXPECT_NE(flagged(Pipe::V, Pipe::MTE2), "");
  EXPECT_NE(flagged(Pipe::MTE2, Pipe::MTE3), "");
  EXPECT_NE(flagged(Pipe::MTE3, Pipe::V), "");
}

TEST(AccessLog, AFlagIsForWhatCameBeforeIt) {
  EXPECT_NE(told([](Kernel& k) {
              k.log().set_flag(Pipe::MTE2, Pipe::V, 0);
              k.load();
              k.log().wait_flag(Pipe::MTE2, Pipe::V, 0, Site{});
              k.add(second_tile, first_tile);
            }),
            "");
}

TEST(AccessLog, FlagsHandOnWhatTheirPipeHasWaitedFor) {
  // The store comes after the addition, and so after the load.
  EXPECT_EQ(told([](Kernel& k) {
              k.load().flag(Pipe::MTE2, Pipe::V).add(second_tile, first_tile);
              k.flag(Pipe::V, Pipe::MTE3).store(first_tile);
            }),
            "");
  EXPECT_NE(told([](Kernel& k) {
              k.load().add(second_tile, TileBytes{});
              k.flag(Pipe::V, Pipe::MTE3).store(first_tile);
            }),
            "");
}

TEST(AccessLog, WhatTheScalarPipeHasWaitedForIsBeforeAllThatItIssues) {
  EXPECT_EQ(
      told([](Kernel& k) { k.load().flag(Pipe::MTE2, Pipe::S).add(second_tile, first_tile); }), "");
  // Its own accesses are not.
  const auto scalar = [](Kernel& k) { k.issue(Pipe::S, "SetValue").write(first_tile); };
  EXPECT_THAT(told([&](Kernel& k) { scalar(k), k.add(second_tile, first_tile); }),
              HasSubstr("SetValue in line 1 writes on PIPE_S"));
  EXPECT_EQ(
      told([&](Kernel& k) { scalar(k), k.flag(Pipe::S, Pipe::V).add(second_tile, first_tile); }),
      "");
}

TEST(AccessLog, EachSetIsForOneWaitOfItsEvent) {
  const auto wait = [](Kernel& k, int event) {
    k.log().wait_flag(Pipe::MTE2, Pipe::V, event, {"wait_flag", "k.cpp", 9});
  };
  EXPECT_EQ(told([&](Kernel& k) { k.log().set_flag(Pipe::MTE2, Pipe::V, 3), wait(k, 3); }), "");
  EXPECT_THAT(told([&](Kernel& k) { k.log().set_flag(Pipe::MTE2, Pipe::V, 3), wait(k, 4); }),
              AllOf(HasSubstr("wait_flag at k.cpp:9: PIPE_V waits for ever"),
                    HasSubstr("set_flag(PIPE_MTE2, PIPE_V, 4)")));
  EXPECT_NE(told([&](Kernel& k) { k.flag(Pipe::MTE2, Pipe::V, 3), wait(k, 3); }), "");
  EXPECT_NE(told([&](Kernel& k) { k.log().set_flag(Pipe::V, Pipe::MTE2, 3), wait(k, 3); }), "");
}

TEST(AccessLog, AWaitTakesTheFirstSet) {
  // The second load is behind the first set, which the wait takes.
  const auto two_loads = [](Kernel& k) {
    k.load().log().set_flag(Pipe::MTE2, Pipe::V, 0);
    k.load(second_tile).log().set_flag(Pipe::MTE2, Pipe::V, 0);
    k.log().wait_flag(Pipe::MTE2, Pipe::V, 0, Site{});
  };
  EXPECT_EQ(told([&](Kernel& k) { two_loads(k), k.add(first_tile, first_tile); }), "");
  EXPECT_NE(told([&](Kernel& k) { two_loads(k), k.add(first_tile, second_tile); }), "");
}

TEST(AccessLog, KeepsTheReadsOfAllPipes) {
  // The store is ordered before the second load, the addition is not.
  EXPECT_THAT(told([](Kernel& k) {
                k.load().barrier().add(second_tile, first_tile).store(first_tile);
                k.flag(Pipe::MTE3, Pipe::MTE2).load();
              }),
              HasSubstr("TADD in line 3 reads"));
}

TEST(AccessLog, LooksAtTheBytesThatAreShared) {
  const TileBytes half{256, 512};
  EXPECT_THAT(
      told([&](Kernel& k) { k.load(second_tile), k.issue(Pipe::V, "TEXPANDS").write(half); }),
      HasSubstr("0x200..0x2ff"));
  EXPECT_EQ(told([](Kernel& k) {
              k.load(second_tile), k.issue(Pipe::V, "TEXPANDS").write({0, 512});
            }),
            "");
}

TEST(AccessLog, LooksAtTensorsInTheChipsMemory) {
  const auto stored = [](Kernel& k) -> AccessLog& {
    k.issue(Pipe::MTE3, "TSTORE").log().write(Space::GM, 0x1000, 0x1100);
    return k.log();
  };
  const auto load = [](Kernel& k, uint64_t from) {
    k.issue(Pipe::MTE2, "TLOAD").log().read(Space::GM, from, from + 0x100);
  };
  EXPECT_THAT(told([&](Kernel& k) { stored(k), load(k, 0x10ff); }),
              HasSubstr("0x10ff..0x10ff of GM"));
  EXPECT_EQ(told([&](Kernel& k) { stored(k), load(k, 0x1100); }), "");
  EXPECT_EQ(told([&](Kernel& k) { stored(k).barrier_of_all(), load(k, 0x1000); }), "");
}

TEST(AccessLog, TellsAReadOfWhatNobodyWrote) {
  EXPECT_THAT(told([](Kernel& k) {
                k.load().barrier().add(second_tile, {0, 516});
              }),
              AllOf(HasSubstr("TADD at k.cpp:3: reads 0x200..0x203 of UB"),
                    HasSubstr("nobody has written")));
  EXPECT_THAT(told([](Kernel& k) {
                k.load().barrier().log().clear();
                k.store(first_tile);
              }),
              HasSubstr("nobody has written"));
  // Each memory has bytes of its own.
  EXPECT_NE(told([](Kernel& k) {
              k.load().barrier().issue(Pipe::M, "TMATMUL").log().read(Space::L0A, 0, 4);
            }),
            "");
}

TEST(AccessLog, TellsAReadOfWhatAnotherTileHasOverwritten) {
  const TileBytes overlapping{256, 512};
  const auto overwrite = [](Kernel& k, const TileBytes& by) -> Kernel& {
    return k.load().barrier().issue(Pipe::V, "TEXPANDS").write(by).barrier();
  };
  EXPECT_THAT(told([&](Kernel& k) { overwrite(k, overlapping).store(first_tile); }),
              AllOf(HasSubstr("TSTORE at k.cpp:5: reads 0x100..0x1ff of UB of the tile at "
                              "0x0 (512 bytes)"),
                    HasSubstr("TEXPANDS in line 3 has overwritten through that at 0x100")));
  EXPECT_EQ(told([&](Kernel& k) { overwrite(k, overlapping).store(overlapping); }), "");
  // At the same address with as many bytes it is a view of the same content.
  EXPECT_EQ(told([&](Kernel& k) { overwrite(k, first_tile).store(first_tile); }), "");
  // Whoever writes the tile anew reads what it has written.
  EXPECT_EQ(told([&](Kernel& k) { overwrite(k, overlapping).load().barrier().store(first_tile); }),
            "");
  EXPECT_NE(told([&](Kernel& k) { overwrite(k, overlapping).load().barrier().store(overlapping); }),
            "");
}

TEST(AccessLog, TakesWhatIsBoundLaterForAView) {
  /// Writes to `part` once the first tile has its content, twice, and stores the whole.
  const auto write_part = [](TileBytes part, bool later) {
    return told([&](Kernel& k) {
      k.load().barrier();
      if (later) part.bound = k.log().time();
      for (int i = 0; i < 2; ++i) k.issue(Pipe::V, "TEXPANDS").write(part);
      k.barrier().store(first_tile);
    });
  };
  EXPECT_EQ(write_part({64, 64}, true), "");
  EXPECT_NE(write_part({64, 64}, false), "");
  EXPECT_NE(write_part({448, 128}, true), "");
  /// Reads through a tile that had other content there once.
  const auto read_again = [](TileBytes tile, bool later) {
    return told([&](Kernel& k) {
      k.load(tile).barrier().load().barrier();
      if (later) tile.bound = k.log().time();
      k.store(tile);
    });
  };
  EXPECT_EQ(read_again({0, 64}, true), "");
  EXPECT_NE(read_again({0, 64}, false), "");
}

TEST(AccessLog, TakesATileForTheWholeOfItsParts) {
  /// Replaces the first tile's content by that of parts, and stores the whole.
  const auto replace = [](std::initializer_list<TileBytes> parts) {
    return told([&](Kernel& k) {
      k.load().barrier();
      for (const TileBytes& part : parts) k.issue(Pipe::V, "TEXPANDS").write(part);
      k.barrier().store(first_tile);
    });
  };
  EXPECT_EQ(replace({{0, 256}, {256, 256}}), "");
  EXPECT_NE(replace({{0, 256}}), "");
  EXPECT_NE(replace({{256, 256}}), "");
  EXPECT_NE(replace({{0, 256}, {256, 192}}), "");
  EXPECT_NE(replace({{0, 256}, {256, 320}}), "");
}

TEST(AccessLog, RemembersTheLossThroughFurtherWrites) {
  const TileBytes by{0, 64};
  const auto overwrite_twice = [&](Kernel& k) -> AccessLog& {
    k.load().barrier().issue(Pipe::V, "TMULS").write(by);
    k.issue(Pipe::V, "TADDS").write({0, 32}).issue(Pipe::V, "TADD");
    return k.log();
  };
  EXPECT_THAT(told([&](Kernel& k) { overwrite_twice(k).read(Space::UB, 0, 32, first_tile); }),
              HasSubstr("TMULS in line 3 has overwritten"));
  EXPECT_THAT(told([&](Kernel& k) { overwrite_twice(k).read(Space::UB, 0, 64, by); }),
              HasSubstr("TADDS in line 4 has overwritten"));
}

TEST(AccessLog, AKernelBeginsWithoutFlags) {
  EXPECT_NE(told([](Kernel& k) {
              k.log().set_flag(Pipe::MTE2, Pipe::V, 0);
              k.log().clear();
              k.log().wait_flag(Pipe::MTE2, Pipe::V, 0, Site{});
            }),
            "");
}

}  // namespace
