#include "sinter/convert/config_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sinter/base/error.h"

namespace sinter::convert {
namespace {
using Json = nlohmann::json;

arch::Model model_of(const char* family, arch::Prediction prediction = arch::Prediction::kEpsilon) {
  arch::Model model;
  model.family = family;
  model.prediction = prediction;
  return model;
}

Configs scheduler(const std::string& text) { return {{"scheduler/scheduler_config.json", text}}; }

// As diffusers writes it; keys and values that sinter does not know are for other programs.
constexpr const char* kDpm = R"({
  "_class_name": "DPMSolverMultistepScheduler",
  "beta_end": 0.013,
  "beta_schedule": "linear",
  "lambda_min_clipped": -Infinity,
  "prediction_type": "epsilon",
  "rescale_betas_zero_snr": true,
  "steps_offset": 7,
  "timestep_spacing": "trailing",
  "a_key_of_tomorrow": [1, 2]
}
)";

TEST(SchedulerFile, OfAFolderIsKeptToTheByte) {
  EXPECT_EQ(scheduler_config(model_of("sd15"), scheduler(kDpm)), kDpm);
}

TEST(SchedulerFile, OfAFolderTakesThePredictionThatWasGiven) {
  std::string expected = kDpm;
  expected.replace(expected.find("\"epsilon\""), 9, "\"v_prediction\"");
  EXPECT_EQ(scheduler_config(model_of("sd15", arch::Prediction::kV), scheduler(kDpm)), expected);
}

TEST(SchedulerFile, OfAFolderGetsWhatItLeavesOut) {
  Configs configs = scheduler(R"({"beta_end": 0.5})");
  configs["model_index.json"] = R"({"scheduler": ["diffusers", "LCMScheduler"]})";
  EXPECT_EQ(Json::parse(scheduler_config(model_of("sd15"), configs)),
            Json::parse(R"({"_class_name": "LCMScheduler", "beta_end": 0.5})"));
  EXPECT_EQ(Json::parse(scheduler_config(model_of("sd21", arch::Prediction::kV),
                                         configs))["prediction_type"],
            "v_prediction");
}

TEST(SchedulerFile, OfAZeroTerminalSnrModelBeginsAtPureNoise) {
  arch::Model model = model_of("sdxl-base", arch::Prediction::kV);
  const Json usual = Json::parse(scheduler_config(model, {}));
  EXPECT_FALSE(usual.contains("rescale_betas_zero_snr"));
  EXPECT_EQ(usual["timestep_spacing"], "leading");
  model.zero_terminal_snr = true;
  const Json json = Json::parse(scheduler_config(model, {}));
  EXPECT_EQ(json["rescale_betas_zero_snr"], true);
  EXPECT_EQ(json["timestep_spacing"], "trailing");
  EXPECT_EQ(json["prediction_type"], "v_prediction");
}

TEST(SchedulerFile, ThatIsNoObjectIsRefused) {
  try {
    scheduler_config(model_of("sd15"), scheduler("[]"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "'scheduler/scheduler_config.json' is no JSON object");
  }
}

TEST(ModelIndex, NamesTheFoldersOwnScheduler) {
  const auto of = [](const char* family, const Configs& configs) {
    return Json::parse(model_index(model_of(family), {"unet"}, configs))["scheduler"][1];
  };
  EXPECT_EQ(of("sd15", {}), "DDIMScheduler");
  EXPECT_EQ(of("sdxl-base", {}), "EulerDiscreteScheduler");
  EXPECT_EQ(of("sd15", scheduler(kDpm)), "DPMSolverMultistepScheduler");
  EXPECT_EQ(of("sd15", {{"model_index.json", R"({"scheduler": ["diffusers", "PNDMScheduler"]})"}}),
            "PNDMScheduler");
}

// Values of the published pipelines: stabilityai/stable-diffusion-xl-base-1.0, -refiner-1.0,
// diffusers/stable-diffusion-xl-1.0-inpainting-0.1.
TEST(ModelIndex, HasTheSettingsOfTheFamilyOrOfTheFolder) {
  const auto of = [](const char* family, const std::string& own = "{}") {
    const Json json =
        Json::parse(model_index(model_of(family), {"unet"}, {{"model_index.json", own}}));
    return std::pair(json.value("force_zeros_for_empty_prompt", Json()),
                     json.value("requires_aesthetics_score", Json()));
  };
  using Pair = std::pair<Json, Json>;
  EXPECT_EQ(of("sdxl-base"), Pair(true, nullptr));
  EXPECT_EQ(of("sdxl-inpaint"), Pair(true, nullptr));
  EXPECT_EQ(of("sdxl-refiner"), Pair(false, true));
  EXPECT_EQ(of("sd15"), Pair(nullptr, nullptr));
  EXPECT_EQ(of("sdxl-base", R"({"force_zeros_for_empty_prompt": false})"), Pair(false, nullptr));
  EXPECT_EQ(of("sdxl-refiner",
               R"({"force_zeros_for_empty_prompt": true, "requires_aesthetics_score": false})"),
            Pair(true, false));
}

}  // namespace
}  // namespace sinter::convert
