// The guide on the command line; its tables are tested in tests/diagnose.
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

class Guide : public CommandTest {};

TEST_F(Guide, IsPlainTextOutsideATerminal) {
  const Ended ended = sinter({"guide"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.out.starts_with(" 1. What does the first error of the log say")) << ended.out;
  EXPECT_NE(ended.out.find("\n  external-data  External data\n"), std::string::npos) << ended.out;
}

TEST_F(Guide, TellsAStepInBothLanguages) {
  EXPECT_TRUE(sinter({"guide", "devices"}).out.starts_with(" 2. Devices (devices)\n"));
  EXPECT_TRUE(sinter({"guide", "devices", "--lang", "zh"}).out.starts_with(" 2. 设备 (devices)\n"));
}

TEST_F(Guide, SuggestsTheTopicThatWasMeant) {
  const Ended ended = sinter({"guide", "device"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("error: there is no topic 'device'"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("hint: did you mean 'devices'?"), std::string::npos) << ended.err;
}

TEST_F(Guide, JsonIsDocumented) {
  const nlohmann::json all = json({"guide"});
  expect_documented("guide", all);
  EXPECT_EQ(all.at("checklist").size(), 16u);
  EXPECT_EQ(json({"guide", "opset"}).at("checklist").size(), 1u);
  EXPECT_TRUE(json({"guide", "opset"}).at("myths").empty());
}

}  // namespace
}  // namespace sinter::cli
