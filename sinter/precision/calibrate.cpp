#include "sinter/precision/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/verify/generated_inputs.h"
#include "sinter/verify/verify.h"

namespace sinter::precision {
namespace fs = std::filesystem;
namespace {

/// Only a folder with all parts of a pipeline can draw.
bool is_pipeline(const fs::path& folder) {
  return std::ranges::all_of(
             std::array{"text_encoder", "unet", "vae_decoder"},
             [&](const char* part) { return fs::exists(folder / part / "model.onnx"); }) ||
         (fs::exists(folder / "text_encoder_2" / "model.onnx") &&
          fs::exists(folder / "unet" / "model.onnx") &&
          fs::exists(folder / "vae_decoder" / "model.onnx"));
}

class Run {
 public:
  Run(const fs::path& folder, const Calibration& calibration)
      : folder_(folder), calibration_(calibration) {}

  Calibrated run() {
    std::vector<pipeline::Picture> pictures;
    if (is_pipeline(folder_)) pictures = draw();
    for (const fs::path& model : verify::models_in(folder_)) {
      const std::string name = model.parent_path().filename().string();
      if (result_.watches.contains(name)) continue;
      if (name == "vae_encoder" && !pictures.empty()) {
        encode(model, pictures);
      } else {
        generate(model, name);
      }
    }
    return std::move(result_);
  }

 private:
  void say(std::string_view what) const {
    if (calibration_.progress) calibration_.progress(what);
  }

  // A UNet that wants more than a prompt (a masked picture, another picture) cannot be drawn with:
  // then everything is run on generated inputs.
  std::vector<pipeline::Picture> draw() {
    const std::vector<std::string>& prompts =
        calibration_.prompts.empty() ? default_prompts() : calibration_.prompts;
    std::vector<pipeline::Picture> pictures;
    try {
      pipeline::Pipeline drawing = pipeline::Pipeline::open(
          folder_, {.sessions = watched_sessions(result_.watches, calibration_.session)});
      for (std::size_t i = 0; i < prompts.size(); ++i) {
        pipeline::GenerateResult drawn = drawing.generate(
            options(drawing.folder(), prompts[i], i), [&](const pipeline::Progress& progress) {
              say(fmt::format("prompt {} of {}: {}, step {} of {}", i + 1, prompts.size(),
                              progress.stage, progress.step, progress.steps));
            });
        std::ranges::move(drawn.pictures, std::back_inserter(pictures));
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnsupported) throw;
      result_.watches.clear();
      return {};
    }
    for (const auto& [name, watch] : result_.watches) result_.inputs[name] = "prompts";
    return pictures;
  }

  pipeline::GenerateOptions options(const pipeline::PipelineFolder& folder,
                                    const std::string& prompt, std::uint64_t seed) const {
    pipeline::GenerateOptions options;
    options.prompt = prompt;
    options.steps = calibration_.steps;
    options.seed = seed;
    options.width = calibration_.width.value_or(std::min(folder.default_width, kCalibrationSide));
    options.height =
        calibration_.height.value_or(std::min(folder.default_height, kCalibrationSide));
    return options;
  }

  // [1,3,H,W] in -1..1.
  static Tensor tensor_of(const Image& image) {
    Tensor tensor(DType::kF32, {1, 3, image.height, image.width});
    const std::span<float> values = tensor.floats();
    const std::size_t plane = values.size() / 3;
    for (std::size_t i = 0; i < plane; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = i * static_cast<std::size_t>(image.channels) + c;
        values[c * plane + i] = static_cast<float>(image.pixels[at]) / 127.5f - 1.0f;
      }
    }
    return tensor;
  }

  void encode(const fs::path& model, const std::vector<pipeline::Picture>& pictures) {
    const auto session =
        watched_session(model, result_.watches["vae_encoder"], calibration_.session);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      say(fmt::format("picture {} of {}: vae_encoder", i + 1, pictures.size()));
      session->run({{session->inputs().front().name, tensor_of(pictures[i].image)}});
    }
    result_.inputs["vae_encoder"] = "pictures";
  }

  void generate(const fs::path& model, const std::string& name) {
    say(fmt::format("generated inputs: {}", name));
    const auto session = watched_session(model, result_.watches[name], calibration_.session);
    runtime::TensorMap inputs = verify::generated_inputs(session->inputs());
    if (name == "vae_decoder") unscale(model, inputs);
    session->run(inputs);
    result_.inputs[name] = "generated";
  }

  // A decoder is given latents divided by the scaling factor, of which the UNet's have deviation 1.
  static void unscale(const fs::path& model, runtime::TensorMap& inputs) {
    const nlohmann::json config = nlohmann::json::parse(
        read_text(model.parent_path() / "config.json"), nullptr, /*allow_exceptions=*/false);
    if (!config.is_object() || !config.contains("scaling_factor")) return;
    const auto factor = config["scaling_factor"].get<float>();
    for (auto& [input, tensor] : inputs) {
      for (float& value : tensor.floats()) value /= factor;
    }
  }

  const fs::path& folder_;
  const Calibration& calibration_;
  Calibrated result_;
};

}  // namespace

const std::vector<std::string>& default_prompts() {
  static const std::vector<std::string> prompts{
      "a photograph of an old lighthouse on a cliff above the sea, evening light",
      "portrait of a woman in a red coat, neon signs in the rain at night, very detailed, sharp "
      "focus, high contrast"};
  return prompts;
}

Calibrated calibrate(const fs::path& folder, const Calibration& calibration) {
  try {
    return Run(folder, calibration).run();
  } catch (Error& error) {
    error.add_context("calibrating");
    throw;
  }
}

}  // namespace sinter::precision
