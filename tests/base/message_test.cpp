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
  EXPECT_EQ(shown(name),
            "first." + std::string(94, 'x') + "..." + std::string(35, 'x') + ".last");
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

}  // namespace
}  // namespace sinter
