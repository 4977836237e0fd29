#include "sinter/base/host.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sinter {
namespace {

TEST(Host, RunsAProgramAndTakesWhatItPrints) {
  EXPECT_EQ(run_program({"echo", "two words"}, 5000, 100), "two words\n");
  EXPECT_EQ(run_program({"printf", "abcdef"}, 5000, 3), "abc");
}

TEST(Host, AProgramThatFailsOrIsNotThereIsNothing) {
  EXPECT_EQ(run_program({"false"}, 5000, 100), std::nullopt);
  EXPECT_EQ(run_program({"sinter-no-such-program"}, 5000, 100), std::nullopt);
  EXPECT_EQ(run_program({}, 5000, 100), std::nullopt);
}

TEST(Host, AProgramThatHangsIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_program({"sleep", "60"}, 200, 100), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Host, WhatIsNotThereIsNothing) {
  EXPECT_EQ(read_beginning("/nowhere/file", 10), std::nullopt);
  EXPECT_EQ(read_beginning("/dev", 10), std::nullopt);
  EXPECT_TRUE(list_folder("/nowhere").empty());
  EXPECT_FALSE(path_exists("/nowhere"));
  EXPECT_EQ(resolve_path("/nowhere/../x"), "/nowhere/../x");
  EXPECT_EQ(free_disk_bytes("/nowhere/at/all"), std::nullopt);
}

}  // namespace
}  // namespace sinter
