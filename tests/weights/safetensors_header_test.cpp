#include "sinter/weights/safetensors_header.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "tests/weights/safetensors_bytes.h"

namespace sinter::weights {
namespace {

SafetensorsHeader read(std::string_view json, std::size_t data_bytes) {
  const std::vector<std::byte> file = safetensors_bytes(json, data_bytes);
  SafetensorsHeader header = read_safetensors_header(file);
  check_safetensors_length(header, file.size());
  return header;
}

/// The refusal's message and hint, or "accepted".
std::string refusal(const std::vector<std::byte>& file) {
  try {
    check_safetensors_length(read_safetensors_header(file), file.size());
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  }
}

std::string refusal(std::string_view json, std::size_t data_bytes) {
  return refusal(safetensors_bytes(json, data_bytes));
}

TEST(SafetensorsHeader, ListsTensorsInTheOrderOfTheData) {
  const SafetensorsHeader header =
      read(R"({"__metadata__":{"format":"pt"},)"
           R"("b":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},)"
           R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
           16);
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[0].dtype, DType::kF32);
  EXPECT_TRUE(header.tensors[0].shape.empty());
  EXPECT_EQ(header.tensors[0].begin, header.header_bytes);
  EXPECT_EQ(header.tensors[1].name, "b");
  EXPECT_EQ(header.tensors[1].shape, (Shape{2, 3}));
  EXPECT_EQ(header.tensors[1].begin, header.header_bytes + 4);
  EXPECT_EQ(header.tensors[1].bytes, 12u);
  EXPECT_EQ(header.metadata.at("format"), "pt");
}

// What the reference reader (safetensors 0.8.0) takes is taken here too.
TEST(SafetensorsHeader, TakesWhatTheReferenceReaderTakes) {
  EXPECT_EQ(refusal(R"({})", 0), "accepted");
  EXPECT_EQ(refusal("{} \n\n", 0), "accepted");
  EXPECT_EQ(refusal(R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1), "accepted");
  EXPECT_EQ(refusal(R"({"__metadata__":null})", 0), "accepted");
  EXPECT_EQ(refusal(R"({"a":{"x":{"y":[1,{"z":[]}]},"dtype":"U8","shape":[1],)"
                    R"("data_offsets":[0,1],"q":-1.5}})",
                    1),
            "accepted");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[0,9],"data_offsets":[1,1]},)"
                    R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                    1),
            "accepted");
}

TEST(SafetensorsHeader, NamesATypeThatTheFormatHasAndSinterHasNot) {
  const SafetensorsHeader header =
      read(R"({"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2);
  EXPECT_FALSE(header.tensors[0].dtype.has_value());
  EXPECT_EQ(header.tensors[0].dtype_name, "F4");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2),
            "'a' fills 12 bits, expected whole bytes");
}

TEST(SafetensorsHeader, RefusesLengthLies) {
  EXPECT_EQ(refusal(std::vector<std::byte>(7)),
            "the file has 7 bytes, expected at least 8 for the header's length");
  EXPECT_EQ(refusal(safetensors_bytes("{}", 0, 0)),
            "the header's length at byte 0 is 0, expected at least 2");
  EXPECT_EQ(refusal(safetensors_bytes("{}", 0, 100'000'001)),
            "the header's length at byte 0 is 100000001, expected at most 100000000");
  EXPECT_EQ(refusal(safetensors_bytes("{}", 0, 30)),
            "the header's length at byte 0 is 30, but only 2 bytes follow: 28 bytes are missing");
  std::vector<std::byte> wraps = safetensors_bytes("{}", 0);
  std::fill(wraps.begin(), wraps.begin() + 8, std::byte{0xff});
  EXPECT_EQ(refusal(wraps),
            "the header's length at byte 0 is 18446744073709551615, expected at most 100000000");
  EXPECT_EQ(refusal("[1]", 0), "byte 8 is 0x5b, expected '{', the start of the header");
  EXPECT_EQ(refusal(" {}", 0), "byte 8 is 0x20, expected '{', the start of the header");
}

TEST(SafetensorsHeader, RefusesOverlappingTensors) {
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                    6),
            "'b' begins at byte 115, inside 'a', which ends at 117: they overlap");
}

TEST(SafetensorsHeader, RefusesBytesThatBelongToNoTensor) {
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})", 6),
            "'a' begins at byte 63, expected 61: 2 bytes belong to no tensor");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 5),
            "the last tensor ends at byte 65, but the file at 66: 1 byte belongs to no tensor");
  EXPECT_EQ(refusal("{}", 1),
            "the last tensor ends at byte 10, but the file at 11: 1 byte belongs to no tensor");
}

TEST(SafetensorsHeader, SaysHowManyBytesOfAHalfDownloadAreMissing) {
  const std::vector<std::byte> file =
      safetensors_bytes(R"({"a":{"dtype":"F32","shape":[100],"data_offsets":[0,400]}})", 150);
  const SafetensorsHeader header = read_safetensors_header(file);
  try {
    check_safetensors_length(header, file.size());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the file ends at byte 216, expected 466: 250 bytes are missing\n"
                 "hint: it looks like a half download or a broken copy; fetch the file again");
  }
}

TEST(SafetensorsHeader, RefusesShapesAndOffsetsThatDisagree) {
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}})", 16),
            "'a' is F32 [2,3], expected 24 bytes, its offsets [0,16] give 16");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
            "'a' ends at data byte 0, before it begins at 4");
}

TEST(SafetensorsHeader, RefusesProductsThatOverflow) {
  EXPECT_EQ(
      refusal(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0),
      "'a' has the shape [4611686018427387904,4]: more elements than a file can hold");
  EXPECT_EQ(
      refusal(R"({"a":{"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0),
      "'a' has the shape [4611686018427387904]: more elements than a file can hold");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[0],)"
                    R"("data_offsets":[18446744073709551615,18446744073709551615]}})",
                    0),
            "'a' begins at data byte 18446744073709551615: no file is that long");
}

TEST(SafetensorsHeader, RefusesUnknownTypes) {
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F12","shape":[1],"data_offsets":[0,4]}})", 4),
            "'a' has the unknown element type 'F12'");
}

TEST(SafetensorsHeader, ShowsLongNamesByTheirEnds) {
  const std::string name = "first" + std::string(5000, 'x') + "last";
  EXPECT_EQ(refusal("{\"" + name + R"(":{"dtype":"F0","shape":[1],"data_offsets":[0,1]}})", 1),
            "'first" + std::string(95, 'x') + "..." + std::string(36, 'x') +
                "last' has the unknown element type 'F0'");
}

}  // namespace
}  // namespace sinter::weights
