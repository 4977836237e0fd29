#include "sinter/weights/file_report.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "tests/weights/safetensors_bytes.h"
#include "tests/weights/temporary_folder.h"

namespace sinter::weights {
namespace {

using FileReportTest = FolderTest;

constexpr std::string_view kOneFloat =
    R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";

FileReport examined(std::string_view text, std::string_view name) {
  return examine(std::as_bytes(std::span(text)), name);
}

TEST_F(FileReportTest, ASoundFile) {
  const FileReport report = examine(put("m.safetensors", safetensors_bytes(kOneFloat, 4)));
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.reason, "A sound safetensors file of 1 tensor.");
  EXPECT_EQ(report.tensors, 1u);
  EXPECT_EQ(report.dtypes.at("F32"), 1u);
  EXPECT_EQ(report.metadata.at("k"), "v");
  EXPECT_EQ(report.header_bytes, 8 + kOneFloat.size());
  EXPECT_EQ(report.bytes, report.header_bytes + 4);
  EXPECT_TRUE(report.values_checked);
  EXPECT_TRUE(report.warnings.empty());
}

TEST_F(FileReportTest, AHalfDownloadStillListsItsTensors) {
  const FileReport report = examine(put("m.safetensors", safetensors_bytes(kOneFloat, 1)));
  EXPECT_EQ(report.verdict, Verdict::kDamaged);
  EXPECT_EQ(report.reason, "The file ends at byte 88, expected 91: 3 bytes are missing.");
  EXPECT_EQ(report.hint, "it looks like a half download or a broken copy; fetch the file again");
  EXPECT_EQ(report.tensors, std::nullopt);
  ASSERT_EQ(report.listed.size(), 1u);
  EXPECT_EQ(report.listed[0].name, "a");
}

TEST_F(FileReportTest, NumbersOfALargeFileAreLeftAlone) {
  std::vector<std::byte> file = safetensors_bytes(kOneFloat, 4);
  std::fill(file.end() - 4, file.end(), std::byte{0xff});
  EXPECT_EQ(examine(file, "m.safetensors").warnings, std::vector<std::string>{"not finite: a"});
  const FileReport unread = examine(file, "m.safetensors", {.largest_values_check = 10});
  EXPECT_TRUE(unread.warnings.empty());
  EXPECT_FALSE(unread.values_checked);
}

TEST_F(FileReportTest, AWrongExtensionIsAWarning) {
  const std::vector<std::byte> file = safetensors_bytes(kOneFloat, 4);
  for (const char* name : {"m.ckpt", "m.pt", "M.PTH", "m.bin"}) {
    EXPECT_EQ(examine(file, name).warnings, std::vector<std::string>{"wrong extension"}) << name;
  }
  for (const char* name : {"m.safetensors", "m.SFT", "m", "m.dat"}) {
    EXPECT_TRUE(examine(file, name).warnings.empty()) << name;
  }
}

TEST_F(FileReportTest, APickleIsDangerousWithTheCallQuoted) {
  const FileReport report = examined("cos\nsystem\n(S'true'\ntR.", "m.pt");
  EXPECT_EQ(report.verdict, Verdict::kDangerous);
  EXPECT_EQ(report.reason, "Loading it would call os.system('true').");
  EXPECT_EQ(report.hint,
            "do not load it with torch.load or pickle; sinter executes nothing of it, and convert "
            "takes its tensors only with --allow-unsafe-keys");
  ASSERT_EQ(report.pickle->dangerous.size(), 1u);
  EXPECT_EQ(report.pickle->dangerous[0].global, "os.system");
  EXPECT_EQ(report.pickle->dangerous[0].call, "os.system('true')");
}

TEST_F(FileReportTest, AForeignFileIsNotAModel) {
  const FileReport report = examined("<html></html>", "m.safetensors");
  EXPECT_EQ(report.verdict, Verdict::kNotAModel);
  EXPECT_EQ(report.format, FileFormat::kHtml);
  EXPECT_EQ(report.reason, "The file is a web page saved in place of the model.");
  EXPECT_EQ(report.tensors, std::nullopt);
}

TEST_F(FileReportTest, AFolderIsExaminedAsAWhole) {
  EXPECT_EQ(examine(folder_).verdict, Verdict::kNotAModel);
  put("broken.safetensors", safetensors_bytes(kOneFloat, 1));
  EXPECT_EQ(examine(folder_).reason,
            "The file ends at byte 88, expected 91: 3 bytes are missing, while reading " +
                (folder_ / "broken.safetensors").string() + " as safetensors.");
  std::filesystem::remove(folder_ / "broken.safetensors");
  put("model-00001-of-00002.safetensors", safetensors_bytes(kOneFloat, 4));
  EXPECT_EQ(examine(folder_).verdict, Verdict::kDamaged);
  put("model.safetensors", safetensors_bytes(kOneFloat, 4));
  const FileReport report = examine(folder_);
  EXPECT_EQ(report.verdict, Verdict::kOk);
  EXPECT_EQ(report.format, FileFormat::kFolder);
  EXPECT_EQ(report.reason, "A folder of 1 sound safetensors file with 1 tensor.");
  EXPECT_EQ(report.tensors, 1u);
}

TEST_F(FileReportTest, AConvertedFolderIsSoundWhenItsGraphsAreThere) {
  put("sinter.json", R"({"sinter":"0.1.0","graphs":{"unet":{"weight_bytes":5},"vae_decoder":{}}})");
  put("unet/model.onnx", "x");
  put("vae_decoder/model.onnx", "x");
  const FileReport sound = examine(folder_);
  EXPECT_EQ(sound.verdict, Verdict::kOk);
  EXPECT_EQ(sound.format, FileFormat::kConverted);
  EXPECT_EQ(sound.reason, "A folder that sinter 0.1.0 converted: unet, vae_decoder.");
  EXPECT_EQ(sound.bytes, 5u);
  EXPECT_EQ(sound.tensors, std::nullopt);
  std::filesystem::remove(folder_ / "unet/model.onnx");
  const FileReport damaged = examine(folder_);
  EXPECT_EQ(damaged.verdict, Verdict::kDamaged);
  EXPECT_EQ(damaged.reason, "There is no " + (folder_ / "unet/model.onnx").string() + ".");
}

TEST_F(FileReportTest, AMissingFileThrows) {
  EXPECT_THROW(examine(folder_ / "none.safetensors"), Error);
}

}  // namespace
}  // namespace sinter::weights
