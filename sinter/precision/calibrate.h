#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/precision/watched_session.h"

namespace sinter::precision {

/// What a network is run on to see how large its values are.
struct Calibration {
  std::vector<std::string> prompts = {};  // empty: default_prompts()
  int steps = 4;                          // of the sampler, from noise to picture
  std::optional<int> width = {};          // pixels; absent: the model's, at most kCalibrationSide
  std::optional<int> height = {};
  runtime::SessionOptions session = {};
  std::function<void(std::string_view what)> progress = {};  // "prompt 1 of 2: unet, step 3 of 4"
};

/// Values hardly grow with the picture, time and memory do.
inline constexpr int kCalibrationSide = 512;

/// A plain picture and one that drives guidance hard.
const std::vector<std::string>& default_prompts();

/// What calibration gave: a watch for each graph of a folder, and what it was run on.
struct Calibrated {
  Watches watches;
  std::map<std::string, std::string, std::less<>>
      inputs;  // by folder: "prompts", "pictures", "generated"
};

/// Runs the graphs of a converted folder that computes in float32: those of a whole pipeline on the
/// prompts, its image encoder on the pictures that came out, others on generated inputs.
/// @throws what drawing and sessions throw; a folder that is no whole pipeline is none of that.
Calibrated calibrate(const std::filesystem::path& folder, const Calibration& calibration);

}  // namespace sinter::precision
