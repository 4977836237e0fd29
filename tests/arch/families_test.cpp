#include "sinter/arch/families.h"

#include <gtest/gtest.h>

#include <set>

namespace sinter::arch {
namespace {

TEST(Families, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> architectures;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_TRUE(architectures.insert(family.architecture).second) << family.architecture;
    EXPECT_EQ(&family_named(family.name), &family);
  }
}

TEST(Families, AreToldApartByWhatDetectionAsks) {
  for (const Family& one : families())
    for (const Family& other : families())
      if (&one != &other) {
        EXPECT_FALSE(one.in_channels == other.in_channels && one.vector == other.vector &&
                     one.linear_projection == other.linear_projection)
            << one.name << " and " << other.name;
      }
}

TEST(Families, GiveTheWidthOfTheirTowersTogether) {
  for (const Family& family : families()) {
    std::int64_t width = 0;
    for (const TowerUse& use : family.towers) width += tower(use.kind).width;
    EXPECT_EQ(width, family.context_width) << family.name;
  }
}

TEST(Families, EveryTowerKindHasItsRow) {
  for (const Tower& row : towers()) EXPECT_EQ(&tower(row.kind), &row);
}

}  // namespace
}  // namespace sinter::arch
