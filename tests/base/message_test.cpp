#include "sinter/base/message.h"

#include <gtest/gtest.h>

namespace sinter {
namespace {

TEST(Message, OneThingHasNoPlural) {
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(2, "tensor"), "2 tensors");
}

TEST(Message, LongNamesKeepTheirBeginningAndTheirEnd) {
  EXPECT_EQ(shown("conv_in.weight"), "conv_in.weight");
  const std::string longest(160, 'x');
  EXPECT_EQ(shown(longest), longest);
  const std::string name = "first." + std::string(5000, 'x') + ".last";
  EXPECT_EQ(shown(name), "first." + std::string(94, 'x') + "..." + std::string(35, 'x') + ".last");
}

TEST(Message, LongNamesAreNotCutInsideACharacter) {
  std::string name;
  for (int i = 0; i < 200; ++i) name += "\xe2\x82\xac";
  std::string expected;
  for (int i = 0; i < 33; ++i) expected += "\xe2\x82\xac";
  expected += "...";
  for (int i = 0; i < 13; ++i) expected += "\xe2\x82\xac";
  EXPECT_EQ(shown(name), expected);
}

TEST(Message, NothingThatATerminalObeysIsPrinted) {
  EXPECT_EQ(printable("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\a\b\r\n\t\x7f"),
            "\\x1b[31mred\\x1b[0m\\x07\\x08\\x0d\\n\\t\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // CSI of C1
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202e"
            "b");  // writes backwards
  EXPECT_EQ(printable(std::string_view("a\0b", 3)),
            "a\\x00"
            "b");
}

TEST(Message, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(printable("a\xff"
                      "b\xc3"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(printable("\x9b"), "\xef\xbf\xbd");
}

TEST(Message, LinesCanStay) { EXPECT_EQ(printable("a\n  b\x1b", true), "a\n  b\\x1b"); }

TEST(Message, NamesAreShownPrintable) {
  EXPECT_EQ(shown("a\nhint: b"), "a\\nhint: b");
  EXPECT_EQ(printable(shown("\x1b")), shown("\x1b"));
}

}  // namespace
}  // namespace sinter
