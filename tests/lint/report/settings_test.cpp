#include "sinter/lint/report/settings.h"

#include <gtest/gtest.h>

#include <string>

#include "sinter/base/error.h"

namespace sinter::lint {
namespace {

TEST(Settings, ReadTheirSection) {
  const Settings settings = read_settings(
      "[project]\nname = \"x\"\n[tool.sinter.lint]\nignore = [\"numpy-on-cuda\"]\n", "p.toml");
  EXPECT_FALSE(settings.wants(Rule::kNumpyOnCuda));
  EXPECT_TRUE(settings.wants(Rule::kHalfOnCpu));
  const Settings chosen =
      read_settings("[tool.sinter.lint]\nselect = [\"numpy-on-cuda\"]\n", "p.toml");
  EXPECT_TRUE(chosen.wants(Rule::kNumpyOnCuda));
  EXPECT_FALSE(chosen.wants(Rule::kHalfOnCpu));
  EXPECT_TRUE(read_settings("", "p.toml").wants(Rule::kHalfOnCpu));
}

std::string refusal(const std::string& text) {
  try {
    read_settings(text, "p.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  }
  return "";
}

TEST(Settings, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(refusal("[tool.sinter.lint]\nselect = [\"nothing\"]\n"),
            "p.toml:2: there is no rule 'nothing'");
  EXPECT_EQ(refusal("[tool.sinter.lint]\nstrict = true\n"),
            "p.toml:2: tool.sinter.lint has no setting 'strict'");
  EXPECT_EQ(refusal("[tool.sinter.lint]\nignore = \"x\"\n"),
            "p.toml:2: tool.sinter.lint.ignore is no list of rules");
  EXPECT_TRUE(refusal("[tool\n").starts_with("p.toml:1:6: this is no TOML: "));
}

}  // namespace
}  // namespace sinter::lint
