// Every file of tests/data/weights/torch, which torch.save wrote, against what torch.load reads
// from it (make_torch_files.py).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinter/base/file.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/torch/strided.h"
#include "sinter/weights/torch/torch_file.h"

namespace sinter::weights::torch {
namespace {
namespace fs = std::filesystem;

const fs::path kFolder = fs::path(SINTER_TEST_DATA) / "weights/torch";

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

/// {tensor: [dtype, shape, bytes]} of a file, the tensors written out piece by piece.
nlohmann::json content_of(const fs::path& path) {
  const MappedFile file(path);
  const TorchFile read = read_torch_file(file.bytes(), recognise(file.bytes()).format);
  EXPECT_FALSE(read.damage) << path << ": " << (read.damage ? read.damage->what() : "");
  EXPECT_TRUE(read.dangerous.empty()) << path << ": " << danger_of(read);
  nlohmann::json content = nlohmann::json::object();
  for (const TorchTensor& tensor : read.tensors) {
    std::string bytes;
    write_tensor(file.bytes(), read.blocks[tensor.block], tensor,
                 [&](std::span<const std::byte> piece) { bytes += hexadecimal(piece); });
    content[tensor.name] = {tensor.element->name, tensor.shape, bytes};
  }
  return content;
}

TEST(TorchGolden, EveryTensorIsWhatTorchLoads) {
  const nlohmann::json expected = nlohmann::json::parse(read_text(kFolder / "expected.json"));
  ASSERT_GE(expected.size(), 40u);
  for (const auto& [name, tensors] : expected.items())
    EXPECT_EQ(content_of(kFolder / name), tensors) << name;
}

TEST(TorchGolden, CheckpointsGiveTheSameBytes) {
  const nlohmann::json expected = nlohmann::json::parse(read_text(kFolder / "expected.json"));
  for (const auto& [name, tensors] : expected.items()) {
    if (name.starts_with("dtype-c")) continue;  // complex numbers, which no network here has
    const Checkpoint checkpoint = Checkpoint::open(kFolder / name);
    EXPECT_EQ(checkpoint.tensors().size(), tensors.size()) << name;
    for (const auto& [key, tensor] : tensors.items()) {
      const TensorEntry* entry = checkpoint.find(key);
      ASSERT_NE(entry, nullptr) << name << ' ' << key;
      EXPECT_EQ(hexadecimal(checkpoint.bytes(*entry)), tensor[2].get<std::string>())
          << name << ' ' << key;
      if (!entry->gathered) continue;
      std::string bytes;
      checkpoint.gathered(*entry).write(
          [&](std::span<const std::byte> piece) { bytes += hexadecimal(piece); });
      EXPECT_EQ(bytes, tensor[2].get<std::string>()) << name << ' ' << key;
    }
  }
}

}  // namespace
}  // namespace sinter::weights::torch
