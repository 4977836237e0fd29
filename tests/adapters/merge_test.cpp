#include "sinter/adapters/merge/merge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinter/adapters/arithmetic/float_storage.h"
#include "sinter/adapters/arithmetic/ordered_pipeline.h"
#include "sinter/base/error.h"

namespace sinter::adapters {
namespace {
namespace fs = std::filesystem;

/// Adds its row's number times a factor to every element.
class AddRow final : public Change {
 public:
  AddRow(std::size_t columns, float factor) : columns_(columns), factor_(factor) {}
  void apply(std::span<float> rows, std::int64_t first) const override {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] += factor_ * static_cast<float>(static_cast<std::size_t>(first) + i / columns_);
  }

 private:
  std::size_t columns_;
  float factor_;
};

class Merge : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 700;  // several pieces
  static constexpr std::size_t kColumns = 300;

  /// A checkpoint of one float16 tensor of ones.
  weights::Checkpoint open(DType dtype) const {
    const fs::path path =
        fs::path(SINTER_TEST_SCRATCH) / (std::string(dtype_name(dtype)) + ".safetensors");
    fs::create_directories(path.parent_path());
    std::vector<std::byte> bytes(kRows * kColumns * dtype_bytes(dtype));
    if (dtype == DType::kF16)
      store_floats(std::vector<float>(kRows * kColumns, 1.0F), dtype, bytes);
    if (dtype == DType::kF8E4M3) std::memset(bytes.data(), 0x38, bytes.size());  // 1
    weights::write_safetensors(path,
                               {{.name = "w",
                                 .dtype = dtype,
                                 .shape = {kRows, kColumns},
                                 .write = [&](const weights::ByteSink& sink) { sink(bytes); }}});
    return weights::Checkpoint::open(path);
  }

  static PlacedChange add_row(const arch::WeightSource& source, std::int64_t first,
                              std::int64_t rows, float strength) {
    return {
        .plan = {.by_rows = true,
                 .load = [](float factor) { return std::make_unique<AddRow>(kColumns, factor); }},
        .matrix = {},
        .source = &source,
        .first_row = first,
        .rows = rows,
        .module_row = 0,
        .strength = strength};
  }

  static std::vector<std::byte> written(const weights::ComputedTensor& tensor) {
    std::vector<std::byte> bytes;
    tensor.write([&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return bytes;
  }

  static std::vector<float> floats(const weights::ComputedTensor& tensor) {
    const std::vector<std::byte> bytes = written(tensor);
    std::vector<float> values(kRows * kColumns);
    load_floats(bytes, tensor.dtype, values);
    return values;
  }
};

TEST_F(Merge, ChangesSomeRowsAndLeavesTheOthers) {
  const weights::Checkpoint file = open(DType::kF16);
  const arch::WeightSource source{.tensor = &file.tensors().front()};
  const auto merged = merged_tensors(file, {add_row(source, 100, 200, 2.0F)});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged.front().dtype, DType::kF16);
  const std::vector<float> values = floats(merged.front());
  EXPECT_EQ(values[99 * kColumns], 1.0F);
  EXPECT_EQ(values[100 * kColumns + 7], 1.0F);
  EXPECT_EQ(values[101 * kColumns], 3.0F);
  EXPECT_EQ(values[299 * kColumns], 399.0F);
  EXPECT_EQ(values[300 * kColumns], 1.0F);
}

TEST_F(Merge, AddsUpSeveralAndPassesOverAWeightOfZero) {
  const weights::Checkpoint file = open(DType::kF16);
  const arch::WeightSource source{.tensor = &file.tensors().front()};
  const auto merged =
      merged_tensors(file, {add_row(source, 0, kRows, 1.0F), add_row(source, 0, kRows, -0.5F)});
  EXPECT_EQ(floats(merged.front())[10 * kColumns], 6.0F);
  EXPECT_TRUE(merged_tensors(file, {add_row(source, 0, kRows, 0.0F)}).empty());
}

TEST_F(Merge, GivesTheSameBytesForAnyNumberOfThreads) {
  const weights::Checkpoint file = open(DType::kF16);
  const arch::WeightSource source{.tensor = &file.tensors().front()};
  const auto bytes = [&](unsigned threads) {
    return written(
        merged_tensors(file, {add_row(source, 0, kRows, 0.37F)}, {.threads = threads}).front());
  };
  EXPECT_EQ(bytes(1), bytes(2));
  EXPECT_EQ(bytes(1), bytes(5));
}

TEST_F(Merge, WidensWhereItIsAskedAndAlwaysFloat8) {
  const weights::Checkpoint half = open(DType::kF16);
  const arch::WeightSource half_source{.tensor = &half.tensors().front()};
  EXPECT_EQ(
      merged_tensors(half, {add_row(half_source, 0, kRows, 1.0F)}, {.widen = true}).front().dtype,
      DType::kF32);
  const weights::Checkpoint eighth = open(DType::kF8E4M3);
  const arch::WeightSource source{.tensor = &eighth.tensors().front()};
  const auto merged = merged_tensors(eighth, {add_row(source, 0, kRows, 1.0F)});
  EXPECT_EQ(merged.front().dtype, DType::kF16);
  EXPECT_EQ(floats(merged.front())[3 * kColumns], 4.0F);
}

TEST_F(Merge, RefusesWhatLeavesTheRangeOfTheType) {
  const weights::Checkpoint file = open(DType::kF16);
  const arch::WeightSource source{.tensor = &file.tensors().front()};
  const auto merged = merged_tensors(file, {add_row(source, 0, kRows, 1e6F)});
  try {
    written(merged.front());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "merged, 'w' has values beyond float16\nhint: give the adapter a smaller weight, or look "
        "at it with sinter inspect: its numbers are far too large");
  }
}

TEST(OrderedPipeline, HandsPiecesOnInOrderAndPassesFailuresOn) {
  std::vector<std::size_t> slots(3);
  std::vector<std::size_t> taken;
  OrderedPipeline pipeline{
      .pieces = 50,
      .threads = 4,
      .slots = slots.size(),
      .make = [&](std::size_t piece, std::size_t slot) { slots[slot] = piece; },
      .take = [&](std::size_t, std::size_t slot) { taken.push_back(slots[slot]); }};
  run_pipeline(pipeline);
  ASSERT_EQ(taken.size(), 50U);
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i);
  pipeline.make = [](std::size_t piece, std::size_t) {
    if (piece == 7) throw Error(ErrorCode::kBadFile, "seven");
  };
  EXPECT_THROW(run_pipeline(pipeline), Error);
  pipeline.make = [](std::size_t, std::size_t) {};
  pipeline.take = [](std::size_t, std::size_t) { throw Error(ErrorCode::kIo, "full"); };
  EXPECT_THROW(run_pipeline(pipeline), Error);
}

}  // namespace
}  // namespace sinter::adapters
