#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::pipeline {

/// What a ControlNet was told.
struct ControlParameters {
  std::string model;
  std::string module;  // that made the map from the picture: "canny"; empty: none
  double scale = 1;
  double start = 0;
  double end = 1;
};

/// How a picture was drawn, for the text beside it.
struct Parameters {
  std::string prompt = {};
  std::string negative_prompt = {};
  int steps = 0;
  std::string sampler = {};        // "DPM++ 2M"
  std::string schedule_type = {};  // "Karras"; empty: the sampler's own
  double guidance_scale = 0;
  std::uint64_t seed = 0;
  int width = 0;
  int height = 0;
  std::string model_hash = {};  // the first ten digits of the checkpoint's SHA-256; may be empty
  std::string model = {};       // the checkpoint's name without its ending; may be empty
  std::vector<ControlParameters> controls = {};
  std::string version = {};  // the program's, "sinter 0.1.0"; may be empty
};

/// The keyword under which programs look for it in a PNG file.
inline constexpr std::string_view kParametersKeyword = "parameters";

/// The text as AUTOMATIC1111 writes it: prompt, "Negative prompt: ...", and a line of "Key: value"
/// separated by commas. A value with a comma, colon or line end is quoted as JSON.
std::string parameters_text(const Parameters& parameters);

}  // namespace sinter::pipeline
