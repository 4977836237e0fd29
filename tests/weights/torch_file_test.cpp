#include "sinter/weights/torch/torch_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sinter/base/source_header.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/file_report.h"
#include "tests/weights/temporary_folder.h"
#include "tests/weights/torch_bytes.h"

namespace sinter::weights::torch {
namespace {

TorchFile read_zip(const std::string& bytes) {
  return read_torch_file(std::as_bytes(std::span(bytes)), FileFormat::kTorchZip);
}

/// {"a": a view of 8 floats}.
std::string one_view(std::int64_t offset, const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& strides) {
  return torch_zip(
      Program().raw("}").text("a").tensor("0", 8, offset, shape, strides).raw("s").stop(),
      {counting_floats(8)});
}

std::string damage_of(const std::string& bytes) {
  const TorchFile file = read_zip(bytes);
  EXPECT_TRUE(file.tensors.empty());
  return file.damage ? file.damage->message() : std::string();
}

TEST(TorchFile, ViewsLieWithinTheirStorage) {
  EXPECT_EQ(read_zip(one_view(0, {2, 4}, {4, 1})).tensors.size(), 1u);
  EXPECT_EQ(read_zip(one_view(7, {5, 5}, {0, 0})).tensors.size(), 1u);
  EXPECT_EQ(read_zip(one_view(100, {0, 4}, {4, 1})).tensors.size(), 1u);
  EXPECT_EQ(damage_of(one_view(1, {2, 4}, {4, 1})),
            "its elements reach to byte 36 of storage 0, which has 32");
  EXPECT_EQ(damage_of(one_view(-1, {2}, {1})), "its offset is -1, expected none below 0");
  EXPECT_EQ(damage_of(one_view(0, {2}, {-1})), "its stride is -1, expected none below 0");
  EXPECT_EQ(damage_of(one_view(0, {-2}, {1})), "its extent is -2, expected none below 0");
  EXPECT_EQ(damage_of(one_view(0, {2, 4}, {std::int64_t{1} << 62, 1})),
            "its last element is beyond any storage");
}

TEST(TorchFile, NumbersBeyond64BitsAreDamage) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(damage_of(one_view(0, {large, large}, {0, 0})),
            "its shape has more elements than there can be");
  EXPECT_EQ(damage_of(one_view(0, {4, 4}, {std::int64_t{1} << 62, 1})),
            "its last element is beyond any storage");
}

TEST(TorchFile, RecordsAreCheckedAgainstTheProgram) {
  const std::string program =
      Program().raw("}").text("a").tensor("0", 8, 0, {8}, {1}).raw("s").stop();
  EXPECT_EQ(damage_of(torch_zip(program, {})),
            "storage 0 is missing: there is no archive/data/0 in the archive");
  EXPECT_EQ(damage_of(torch_zip(program, {counting_floats(7)})),
            "storage 0 has 28 bytes, expected 32 for 8 elements of float32");
  EXPECT_EQ(damage_of(torch_zip(program, {counting_floats(8)}, "middle")),
            "its byte order is 'middle', expected little or big");
  EXPECT_EQ(damage_of(zip_bytes(
                {{"archive/data.pkl", program}, {"archive/data/0", counting_floats(8), 1}})),
            "the checksum of storage 0 is 7a0a407c, expected 7a0a407d");
}

TEST(TorchFile, ZipsComeInAllShapes) {
  const std::vector<ZipFile> files{
      {"x/data.pkl", Program().raw("}").text("a").tensor("0", 8, 0, {8}, {1}).raw("s").stop()},
      {"x/data/0", counting_floats(8)}};
  EXPECT_EQ(read_zip(zip_bytes(files, true)).tensors.size(), 1u);
  EXPECT_EQ(read_zip(zip_bytes(files, false, "a comment with PK\x05\x06 in it")).tensors.size(),
            1u);
  std::vector<ZipFile> twice = files;
  twice.push_back(files[1]);
  EXPECT_EQ(damage_of(zip_bytes(twice)), "'x/data/0' is in the zip archive twice");
  std::vector<ZipFile> two = files;
  two.push_back({"y/data.pkl", files[0].data});
  EXPECT_EQ(damage_of(zip_bytes(two)),
            "both x/data.pkl and y/data.pkl would be the file's program");
}

TEST(TorchFile, EveryProgramOfAnArchiveIsLookedAt) {
  const std::string evil = Program().global("os", "system").text("true").raw("\x85R").stop();
  const std::string program =
      Program().raw("}").text("a").tensor("0", 8, 0, {8}, {1}).raw("s").stop();
  for (const std::vector<ZipFile>& files : std::vector<std::vector<ZipFile>>{
           {{"x/data.pkl", program}, {"x/data/0", counting_floats(8)}, {"x/constants.pkl", evil}},
           {{"x/data.pkl", program + evil}, {"x/data/0", counting_floats(8)}},
           {{"x/data.pkl", program + "." + evil},
            {"x/data/0", counting_floats(8)},
            {"y.pkl", evil}},
           {{"x/data.pkl", evil, 5}, {"x/data/0", counting_floats(8)}}}) {
    const TorchFile file = read_zip(zip_bytes(files));
    EXPECT_EQ(danger_of(file), "loading it would call os.system('true')");
  }
}

TEST(TorchFile, FilesWithinAProgramAreLookedAt) {
  const std::string evil = Program().global("os", "system").text("true").raw("\x85R").stop();
  const std::string outer = Program(3)
                                .global("torch.storage", "_load_from_bytes")
                                .raw("B" + little_endian(evil.size(), 4) + evil)
                                .raw("\x85R")
                                .stop();
  const TorchFile file = read_torch_file(std::as_bytes(std::span(outer)), FileFormat::kPickle);
  EXPECT_EQ(danger_of(file), "loading it would call os.system('true')");
}

TEST(TorchFile, NumbersInTheOtherByteOrderAreTurned) {
  std::string big = counting_floats(4);
  for (std::size_t i = 0; i < big.size(); i += 4) std::reverse(&big[i], &big[i] + 4);
  const std::string bytes = torch_zip(
      Program().raw("}").text("a").tensor("0", 4, 1, {3}, {1}).raw("s").stop(), {big}, "big");
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sinter-big.pt";
  std::ofstream(path, std::ios::binary) << bytes;
  const Checkpoint checkpoint = Checkpoint::open(path);
  const TensorEntry& entry = checkpoint.tensors().at(0);
  EXPECT_TRUE(entry.gathered.has_value());
  EXPECT_EQ(std::memcmp(checkpoint.bytes(entry).data(), counting_floats(4).data() + 4, 12), 0);
  std::filesystem::remove(path);
}

TEST(TorchFile, AlignedRecordsKeepTheirRange) {
  const std::string bytes = one_view(2, {2, 3}, {3, 1});
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sinter-range.pt";
  std::ofstream(path, std::ios::binary) << bytes;
  const Checkpoint checkpoint = Checkpoint::open(path);
  const TensorEntry& entry = checkpoint.tensors().at(0);
  EXPECT_FALSE(entry.gathered.has_value());
  EXPECT_EQ(bytes.substr(entry.begin, entry.bytes), counting_floats(8).substr(8, 24));
  const SourceFile& source = checkpoint.files().at(0);
  EXPECT_EQ((SourceHeader{source.header_bytes, source.header_sha256}),
            source_header(std::as_bytes(std::span(bytes)), 0));
  std::filesystem::remove(path);
}

TEST(TorchFile, ADangerousFileGivesItsTensorsOnlyWhenAskedTo) {
  const std::string program = Program()
                                  .raw("}")
                                  .text("a")
                                  .tensor("0", 8, 0, {8}, {1})
                                  .raw("s")
                                  .global("os", "system")
                                  .text("true")
                                  .raw("\x85R0")
                                  .stop();
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sinter-evil.pt";
  std::ofstream(path, std::ios::binary) << torch_zip(program, {counting_floats(8)});
  try {
    Checkpoint::open(path);
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              path.string() +
                  " is dangerous: loading it would call os.system('true')\n"
                  "hint: fetch it as safetensors; sinter executes nothing of it, and "
                  "--allow-unsafe-keys takes its tensors all the same");
  }
  EXPECT_EQ(Checkpoint::open(path, {.allow_unsafe_keys = true}).tensors().size(), 1u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sinter::weights::torch
