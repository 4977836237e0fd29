#include "sinter/engine/manifest.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/engine/serving.h"

namespace sinter::engine {
namespace {

EngineRecord a_record() {
  EngineRecord record;
  record.graph = "unet";
  record.bytes = 1750896660;
  record.sha256 = std::string(64, 'a');
  record.onnx = {"unet/model.onnx", 520000, std::string(64, 'b')};
  record.checkpoints = {{"/models/dream.safetensors", 2132625894, std::string(64, 'c')}};
  record.adapters = R"([{"path":"/loras/x.safetensors","weight":0.8}])";
  record.policy = R"({"compute":"float16"})";
  record.profile.inputs = {{"sample", {1, 4, 32, 32}, {2, 4, 64, 64}, {2, 4, 80, 80}}};
  record.sizes = {.batch = {1, 1, 1},
                  .height = {256, 512, 640},
                  .width = {256, 512, 640},
                  .tokens = {77, 77, 231},
                  .guidance = true};
  record.version = {1, 7, 1, 116};
  record.architectures = {{8, 6}, {8, 9}};
  record.file = engine_file_name(record.graph, record.profile, record.sizes, record.architectures,
                                 record.flavour, record.refit, record.stripped);
  record.system = "Linux 6.1 x86_64";
  record.sinter = "0.1.0";
  record.command = "sinter build out --gpu sm86,sm89";
  record.time = "2026-12-01T03:00:00Z";
  record.seconds = 29.5;
  record.memory.activations = 95586816;
  return record;
}

std::string refusal(std::string_view json) {
  try {
    records_from_json(json);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kBadFile || error.code() == ErrorCode::kUsage);
    return error.message();
  }
  return "accepted";
}

TEST(Manifest, SurvivesWritingAndReading) {
  const std::string written = manifest_json({a_record()});
  EXPECT_EQ(manifest_json(records_from_json(written)), written);
}

TEST(Manifest, NamesEnginesByWhatTheyServe) {
  EngineRecord record = a_record();
  EXPECT_TRUE(record.file.starts_with("unet.sm86-sm89.256x256-640x640.b1.")) << record.file;
  record.profile.inputs[0].max[2] = 96;
  EXPECT_NE(engine_file_name(record.graph, record.profile, record.sizes, record.architectures,
                             record.flavour, record.refit, record.stripped),
            record.file);
}

TEST(Manifest, RefusesWhatIsNone) {
  EXPECT_EQ(refusal(""), "the manifest of engines is not one");
  EXPECT_EQ(refusal("[]"), "the manifest of engines is not one");
  EXPECT_EQ(refusal(R"({"engines":[]})"), "the manifest of engines is not of format 1");
  EXPECT_EQ(refusal(R"({"format":1,"engines":7})"),
            "'engines' of an engine in the manifest is number");
  EXPECT_EQ(refusal(R"({"format":1,"engines":[{"file":3}]})"),
            "'file' of an engine in the manifest is number");
  EXPECT_EQ(refusal(R"({"format":1,"engines":[{"file":"a"}]})"),
            "an engine of the manifest has no 'graph'");
}

class Serving : public testing::Test {
 protected:
  EngineRecord record = a_record();
  ServingMachine machine{.gpu = plan::ComputeCapability{8, 9},
                         .libraries = {{Flavour::kTensorRtRtx, Version{1, 7, 1, 116}}}};
  ServingRequest request{.width = 512, .height = 512, .batch = 1, .tokens = 77};
};

TEST_F(Serving, TakesWhatIsInItsProfile) {
  EXPECT_EQ(judge(record, machine, request).reasons, std::vector<std::string>());
}

TEST_F(Serving, NamesTheVersionTag) {
  machine.libraries[Flavour::kTensorRtRtx] = {1, 8, 0, 2};
  EXPECT_EQ(judge(record, machine, request).reasons,
            (std::vector<std::string>{
                "its version tag is TensorRT-RTX 1.7.1.116, the library here is 1.8.0.2: no other "
                "version loads it"}));
}

TEST_F(Serving, NamesTheArchitecture) {
  machine.gpu = plan::ComputeCapability{12, 0};
  EXPECT_EQ(judge(record, machine, request).reasons,
            (std::vector<std::string>{"it is for sm86 and sm89, this GPU is sm120"}));
}

TEST_F(Serving, NamesTheNearestSizeThatItTakes) {
  request.width = 1024;
  request.height = 300;
  const ServingVerdict verdict = judge(record, machine, request);
  EXPECT_EQ(verdict.reasons,
            (std::vector<std::string>{
                "it takes width 256 to 640 in steps of 8, not 1024; the nearest is 640",
                "it takes height 256 to 640 in steps of 8, not 300; the nearest is 296"}));
  EXPECT_EQ(verdict.nearest.width, 640);
}

TEST_F(Serving, SaysWhatIsMissingOnThisMachine) {
  EXPECT_EQ(judge(record, {}, request).reasons,
            (std::vector<std::string>{"it needs TensorRT-RTX 1.7.1.116, which is not here",
                                      "no NVIDIA GPU is here"}));
}

}  // namespace
}  // namespace sinter::engine
