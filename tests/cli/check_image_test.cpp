// Pictures on the command line; what is recognised is tested in tests/diagnose.
#include <fstream>

#include "sinter/base/file.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

namespace fs = std::filesystem;

std::string picture(const std::string& name) {
  return std::string(SINTER_TEST_DATA) + "/diagnose/images/" + name + ".png";
}

class CheckImage : public CommandTest {};

TEST_F(CheckImage, SaysWhatIsWrongAndWhatCuresIt) {
  const Ended ended = sinter({"check-image", picture("nan-tile")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("nan-tile.png: nan-speckle\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("--no-half-vae"), std::string::npos);
  EXPECT_EQ(sinter({"check-image", picture("harbour")}).status, 0);
}

TEST_F(CheckImage, SpeaksChinese) {
  const Ended ended = sinter({"check-image", picture("black"), "--lang", "zh"});
  EXPECT_NE(ended.out.find("所有像素都是黑色"), std::string::npos) << ended.out;
  expect_error(sinter({"check-image", picture("black"), "--lang", "de"}), 2,
               "error: there is no language 'de'; there are en and zh\nhint: did you mean 'en'?\n");
}

TEST_F(CheckImage, JsonIsDocumented) {
  expect_documented("check-image", json({"check-image", picture("seams"), picture("mist")}, 1));
}

TEST_F(CheckImage, OtherFilesAreNamedAndDoNotStopTheRest) {
  std::ofstream(folder() / "photo.png", std::ios::binary) << "\xFF\xD8\xFF\xE0 a JPEG";
  std::ofstream(folder() / "cut.png", std::ios::binary)
      << read_text(picture("seams")).substr(0, 2000);
  const Ended ended = sinter({"check-image", "photo.png", picture("black"), "cut.png", "--json"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find("error: photo.png is a JPEG file, expected PNG\n"), std::string::npos);
  const nlohmann::json found = nlohmann::json::parse(ended.out).at("pictures");
  EXPECT_TRUE(found[0].at("class").is_null());
  EXPECT_EQ(found[1].at("class"), "all-black");
  EXPECT_NE(found[2].at("error").get<std::string>().find("not a whole PNG file"),
            std::string::npos);
  EXPECT_EQ(sinter({"check-image", "photo.png"}).status, 4);
}

}  // namespace
}  // namespace sinter::cli
