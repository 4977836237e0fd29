#include "sinter/weights/safetensors_writer.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/weights/checkpoint.h"
#include "tests/weights/temporary_folder.h"

namespace sinter::weights {
namespace {

using SafetensorsWriterTest = FolderTest;

std::vector<std::byte> counting(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

ErrorCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kRuntime;
}

TEST_F(SafetensorsWriterTest, WhatIsWrittenReadsBack) {
  const auto path = folder_ / "m.safetensors";
  const std::vector<std::byte> data = counting(17);
  SafetensorsWriter writer(path,
                           {{"größe \"1\"\n", DType::kF32, {2, 2}},
                            {"b", DType::kU8, {1}},
                            {"none", DType::kI64, {0, 7}}},
                           {{"format", "pt"}, {"note", "a\tb"}});
  writer.write(std::span(data).first(5));
  writer.write(std::span(data).subspan(5));
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  EXPECT_EQ(std::filesystem::file_size(path), writer.file_bytes());

  const Checkpoint checkpoint = Checkpoint::open(path);
  EXPECT_EQ(checkpoint.tensors().size(), 3u);
  const TensorEntry* first = checkpoint.find("größe \"1\"\n");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->begin % 8, 0u);
  EXPECT_EQ(first->shape, (Shape{2, 2}));
  EXPECT_EQ(checkpoint.bytes(*first)[15], std::byte{15});
  EXPECT_EQ(checkpoint.bytes(*checkpoint.find("b"))[0], std::byte{16});
  EXPECT_EQ(checkpoint.metadata().at("note"), "a\tb");
}

TEST_F(SafetensorsWriterTest, RefusesTooManyAndTooFewBytes) {
  SafetensorsWriter writer(folder_ / "m.safetensors", {{"a", DType::kU8, {2}}});
  const std::vector<std::byte> data = counting(3);
  EXPECT_EQ(code_of([&] { writer.write(data); }), ErrorCode::kInternal);
  writer.write(std::span(data).first(1));
  EXPECT_EQ(code_of([&] { writer.commit(); }), ErrorCode::kInternal);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
}

TEST_F(SafetensorsWriterTest, RefusesNamesThatNoReaderWouldTake) {
  const auto open = [&](std::vector<PlannedTensor> tensors) {
    return code_of([&] { SafetensorsWriter(folder_ / "m.safetensors", tensors); });
  };
  EXPECT_EQ(open({{"a", DType::kU8, {1}}, {"a", DType::kU8, {1}}}), ErrorCode::kUsage);
  EXPECT_EQ(open({{"__metadata__", DType::kU8, {1}}}), ErrorCode::kUsage);
  EXPECT_EQ(open({{"\xff", DType::kU8, {1}}}), ErrorCode::kUsage);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST(SortForAlignment, PutsWideTypesFirstAndThenSortsByName) {
  std::vector<PlannedTensor> tensors{{"a", DType::kU8, {1}},
                                     {"d", DType::kF16, {1}},
                                     {"c", DType::kF16, {1}},
                                     {"b", DType::kF32, {1}}};
  sort_for_alignment(tensors);
  EXPECT_EQ(tensors[0].name + tensors[1].name + tensors[2].name + tensors[3].name, "bcda");
}

}  // namespace
}  // namespace sinter::weights
