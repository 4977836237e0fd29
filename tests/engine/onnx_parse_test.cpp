#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/engine/backend.h"

namespace sinter::engine {
namespace {

const std::filesystem::path kData = std::filesystem::path(SINTER_TEST_DATA) / "engine";
const std::filesystem::path kLibraries = SINTER_TENSORRT_LIBRARIES;

/// The parser is an optional piece of set-up; it needs no GPU.
class OnnxParse : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiled_in(Flavour::kTensorRtRtx)) {
      GTEST_SKIP()
          << "built without TensorRT-RTX's headers (scripts/setup --retry says how to get them)";
    }
    if (!std::filesystem::exists(kLibraries / "libtensorrt_rtx.so.1")) {
      GTEST_SKIP() << "no TensorRT-RTX in " << kLibraries << " (scripts/setup --retry tries again)";
    }
  }
};

ParseReport parse_onnx(const std::filesystem::path& model, const std::filesystem::path& folder) {
  return open_backend(find_library(Flavour::kTensorRtRtx, std::array{folder}))->parse(model);
}

bool any_contains(const std::vector<std::string>& lines, std::string_view words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

TEST_F(OnnxParse, ReadsExternalDataAtAnUnalignedOffset) {
  const ParseReport report = parse_onnx(kData / "beside.onnx", kLibraries);
  EXPECT_TRUE(report.accepted);
  EXPECT_TRUE(report.errors.empty());
  EXPECT_GE(report.layers, 2);
}

TEST_F(OnnxParse, ReadsExternalDataThroughAHardLink) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "sinter_onnx_parse_hard_link";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "source");
  std::filesystem::create_directories(folder / "model");
  std::filesystem::copy_file(kData / "weights.bin", folder / "source/checkpoint.safetensors");
  std::filesystem::copy_file(kData / "beside.onnx", folder / "model/model.onnx");
  ASSERT_EQ(hard_link(folder / "source/checkpoint.safetensors", folder / "model/weights.bin"),
            HardLink::kMade);
  EXPECT_TRUE(parse_onnx(folder / "model/model.onnx", kLibraries).accepted);
  std::filesystem::remove_all(folder);
}

// The reason why linked weights get a name inside the model's folder.
TEST_F(OnnxParse, RefusesExternalDataAboveTheModelsFolder) {
  const ParseReport report = parse_onnx(kData / "above.onnx", kLibraries);
  EXPECT_FALSE(report.accepted);
  EXPECT_FALSE(report.errors.empty());
  EXPECT_TRUE(any_contains(report.warnings, "../weights.bin"));
}

TEST_F(OnnxParse, RefusesExternalDataThatIsAbsentOrTooShort) {
  EXPECT_TRUE(any_contains(parse_onnx(kData / "absent.onnx", kLibraries).warnings, "nothing.bin"));
  EXPECT_FALSE(parse_onnx(kData / "absent.onnx", kLibraries).accepted);
  EXPECT_FALSE(parse_onnx(kData / "beyond_the_end.onnx", kLibraries).accepted);
}

TEST_F(OnnxParse, NamesTheNodeOfAnUnknownOperator) {
  const ParseReport report = parse_onnx(kData / "unknown_operator.onnx", kLibraries);
  EXPECT_FALSE(report.accepted);
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].node, "proj/nonsense");
  EXPECT_EQ(report.errors[0].op, "Nonsense");
  EXPECT_FALSE(report.errors[0].message.empty());
}

TEST_F(OnnxParse, IsStronglyTyped) {
  const ParseReport report = parse_onnx(kData / "mixed_types.onnx", kLibraries);
  EXPECT_FALSE(report.accepted);
  ASSERT_FALSE(report.errors.empty());
  EXPECT_EQ(report.errors[0].node, "proj/matmul");
}

TEST_F(OnnxParse, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parse_onnx(kData / "unknown_operator.onnx", kLibraries);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(OnnxParse, AnAbsentModelIsAnInputOutputError) {
  try {
    parse_onnx(kData / "no-such.onnx", kLibraries);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
  }
}

TEST_F(OnnxParse, AnAbsentLibraryIsARuntimeError) {
  try {
    parse_onnx(kData / "beside.onnx", kData);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kRuntime);
    EXPECT_NE(error.message().find("libtensorrt_rtx.so"), std::string::npos) << error.message();
  }
}

TEST(OnnxParseBuild, HasTheParserExactlyWhereTheHeadersAre) {
  EXPECT_EQ(compiled_in(Flavour::kTensorRtRtx),
            std::filesystem::exists(kLibraries.parent_path() / "include/NvInfer.h"));
  if (!compiled_in(Flavour::kTensorRtRtx)) {
    EXPECT_THROW(parse_onnx(kData / "beside.onnx", kLibraries), Error);
  }
}

}  // namespace
}  // namespace sinter::engine
