#include "sinter/deploy/triton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/graph/onnx_model.h"
#include "tests/runtime/model_builder.h"

namespace sinter::deploy {
namespace {

namespace fs = std::filesystem;

ModelBuilder unet(const std::string& location = "w.bin") {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"batch", 4, "height", "width"});
  builder.input("timestep", DType::kF32, {"timesteps"});
  builder.input("encoder_hidden_states", DType::kF32, {"batch", "sequence", 8});
  builder.output("out_sample", DType::kF32, {"batch", 4, "height", "width"});
  builder.external("w", DType::kF32, {4, 1, 1}, location, 4, 16);
  builder.node("Add", "a", {"sample", "w"}, "out_sample");
  return builder;
}

class Triton : public testing::Test {
 protected:
  Triton() : folder_("triton_test") {
    write_file(folder_ / "model/unet/w.bin", std::string(20, '\1'));
    unet().save(folder_ / "model/unet/model.onnx");
  }

  void add_pipeline() {
    ModelBuilder encoder;
    encoder.input("input_ids", DType::kI64, {"batch", 77});
    encoder.output("last_hidden_state", DType::kF32, {"batch", 77, 8});
    write_file(folder_ / "model/text_encoder/model.onnx", encoder.bytes());
    ModelBuilder decoder;
    decoder.input("latent_sample", DType::kF32, {"batch", 4, "height", "width"});
    decoder.output("sample", DType::kF32, {"batch", 3, "h", "w"});
    write_file(folder_ / "model/vae_decoder/model.onnx", decoder.bytes());
    write_file(folder_ / "model/vae_decoder/config.json", R"({"scaling_factor": 0.5})");
    write_file(folder_ / "model/scheduler/scheduler_config.json", "{}");
    write_file(folder_ / "model/model_index.json", "{}");
    for (const char* file : {"vocab.json", "merges.txt", "special_tokens_map.json"}) {
      write_file(folder_ / "model/tokenizer" / file, "{}");
    }
  }

  TritonReport exported(const TritonOptions& options = {}) {
    return export_triton(folder_ / "model", folder_ / "out", options);
  }

  Error error(const TritonOptions& options = {}) {
    try {
      exported(options);
    } catch (const Error& caught) {
      return caught;
    }
    ADD_FAILURE() << "no error";
    return Error(ErrorCode::kInternal, "");
  }

  TestFolder folder_;
};

TEST_F(Triton, GivesExternalDataTheFormOfAFolder) {
  const TritonReport report = exported();

  ASSERT_EQ(report.models.size(), 1u);
  EXPECT_EQ(report.models[0].max_batch, 4);
  EXPECT_EQ(report.models[0].files,
            (std::vector<std::string>{"unet/1/model.onnx/model.onnx", "unet/1/model.onnx/w.bin",
                                      "unet/config.pbtxt"}));
  const fs::path inner = folder_ / "out/unet/1/model.onnx";
  EXPECT_EQ(graph::OnnxModel::load(inner / "model.onnx").files().size(), 1u);
  const std::string config = read_text(folder_ / "out/unet/config.pbtxt");
  EXPECT_NE(config.find("  name: \"timestep\"\n  data_type: TYPE_FP32\n  dims: [ 1 ]\n  reshape { "
                        "shape: [ ] }\n"),
            std::string::npos)
      << config;
  EXPECT_EQ(report.no_pipeline, "the folder has no unet or no vae_decoder");
}

TEST_F(Triton, BringsFilesOfDeeperFoldersIntoThatFolder) {
  write_file(folder_ / "model/unet/parts/w.bin", std::string(20, '\1'));
  unet("parts/w.bin").save(folder_ / "model/unet/model.onnx");

  exported();

  const fs::path inner = folder_ / "out/unet/1/model.onnx";
  EXPECT_EQ(graph::OnnxModel::load(inner / "model.onnx").files()[0].location, "w.bin");
}

TEST_F(Triton, DrivesAWholePipeline) {
  add_pipeline();

  const TritonReport report = exported();

  EXPECT_EQ(report.pipeline, "stable_diffusion");
  const fs::path folder = folder_ / "out/stable_diffusion/1";
  const auto roles = nlohmann::json::parse(read_text(folder / "pipeline.json"));
  EXPECT_EQ(roles["scaling_factor"], 0.5);
  EXPECT_EQ(roles["text_encoders"][0]["states"], "last_hidden_state");
  EXPECT_EQ(roles["unet"]["context"], "encoder_hidden_states");
  EXPECT_EQ(roles["vae_decoder"]["image"], "sample");
  EXPECT_NE(read_text(folder / "model.py").find("class TritonPythonModel"), std::string::npos);
}

TEST_F(Triton, GivesEachComputeCapabilityItsPlan) {
  write_file(folder_ / "engines/unet.sm86-sm89.512x512.engine", "both");
  write_file(folder_ / "engines/unet.sm120.512x512.engine", "new");

  const TritonReport report = exported({.tensorrt = true, .engines = folder_ / "engines"});

  EXPECT_EQ(report.models[0].files,
            (std::vector<std::string>{"unet/1/model_12_0.plan", "unet/1/model_8_6.plan",
                                      "unet/1/model_8_9.plan", "unet/config.pbtxt"}));
  const std::string config = read_text(folder_ / "out/unet/config.pbtxt");
  EXPECT_NE(config.find("cc_model_filenames {\n  key: \"8.9\"\n  value: \"model_8_9.plan\"\n}"),
            std::string::npos)
      << config;
  EXPECT_NE(config.find("kind: KIND_GPU"), std::string::npos);
}

TEST_F(Triton, SaysWhichEngineIsMissing) {
  fs::create_directories(folder_ / "engines");

  const Error refused = error({.tensorrt = true, .engines = folder_ / "engines"});

  EXPECT_EQ(refused.message(),
            fmt::format("there is no engine of unet in {}", (folder_ / "engines").string()));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Triton, RefusesTwoEnginesForOneGpu) {
  write_file(folder_ / "engines/unet.sm89.a.engine", "a");
  write_file(folder_ / "engines/unet.sm89.b.engine", "b");

  EXPECT_EQ(
      error({.tensorrt = true, .engines = folder_ / "engines"}).message(),
      "unet.sm89.a.engine and unet.sm89.b.engine are both for unet on compute capability 8.9");
}

TEST_F(Triton, RefusesEnginesOfTensorRtRtx) {
  write_file(folder_ / "engines/unet.sm89.a.engine", "a");
  write_file(folder_ / "engines/manifest.json", R"({"engines":[{"flavour":"tensorrt-rtx"}]})");

  EXPECT_EQ(error({.tensorrt = true, .engines = folder_ / "engines"}).hint(),
            "build with TensorRT (sinter build --engine tensorrt), or export the ONNX files");
}

TEST_F(Triton, WritesOverNothing) {
  write_file(folder_ / "out/mine.txt", "mine");

  EXPECT_EQ(error().message(), fmt::format("{} is there already", (folder_ / "out").string()));
  EXPECT_EQ(read_text(folder_ / "out/mine.txt"), "mine");
}

TEST_F(Triton, SaysWhatIsNoModel) {
  fs::remove_all(folder_ / "model/unet");
  EXPECT_EQ(error().message(),
            fmt::format("{} has no folders with a model.onnx", (folder_ / "model").string()));
}

}  // namespace
}  // namespace sinter::deploy
