#include "sinter/base/png_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter {
namespace {

namespace fs = std::filesystem;

fs::path file(const char* name) { return fs::path(testing::TempDir()) / name; }

Image gradient(int width, int height, int channels) {
  Image image{width, height, channels, {}};
  for (int i = 0; i < width * height * channels; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(i * 7));
  return image;
}

TEST(Png, PicturesReadBackTheSame) {
  for (const int channels : {3, 4}) {
    const Image image = gradient(5, 3, channels);
    write_png(file("sinter_same.png"), image);
    EXPECT_EQ(read_png(file("sinter_same.png")), image);
  }
}

TEST(Png, TheSamePictureIsTheSameBytes) {
  const PngTexts texts{{"parameters", "a cat\nSteps: 20"}};
  write_png(file("sinter_a.png"), gradient(64, 48, 3), texts);
  write_png(file("sinter_b.png"), gradient(64, 48, 3), texts);
  EXPECT_EQ(read_text(file("sinter_a.png")), read_text(file("sinter_b.png")));
}

TEST(Png, TextsAreLatin1OrUtf8) {
  const PngTexts texts{{"parameters", "café\nSteps: 20"}, {"other", "日本の城 😀"}};
  write_png(file("sinter_text.png"), gradient(2, 2, 3), texts);
  EXPECT_EQ(read_png_texts(file("sinter_text.png")), texts);
  EXPECT_EQ(read_png(file("sinter_text.png")), gradient(2, 2, 3));
  const std::string bytes = read_text(file("sinter_text.png"));
  EXPECT_NE(bytes.find(std::string("tEXtparameters\0caf\xE9", 19)), std::string::npos);
  EXPECT_NE(bytes.find(std::string("iTXtother\0\0\0\0\0\xE6", 15)), std::string::npos);
}

TEST(Png, OtherFormatsAreRefusedByName) {
  std::ofstream(file("sinter_photo.png"), std::ios::binary) << "\xFF\xD8\xFF\xE0 and more";
  try {
    read_png(file("sinter_photo.png"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(error.message().ends_with("is a JPEG file, expected PNG")) << error.message();
  }
}

TEST(Png, RefusesDamagedFiles) {
  write_png(file("sinter_whole.png"), gradient(8, 8, 3), {{"parameters", "text"}});
  const std::string whole = read_text(file("sinter_whole.png"));
  const auto write = [](std::string_view bytes) {
    std::ofstream(file("sinter_bad.png"), std::ios::binary) << bytes;
  };
  write(whole.substr(0, whole.size() / 2));
  EXPECT_THROW(read_png(file("sinter_bad.png")), Error);
  EXPECT_THROW(read_png_texts(file("sinter_bad.png")), Error);
  write("<html>");
  EXPECT_THROW(read_png(file("sinter_bad.png")), Error);
  EXPECT_THROW(read_png_texts(file("sinter_bad.png")), Error);
  EXPECT_THROW(write_png(file("sinter_bad.png"), Image{}), Error);
  EXPECT_THROW(write_png("/nowhere/a.png", gradient(2, 2, 3)), Error);
}

}  // namespace
}  // namespace sinter
