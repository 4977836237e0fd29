#include "sinter/convert/delta.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/runtime/session.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

/// The UNet's last layer, doubled: a linear one, so that the output doubles.
std::vector<weights::ComputedTensor> doubled_output(const weights::Checkpoint& checkpoint,
                                                    const arch::Model&) {
  std::vector<weights::ComputedTensor> result;
  for (const char* name :
       {"model.diffusion_model.out.2.weight", "model.diffusion_model.out.2.bias"}) {
    const weights::TensorEntry& tensor = *checkpoint.find(name);
    result.push_back({name, DType::kF32, tensor.shape, [&](const weights::ByteSink& sink) {
                        Tensor values(tensor.dtype, tensor.shape);
                        std::ranges::copy(checkpoint.bytes(tensor), values.bytes().begin());
                        Tensor wide = to_dtype(values, DType::kF32);
                        for (float& value : wide.floats()) value *= 2;
                        sink(wide.bytes());
                      }});
  }
  return result;
}

class DeltaTest : public testing::Test {
 protected:
  ConvertReport converted(const std::string& name, WeightStorage weights,
                          std::vector<ComputeTensors> computed) {
    ConvertOptions options;
    options.precision = Precision::kF32;
    options.weights = weights;
    options.computed = std::move(computed);
    return convert(checkpoint_, folder_.path() / name, options);
  }

  std::vector<float> denoise(const std::string& name) const {
    const auto model = graph::OnnxModel::load(folder_.path() / name / "unet/model.onnx");
    const auto session = runtime::open_session(runtime::Engine::kOnnxRuntime, model);
    const auto filled = [](Shape shape) {
      Tensor tensor(DType::kF32, std::move(shape));
      float value = -1;
      for (float& element : tensor.floats()) element = value = value > 1 ? -1 : value + 0.01f;
      return tensor;
    };
    runtime::TensorMap inputs;
    inputs["sample"] = filled({1, 4, 8, 8});
    inputs["timestep"] = Tensor({1}, std::vector<float>{500});
    inputs["encoder_hidden_states"] = filled({1, 77, 64});
    const Tensor out = session->run(inputs).at("out_sample");
    return {out.floats().begin(), out.floats().end()};
  }

  void expect_twice(const std::string& name) {
    const std::vector<float> plain = denoise("plain");
    const std::vector<float> twice = denoise(name);
    ASSERT_EQ(plain.size(), twice.size());
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_FLOAT_EQ(twice[i], 2 * plain[i]);
  }

  TemporaryFolder folder_{std::string("delta-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
  fs::path checkpoint_ = stand_in(folder_.path(), "tiny/sd1");
};

TEST_F(DeltaTest, ComputedTensorsStandBesideTheLinkedCheckpoint) {
  converted("plain", WeightStorage::kLink, {});
  const ConvertReport report = converted("out", WeightStorage::kLink, {doubled_output});
  expect_twice("out");
  EXPECT_EQ(report.computed_tensors, 2u);
  EXPECT_EQ(report.computed_bytes, fs::file_size(folder_.path() / "out" / kDeltaFile));
  EXPECT_LT(report.computed_bytes, 8192u) << "only what changed is written";
  EXPECT_TRUE(fs::exists(folder_.path() / "out/unet" / kDeltaFile));
  EXPECT_FALSE(fs::exists(folder_.path() / "out/vae_decoder" / kDeltaFile));
  EXPECT_FALSE(fs::exists(folder_.path() / "plain" / kDeltaFile));
}

TEST_F(DeltaTest, PackingLeavesNoDelta) {
  converted("plain", WeightStorage::kLink, {});
  converted("out", WeightStorage::kPack, {doubled_output});
  expect_twice("out");
  EXPECT_FALSE(fs::exists(folder_.path() / "out" / kDeltaFile));
}

TEST_F(DeltaTest, AFolderWithADeltaMovesAndIsReplaced) {
  converted("plain", WeightStorage::kLink, {});
  converted("out", WeightStorage::kLink, {doubled_output});
  fs::rename(folder_.path() / "out", folder_.path() / "moved");
  expect_twice("moved");
  fs::remove(checkpoint_);
  expect_twice("moved");
  checkpoint_ = stand_in(folder_.path(), "tiny/sd1");
  converted("moved", WeightStorage::kLink, {doubled_output});
  expect_twice("moved");
}

TEST_F(DeltaTest, ACheckpointOfTheSameNameDoesNotCollide) {
  fs::rename(checkpoint_, folder_.path() / kDeltaFile);
  checkpoint_ = folder_.path() / kDeltaFile;
  converted("plain", WeightStorage::kLink, {});
  converted("out", WeightStorage::kLink, {doubled_output});
  expect_twice("out");
}

TEST_F(DeltaTest, TwoChangesOfOneTensorAreRefused) {
  try {
    converted("out", WeightStorage::kLink, {doubled_output, doubled_output});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "'model.diffusion_model.out.2.weight' would be changed in two ways at once");
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(DeltaTest, ATensorThatGivesTooLittleLeavesNothing) {
  const auto cut = [](const weights::Checkpoint&, const arch::Model&) {
    return std::vector<weights::ComputedTensor>{
        {"x", DType::kF32, {2}, [](const weights::ByteSink& sink) {
           sink(std::vector<std::byte>(4));
         }}};
  };
  EXPECT_THROW(converted("out", WeightStorage::kLink, {cut}), Error);
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

}  // namespace
}  // namespace sinter::convert
