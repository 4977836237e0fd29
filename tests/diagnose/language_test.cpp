#include "sinter/diagnose/language.h"

#include <gtest/gtest.h>

namespace sinter::diagnose {
namespace {

TEST(Language, IsReadFromItsCodeAndFromLocales) {
  EXPECT_EQ(language_from_name("en"), Language::kEnglish);
  EXPECT_EQ(language_from_name("zh"), Language::kChinese);
  EXPECT_EQ(language_from_name("zh_CN.UTF-8"), Language::kChinese);
  EXPECT_EQ(language_from_name("en-GB"), Language::kEnglish);
}

TEST(Language, IsNothingForOthers) {
  EXPECT_EQ(language_from_name("de_DE.UTF-8"), std::nullopt);
  EXPECT_EQ(language_from_name("C"), std::nullopt);
  EXPECT_EQ(language_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace sinter::diagnose
