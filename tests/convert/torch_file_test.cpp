// Checkpoints in torch's formats give the graphs that the same weights give as safetensors.

#include <gtest/gtest.h>

#include <fstream>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/convert.h"
#include "sinter/runtime/session.h"
#include "tests/convert/stand_in.h"
#include "tests/weights/torch_bytes.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;
using weights::Checkpoint;
using weights::Program;
using weights::TensorEntry;

constexpr std::string_view kSpread = "model.diffusion_model.out.2.bias";

enum class Form { kZip, kStream, kSpreadZip };

std::string_view storage_class(DType dtype) {
  return dtype == DType::kF16   ? "HalfStorage"
         : dtype == DType::kF32 ? "FloatStorage"
                                : "LongStorage";
}

/// Every second element is a stranger's.
std::string spread(const std::string& data, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); i += width)
    out += data.substr(i, width) + std::string(width, '\xff');
  return out;
}

std::string torch_file(const Checkpoint& checkpoint, Form form, std::string_view evil = {}) {
  Program program;
  program.raw("}").text("state_dict").raw("}");
  std::vector<std::string> storages;
  std::vector<weights::StreamStorage> stream;
  for (const TensorEntry& tensor : checkpoint.tensors()) {
    const std::span<const std::byte> bytes = checkpoint.bytes(tensor);
    std::string data(static_cast<const char*>(static_cast<const void*>(bytes.data())),
                     bytes.size());
    std::int64_t step = 1;
    if (form == Form::kSpreadZip && tensor.name == kSpread) {
      data = spread(data, dtype_bytes(tensor.dtype));
      step = 2;
    }
    std::vector<std::int64_t> strides(tensor.shape.size());
    for (std::size_t i = strides.size(); i-- > 0; step *= tensor.shape[i]) strides[i] = step;
    const std::string key = std::to_string(storages.size());
    const auto count = static_cast<std::int64_t>(data.size() / dtype_bytes(tensor.dtype));
    program.text(tensor.name)
        .tensor(key, count, 0, tensor.shape, strides, storage_class(tensor.dtype))
        .raw("s");
    stream.push_back({key, static_cast<std::uint64_t>(count), data});
    storages.push_back(std::move(data));
  }
  program.raw("s").raw(evil);
  return form == Form::kStream ? weights::torch_stream(program.stop(), stream)
                               : weights::torch_zip(program.stop(), storages);
}

class TorchConvertTest : public testing::Test {
 protected:
  fs::path put(const std::string& name, Form form, std::string_view evil = {}) const {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << torch_file(Checkpoint::open(checkpoint_), form, evil);
    return path;
  }

  ConvertReport converted(const fs::path& from, const std::string& name,
                          ConvertOptions options = {}) const {
    options.precision = Precision::kF32;
    return convert(from, folder_.path() / name, options);
  }

  std::vector<float> denoise(const std::string& name) const {
    const auto model = graph::OnnxModel::load(folder_.path() / name / "unet/model.onnx");
    const auto session = runtime::open_session(runtime::Engine::kOnnxRuntime, model);
    Tensor sample(DType::kF32, {1, 4, 8, 8});
    for (std::size_t i = 0; i < sample.floats().size(); ++i)
      sample.floats()[i] = static_cast<float>(i % 17) / 8 - 1;
    Tensor context(DType::kF32, {1, 77, 64});
    for (std::size_t i = 0; i < context.floats().size(); ++i)
      context.floats()[i] = static_cast<float>(i % 23) / 11 - 1;
    runtime::TensorMap inputs;
    inputs["sample"] = sample;
    inputs["timestep"] = Tensor({1}, std::vector<float>{500});
    inputs["encoder_hidden_states"] = context;
    const Tensor out = session->run(inputs).at("out_sample");
    return {out.floats().begin(), out.floats().end()};
  }

  TemporaryFolder folder_{std::string("torch-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
  fs::path checkpoint_ = stand_in(folder_.path(), "tiny/sd1");
};

TEST_F(TorchConvertTest, ZipsAreLinkedAndComputeTheSame) {
  converted(checkpoint_, "plain");
  const fs::path zip = put("sd1.ckpt", Form::kZip);
  EXPECT_EQ(converted(zip, "zip").computed_tensors, 0u);
  EXPECT_TRUE(fs::equivalent(zip, folder_.path() / "zip/unet/sd1.ckpt"));
  EXPECT_EQ(denoise("zip"), denoise("plain"));
  fs::last_write_time(zip, fs::last_write_time(zip) + std::chrono::seconds(5));
  try {
    graph::OnnxModel::load(folder_.path() / "zip/unet/model.onnx");
    FAIL() << "a changed source was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSourceChanged);
  }
}

TEST_F(TorchConvertTest, StreamsAreLinkedAndComputeTheSame) {
  converted(checkpoint_, "plain");
  EXPECT_EQ(converted(put("sd1.pt", Form::kStream), "stream").computed_tensors, 0u);
  EXPECT_EQ(denoise("stream"), denoise("plain"));
}

TEST_F(TorchConvertTest, WhatIsNoRangeIsWrittenBesideTheLink) {
  converted(checkpoint_, "plain");
  const fs::path zip = put("sd1.ckpt", Form::kSpreadZip);
  EXPECT_EQ(converted(zip, "linked").computed_tensors, 1u);
  EXPECT_EQ(denoise("linked"), denoise("plain"));
  ConvertOptions packing;
  packing.weights = WeightStorage::kPack;
  converted(zip, "packed", packing);
  EXPECT_EQ(denoise("packed"), denoise("plain"));
}

TEST_F(TorchConvertTest, DangerousFilesAreRefusedAndNothingIsWritten) {
  const fs::path evil =
      put("evil.ckpt", Form::kZip, std::string_view("cos\nsystem\nX\4\0\0\0true\x85R0", 23));
  try {
    converted(evil, "out");
    FAIL() << "it was converted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              evil.string() + " is dangerous: loading it would call os.system('true')");
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  converted(checkpoint_, "plain");
  ConvertOptions trusting;
  trusting.open.allow_unsafe_keys = true;
  converted(evil, "out", trusting);
  EXPECT_EQ(denoise("out"), denoise("plain"));
}

}  // namespace
}  // namespace sinter::convert
