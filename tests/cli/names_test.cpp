// The small pure parts of the command line: suggestions, names of pictures, sizes and times.
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>

#include "sinter/base/error.h"
#include "sinter/base/nearest.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/picture_names.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
namespace {

TEST(Nearest, IsTheWordWithTheFewestMistakes) {
  const std::vector<std::string> commands{"inspect", "convert", "verify", "generate"};
  EXPECT_EQ(nearest("convrt", commands), "convert");
  EXPECT_EQ(nearest("cnovert", commands), "convert");  // a swap is one mistake
  EXPECT_EQ(nearest("verfiy", commands), "verify");
  EXPECT_EQ(nearest("gen", commands), "generate");
  EXPECT_EQ(nearest("paint", commands), "");
  EXPECT_EQ(nearest("--", {"--json"}), "");
}

TEST(UnknownName, ListsWhatThereIs) {
  const Error error = unknown_name("engine", "openvno", {"openvino", "onnxruntime"});
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_STREQ(error.what(),
               "there is no engine 'openvno'; there are openvino and onnxruntime\n"
               "hint: did you mean 'openvino'?");
  EXPECT_STREQ(unknown_name("generator", "philox", {"torch"}).what(),
               "there is no generator 'philox'; there is torch");
}

TEST(AsError, BlamesNobodyForWhatTheSystemRefused) {
  const std::filesystem::filesystem_error refused(
      "status", "/models", std::make_error_code(std::errc::permission_denied));
  EXPECT_EQ(as_error(refused).code(), ErrorCode::kIo);
  EXPECT_STREQ(as_error(refused).what(), "cannot use /models: Permission denied");
  EXPECT_EQ(as_error(std::bad_alloc()).code(), ErrorCode::kRuntime);
  EXPECT_EQ(as_error(std::logic_error("index")).code(), ErrorCode::kInternal);
}

TEST(PictureNames, AFileIsNumberedWhenThereAreSeveral) {
  EXPECT_EQ(picture_path("cat.png", 0, 1, 7, "a cat"), "cat.png");
  EXPECT_EQ(picture_path("cat", 0, 1, 7, "a cat"), "cat.png");
  EXPECT_EQ(picture_path("a/cat.png", 2, 3, 7, "a cat"), "a/cat-3.png");
}

TEST(PictureNames, AFolderGetsSeedAndWords) {
  EXPECT_EQ(picture_path("out/", 0, 1, 7, "A  cat, asleep!"), "out/7-a-cat-asleep.png");
  EXPECT_EQ(picture_path("out/", 1, 2, 8, "a cat"), "out/02-8-a-cat.png");
  EXPECT_EQ(picture_path("out/", 0, 1, 0, "猫"), "out/0-picture.png");
}

TEST(PictureNames, OnlyPngIsWritten) {
  EXPECT_EQ(png_path("v1.5"), "v1.5.png");
  EXPECT_EQ(png_path("CAT.PNG"), "CAT.PNG");
  try {
    png_path("cat.JPG");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cat.JPG would be a .jpg file, and pictures are written as .png");
  }
}

TEST(Text, CountsAsPeopleDo) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(3'440'000'000), "3.4 GB");
  EXPECT_EQ(human_bytes(26'705'654), "27 MB");
  EXPECT_EQ(human_seconds(9.94), "9.9 s");
  EXPECT_EQ(human_seconds(200.4), "3 min 20 s");
}

}  // namespace
}  // namespace sinter::cli
