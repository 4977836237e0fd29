// A checkpoint of 8-bit floats is packed as what PyTorch widens them to.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/convert.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

/// The code at a place of a tensor: all of them occur, but for those that are not finite.
std::byte code_at(std::size_t place) { return std::byte(place * 7 % 120 + (place % 2) * 128); }

/// The stand-in with all its floats replaced by codes of that type.
fs::path float8_stand_in(const fs::path& folder, DType dtype) {
  const weights::Checkpoint source = weights::Checkpoint::open(stand_in(folder, "tiny/sd1"));
  std::vector<weights::PlannedTensor> plan;
  for (const weights::TensorEntry& tensor : source.tensors())
    if (is_floating(tensor.dtype)) plan.push_back({tensor.name, dtype, tensor.shape});
  const fs::path path = folder / "float8.safetensors";
  weights::SafetensorsWriter writer(path, plan);
  for (const weights::PlannedTensor& tensor : plan) {
    std::vector<std::byte> codes(static_cast<std::size_t>(element_count(tensor.shape)));
    for (std::size_t place = 0; place < codes.size(); ++place) codes[place] = code_at(place);
    writer.write(codes);
  }
  writer.commit();
  return path;
}

std::array<float, 256> widened_by_torch(DType dtype) {
  const nlohmann::json table =
      nlohmann::json::parse(read_text(fs::path(SINTER_TEST_DATA) / "base/float8.json"));
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code) {
    const std::string bits = table.at(std::string(dtype_name(dtype))).at(code);
    values[code] = std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(bits, nullptr, 16)));
  }
  return values;
}

class Float8Checkpoint : public testing::TestWithParam<DType> {
 protected:
  static std::string test_name() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '-');
    return name;
  }
  TemporaryFolder folder_{"float8-" + test_name()};
  fs::path checkpoint_ = float8_stand_in(folder_.path(), GetParam());
};

TEST_P(Float8Checkpoint, IsPackedAsPyTorchWidensIt) {
  const std::array<float, 256> widened = widened_by_torch(GetParam());
  ConvertOptions options;
  options.weights = WeightStorage::kPack;
  for (const Precision precision : {Precision::kF16, Precision::kF32}) {
    options.precision = precision;
    const fs::path out = folder_.path() / precision_name(precision);
    convert(checkpoint_, out, options);
    const graph::OnnxModel model = graph::OnnxModel::load(out / "unet/model.onnx");
    std::size_t compared = 0;
    for (const graph::Weight& weight : model.weights()) {
      if (weight.name.find('[') != weight.name.npos) continue;  // begins inside a tensor
      Tensor stored(weight.dtype, weight.shape);
      std::ranges::copy(weight.bytes, stored.bytes().begin());
      const Tensor values = to_dtype(stored, DType::kF32);
      for (std::size_t place = 0; place < values.floats().size(); ++place)
        ASSERT_EQ(values.floats()[place], widened[std::to_integer<std::size_t>(code_at(place))])
            << weight.name << " at " << place;
      ++compared;
    }
    EXPECT_GT(compared, 200u);
  }
}

TEST_P(Float8Checkpoint, IsNotLinked) {
  try {
    convert(checkpoint_, folder_.path() / "out", {});
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.hint(), "--weights pack stores it converted");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Float8Checkpoint, testing::Values(DType::kF8E4M3, DType::kF8E5M2),
                         [](const auto& dtype) { return std::string(dtype_name(dtype.param)); });

}  // namespace
}  // namespace sinter::convert
