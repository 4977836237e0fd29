#include "sinter/lint/report/line_table.h"

#include <gtest/gtest.h>

namespace sinter::lint {
namespace {

TEST(LineTable, CountsLinesAndCharactersFromOne) {
  const LineTable lines(
      "ab\nc\xC3\xA4"
      "d\n");
  EXPECT_EQ(lines.line_at(0), 1U);
  EXPECT_EQ(lines.line_at(2), 1U);
  EXPECT_EQ(lines.line_at(3), 2U);
  EXPECT_EQ(lines.column_at(6), 3U);  // behind the two bytes of one character
  EXPECT_EQ(lines.begin_of(2), 3U);
}

TEST(LineTable, EndsWithTheText) {
  const LineTable lines("a\nb");
  EXPECT_EQ(lines.line_at(99), 2U);
  EXPECT_EQ(lines.column_at(99), 2U);
  EXPECT_EQ(lines.begin_of(3), 3U);
  EXPECT_EQ(LineTable("").line_at(0), 1U);
}

}  // namespace
}  // namespace sinter::lint
