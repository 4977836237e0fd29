#include "sinter/diagnose/environment/version.h"

#include <gtest/gtest.h>

namespace sinter::diagnose::environment {
namespace {

bool within(std::string_view version, std::string_view specifiers) {
  return satisfies(parse_version(version), specifiers);
}

// The order of PEP 440, section "Summary of permitted suffixes and relative ordering".
TEST(Version, IsOrderedAsPackagesAre) {
  const char* rising[] = {"1.0.dev4",  "1.0a1.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0",
                          "1.0.post1", "1.1.dev1",   "1.1",   "1.10",  "2.0"};
  for (std::size_t i = 0; i + 1 < std::size(rising); ++i)
    EXPECT_LT(compare(parse_version(rising[i]), parse_version(rising[i + 1])), 0) << rising[i];
  EXPECT_EQ(compare(parse_version("2.1"), parse_version("2.1.0+cu121")), 0);
}

TEST(Version, SpecifiersSelect) {
  EXPECT_TRUE(within("2.1.2+cu118", "==2.1.2"));
  EXPECT_FALSE(within("2.1.2+cu118", "==2.1.2+cu121"));
  EXPECT_TRUE(within("2.1.2", "==2.1.*"));
  EXPECT_FALSE(within("2.10.0", "==2.1.*"));
  EXPECT_TRUE(within("0.27.1", ">=0.23.2,<1.0"));
  EXPECT_FALSE(within("1.32.0", ">=0.23.2,<1.0"));
  EXPECT_TRUE(within("4.44.2", "~=4.30"));
  EXPECT_FALSE(within("5.0", "~=4.30"));
  EXPECT_TRUE(within("0.0.27.post2", "(>0.0.27)"));
  EXPECT_FALSE(within("1.5", "!=1.5"));
}

TEST(Version, WhatCannotBeReadAccusesNobody) {
  EXPECT_TRUE(within("unknown", "<1"));
  EXPECT_TRUE(within("1.0", "<=soon"));
  EXPECT_FALSE(parse_version("").known());
}

}  // namespace
}  // namespace sinter::diagnose::environment
