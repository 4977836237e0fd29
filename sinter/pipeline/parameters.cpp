#include "sinter/pipeline/parameters.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sinter::pipeline {
namespace {

std::string quoted(const std::string& value) {
  if (value.find_first_of(",:\n") == std::string::npos) return value;
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A ControlNet as the extension for AUTOMATIC1111's program writes it.
std::string control_text(const ControlParameters& control) {
  return fmt::format(
      "Module: {}, Model: {}, Weight: {}, Resize Mode: Crop and Resize, "
      "Guidance Start: {}, Guidance End: {}",
      control.module.empty() ? "none" : control.module, control.model, control.scale, control.start,
      control.end);
}

}  // namespace

std::string parameters_text(const Parameters& parameters) {
  std::string text = parameters.prompt;
  if (!parameters.negative_prompt.empty())
    text += fmt::format("\nNegative prompt: {}", parameters.negative_prompt);
  std::vector<std::pair<std::string, std::string>> fields{
      {"Steps", fmt::format("{}", parameters.steps)},
      {"Sampler", parameters.sampler},
      {"Schedule type", parameters.schedule_type},
      {"CFG scale", fmt::format("{}", parameters.guidance_scale)},
      {"Seed", fmt::format("{}", parameters.seed)},
      {"Size", fmt::format("{}x{}", parameters.width, parameters.height)},
      {"Model hash", parameters.model_hash},
      {"Model", parameters.model},
  };
  for (std::size_t i = 0; i < parameters.controls.size(); ++i)
    fields.emplace_back(fmt::format("ControlNet {}", i), control_text(parameters.controls[i]));
  fields.emplace_back("Version", parameters.version);
  const char* separator = "\n";
  for (const auto& [name, value] : fields) {
    if (value.empty()) continue;
    text += fmt::format("{}{}: {}", separator, name, quoted(value));
    separator = ", ";
  }
  return text;
}

}  // namespace sinter::pipeline
