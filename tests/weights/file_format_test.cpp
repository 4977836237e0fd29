#include "sinter/weights/file_format.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinter::weights {
namespace {

FileFormat of(std::string_view content) {
  return recognise(std::as_bytes(std::span(content))).format;
}

TEST(FileFormat, ShortContentsAreNotReadPastTheirEnd) {
  EXPECT_EQ(of(""), FileFormat::kEmpty);
  EXPECT_EQ(of("\x80"), FileFormat::kUnknown);
  EXPECT_EQ(of("PK\x03\x04"), FileFormat::kZip);
  EXPECT_EQ(of("\x1f\x8b"), FileFormat::kUnknown);
  EXPECT_EQ(of(std::string_view("\0", 1)), FileFormat::kZeros);
}

// A header of 640 bytes begins like a pickle, one of 559903 like a gzip archive.
TEST(FileFormat, AHeadersLengthIsNoMagicNumber) {
  EXPECT_EQ(of(std::string_view("\x80\x02\0\0\0\0\0\0{", 9)), FileFormat::kSafetensors);
  EXPECT_EQ(of(std::string_view("\x1f\x8b\x08\0\0\0\0\0{", 9)), FileFormat::kSafetensors);
}

TEST(FileFormat, TellsPicklesOfAllProtocols) {
  EXPECT_EQ(of(std::string_view("\x80\x04\x95\0\0\0\0\0\0\0\0", 11)), FileFormat::kPickle);
  EXPECT_EQ(of("cposix\nsystem\n(S'true'\ntR."), FileFormat::kPickle);
  EXPECT_EQ(of("(S'true'\nios\nsystem\n."), FileFormat::kPickle);
  EXPECT_EQ(of("(cos\nsystem\nS'true'\no."), FileFormat::kPickle);
  EXPECT_EQ(of("(dp0\nS'a'\np1\nI1\ns."), FileFormat::kPickle);
  EXPECT_EQ(of("could not find it\nask again.\n"), FileFormat::kText);
  EXPECT_EQ(of("(Sorry.)\nNo such file."), FileFormat::kText);
}

TEST(FileFormat, TellsPagesErrorsAndText) {
  EXPECT_EQ(of("\xef\xbb\xbf\r\n <!DocType HTML>"), FileFormat::kHtml);
  EXPECT_EQ(of("<?xml version=\"1.0\"?><Error/>"), FileFormat::kHtml);
  EXPECT_EQ(of(" {\"error\": \"not found\"}\n"), FileFormat::kJson);
  EXPECT_EQ(of("{error}"), FileFormat::kText);
  EXPECT_EQ(of("Zugriff verweigert: größer"), FileFormat::kText);
  EXPECT_EQ(of("gr\xf6\xdf"
               "er"),
            FileFormat::kUnknown);
}

TEST(FileFormat, ALongTextMayBeCutWithinACharacter) {
  std::string text(4095, 'x');
  for (int i = 0; i < 100; ++i) text += "ß";
  EXPECT_EQ(of(text), FileFormat::kText);
}

TEST(FileFormat, ALargeFileOfZerosIsSampled) {
  std::vector<std::byte> file(std::size_t{8} << 20);
  EXPECT_EQ(recognise(file).format, FileFormat::kZeros);
  file.back() = std::byte{1};
  EXPECT_EQ(recognise(file).format, FileFormat::kUnknown);
}

TEST(FileFormat, SaysWhatIsInAZip) {
  const std::string_view zip(
      "PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0m/a.txt", 37);
  const RecognisedFormat found = recognise(std::as_bytes(std::span(zip)));
  EXPECT_EQ(found.format, FileFormat::kZip);
  EXPECT_EQ(found.description, "a zip archive with m/a.txt in it");
  EXPECT_EQ(found.hint, "unpack it; the model may be inside");
}

TEST(FileFormat, NamesAreThoseOfTheReports) {
  EXPECT_EQ(format_name(FileFormat::kSafetensors), "safetensors");
  EXPECT_EQ(format_name(FileFormat::kGitLfsPointer), "git-lfs-pointer");
  EXPECT_EQ(format_name(FileFormat::kFolder), "folder");
}

TEST(FileFormat, TellsGraphs) {
  EXPECT_EQ(of("\x08\x08\x12\x06sinter\x1a\x05"
               "0.1.0"),
            FileFormat::kOnnx);
  EXPECT_EQ(of("\x08\x07\x12\x07pytorch"), FileFormat::kOnnx);
  EXPECT_EQ(of("\x08\x07\x12\x07pyto"), FileFormat::kUnknown);
  EXPECT_EQ(of(std::string_view("\x08\x07\x12\x03\0\0\0", 7)), FileFormat::kUnknown);
}

}  // namespace
}  // namespace sinter::weights
