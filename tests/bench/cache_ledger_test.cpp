#include "bench/cache_ledger.hpp"

#include <gtest/gtest.h>

#include "core/policy.hpp"

namespace pto2::bench {
namespace {

struct alignas(cache_line) Lines {
  std::byte bytes[4 * cache_line];
};

/// One line, in the middle of which data of `structure` lies.
class OneLine {
 public:
  void read(std::size_t thread, const char* structure = "it") {
    ledger_.read(thread, &lines_.bytes[8], 8, structure);
  }
  void write(std::size_t thread, const char* structure = "it") {
    ledger_.write(thread, &lines_.bytes[8], 8, structure);
  }
  [[nodiscard]] const Transfers& transfers() const { return ledger_.transfers(); }

 private:
  Lines lines_{};
  CacheLedger ledger_;
};

TEST(CacheLedger, WhatComesFromMemoryIsNoTransfer) {
  OneLine read;
  read.read(0);
  EXPECT_EQ(read.transfers(), Transfers());
  OneLine written;
  written.write(0);
  EXPECT_EQ(written.transfers(), Transfers());
}

TEST(CacheLedger, NorIsWhatAThreadHasToItself) {
  OneLine line;
  line.read(0);
  line.write(0);
  line.read(0);
  line.write(0);
  EXPECT_EQ(line.transfers(), Transfers());
}

/// The third thread's first read is one, its second is not.
TEST(CacheLedger, AReaderGetsALineThatOthersKeep) {
  OneLine line;
  line.write(0);
  line.read(1);
  line.read(2);
  EXPECT_EQ(line.transfers(), (Transfers{{"it", 2}}));
  line.read(0);
  line.read(1);
  line.read(2);
  EXPECT_EQ(line.transfers(), (Transfers{{"it", 2}}));
}

/// One transfer, however many they are; and each of them has to get it again.
TEST(CacheLedger, AWriterTakesALineFromAllWhoHoldIt) {
  OneLine line;
  line.read(0);
  line.read(1);
  line.read(2);
  line.write(0);
  EXPECT_EQ(line.transfers(), (Transfers{{"it", 3}}));
  line.read(1);
  line.read(2);
  EXPECT_EQ(line.transfers(), (Transfers{{"it", 5}}));
}

TEST(CacheLedger, CountsEachHandOverOfALineThatGoesToAndFro) {
  OneLine line;
  for (int round = 0; round < 10; ++round) {
    line.write(0);
    line.write(1);
  }
  EXPECT_EQ(line.transfers(), (Transfers{{"it", 19}}));
}

/// Whoever needs the line pays, not who had it.
TEST(CacheLedger, CountsByStructure) {
  OneLine line;
  line.write(0, "one");
  line.read(1, "other");
  line.write(0, "one");
  line.write(1, "other");
  EXPECT_EQ(line.transfers(), (Transfers{{"one", 1}, {"other", 2}}));
}

TEST(CacheLedger, CountsEachLineOfLargeData) {
  const Lines lines{};
  CacheLedger ledger;
  ledger.write(0, &lines.bytes[0], sizeof lines, "it");
  ledger.read(1, &lines.bytes[cache_line - 1], 2, "two");
  ledger.read(1, &lines.bytes[0], sizeof lines, "all");
  EXPECT_EQ(ledger.transfers(), (Transfers{{"two", 2}, {"all", 2}}));
}

}  // namespace
}  // namespace pto2::bench
