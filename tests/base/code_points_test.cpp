#include "sinter/base/code_points.h"

#include <gtest/gtest.h>

namespace sinter {
namespace {

TEST(CodePoints, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_EQ(decode_utf8("a\xFF\xC3(\xE2\x82"), U"a\uFFFD\uFFFD(\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");            // half a surrogate pair
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");                      // longer than needed
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last
}

TEST(CodePoints, TextGoesThroughUnchanged) {
  const std::string text = "aé日😀\x7F\u0080\u07FF\u0800\uFFFF\U00010000\U0010FFFF";
  std::string back;
  for (const char32_t code : decode_utf8(text)) append_utf8(back, code);
  EXPECT_EQ(back, text);
}

}  // namespace
}  // namespace sinter
