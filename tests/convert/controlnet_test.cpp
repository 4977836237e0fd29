#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/convert/convert.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

/// The narrow SD1 model with ControlNets beside it.
class ControlNetFolder : public testing::Test {
 protected:
  fs::path converted(std::size_t count, ConvertOptions options = {}) {
    const fs::path net = stand_in(folder_.path(), "tiny/controlnet-sd1");
    options.controlnets.assign(count, net);
    const fs::path out = folder_.path() / fmt::format("out-{}", count);
    convert(stand_in(folder_.path(), "tiny/sd1"), out, options);
    return out;
  }
  static graph::OnnxModel model(const fs::path& out, const std::string& component) {
    return graph::OnnxModel::load(out / component / "model.onnx");
  }

  TemporaryFolder folder_{std::string("controlnet-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(ControlNetFolder, HasDiffusersInputsAndResidualsThatFitTheUNets) {
  const fs::path out = converted(1);
  const graph::OnnxModel control = model(out, "controlnet");
  std::vector<std::string> inputs;
  for (const auto& input : control.inputs()) inputs.push_back(input.name);
  EXPECT_EQ(inputs, (std::vector<std::string>{"sample", "timestep", "encoder_hidden_states",
                                              "controlnet_cond"}));
  EXPECT_EQ(control.inputs().back().symbols,
            (std::vector<std::string>{"batch", "", "8*height", "8*width"}));
  // Output i is input i of the UNet's residuals: the same shape.
  const auto residuals = model(out, "unet").inputs();
  const auto outputs = control.outputs();
  ASSERT_EQ(outputs.size(), 13u);
  ASSERT_EQ(residuals.size(), 3u + outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool middle = i == 12;
    EXPECT_EQ(outputs[i].name,
              middle ? "mid_block_res_sample" : fmt::format("down_block_res_sample_{}", i));
    EXPECT_EQ(residuals[3 + i].name, middle ? "mid_block_additional_residual"
                                            : fmt::format("down_block_additional_residual_{}", i));
    EXPECT_EQ(outputs[i].shape, residuals[3 + i].shape) << i;
    EXPECT_EQ(outputs[i].symbols, residuals[3 + i].symbols) << i;
    EXPECT_EQ(outputs[i].dtype, DType::kF32);
  }
}

TEST_F(ControlNetFolder, NumbersSeveralAsDiffusersDoes) {
  ConvertOptions options;
  options.components = {"controlnet", "controlnet_1", "controlnet_2"};
  const fs::path out = converted(3, options);
  for (const char* name : {"controlnet", "controlnet_1", "controlnet_2"})
    EXPECT_TRUE(fs::exists(out / name / "model.onnx")) << name;
  EXPECT_FALSE(fs::exists(out / "unet"));
  try {
    converted(5);
    FAIL() << "took them";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "5 ControlNets, expected at most 4");
  }
}

TEST_F(ControlNetFolder, AStaticSizeIsThatOfThePicture) {
  ConvertOptions options;
  options.size = StaticSize{.batch = 2, .height = 72, .width = 104};
  const graph::OnnxModel control = model(converted(1, options), "controlnet");
  EXPECT_EQ(control.inputs().front().shape, (Shape{2, 4, 9, 13}));
  EXPECT_EQ(control.inputs().back().shape, (Shape{2, 3, 72, 104}));
  EXPECT_EQ(control.outputs().back().shape, (Shape{2, 64, 2, 2}));
  for (const graph::NodeSummary& node : control.nodes()) EXPECT_NE(node.op, "Shape") << node.name;
}

TEST_F(ControlNetFolder, RunsEverySizeInStepsOfEightPixels) {
  const fs::path out = converted(1);
  const graph::OnnxModel control = model(out, "controlnet");
  const graph::OnnxModel unet = model(out, "unet");
  for (const runtime::Engine engine : {runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime}) {
    const auto control_session = runtime::open_session(engine, control);
    const auto unet_session = runtime::open_session(engine, unet);
    for (const auto& [h, w] : {std::pair{8, 8}, {9, 8}, {13, 17}, {15, 23}}) {
      runtime::TensorMap inputs;
      inputs["sample"] = Tensor(DType::kF32, {2, 4, h, w});
      inputs["timestep"] = Tensor(DType::kF32, {1});
      inputs["encoder_hidden_states"] = Tensor(DType::kF32, {2, 77, 64});
      runtime::TensorMap control_inputs = inputs;
      control_inputs["controlnet_cond"] = Tensor(DType::kF32, {2, 3, 8 * h, 8 * w});
      for (auto& [name, residual] : control_session->run(control_inputs)) {
        const std::size_t number = std::string("down_block_res_sample").size();
        inputs[name == "mid_block_res_sample"
                   ? "mid_block_additional_residual"
                   : "down_block_additional_residual" + name.substr(number)] = std::move(residual);
      }
      EXPECT_EQ(unet_session->run(inputs).at("out_sample").shape(), (Shape{2, 4, h, w}))
          << runtime::engine_name(engine);
    }
  }
}

/// A network that attends nowhere does not read the text.
TEST_F(ControlNetFolder, AControlNetWithoutAttentionTakesNoText) {
  const fs::path out = folder_.path() / "out";
  convert(fs::path(stand_in(folder_.path(), "tiny/controlnet-sdxl-small")), out, {});
  std::vector<std::string> inputs;
  for (const auto& input : model(out, "controlnet").inputs()) inputs.push_back(input.name);
  EXPECT_EQ(inputs, (std::vector<std::string>{"sample", "timestep", "text_embeds", "time_ids",
                                              "controlnet_cond"}));
}

}  // namespace
}  // namespace sinter::convert
