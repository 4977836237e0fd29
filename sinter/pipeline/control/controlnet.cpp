#include "sinter/pipeline/control/controlnet.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/pipeline/control/resample.h"
#include "sinter/pipeline/guidance.h"

namespace sinter::pipeline {
namespace {

constexpr const char* kPicture = "controlnet_cond";
constexpr const char* kContext = "encoder_hidden_states";

/// A ControlNet's outputs and the UNet's inputs that take them; the number behind is the same.
struct ResidualNames {
  std::string_view output;
  std::string_view input;
};
constexpr std::array kResiduals{
    ResidualNames{"down_block_res_sample", "down_block_additional_residual"},
    ResidualNames{"mid_block_res_sample", "mid_block_additional_residual"}};

std::optional<std::string> input_for(std::string_view output) {
  for (const ResidualNames& row : kResiduals)
    if (output.starts_with(row.output))
      return std::string(row.input) + std::string(output.substr(row.output.size()));
  return std::nullopt;
}

bool is_residual(std::string_view input) {
  for (const ResidualNames& row : kResiduals)
    if (input.starts_with(row.input)) return true;
  return false;
}

Tensor to_tensor(const Image& map) {
  const auto plane = static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height);
  Tensor result(DType::kF32, {1, 3, map.height, map.width});
  const auto values = result.floats();
  for (std::size_t i = 0; i < plane; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      values[c * plane + i] = static_cast<float>(map.pixels[i * 3 + c]) / 255.0f;
  return result;
}

/// What the letters of a dynamic extent say of a latent's: "height" 1, "height/4" 4.
std::optional<std::int64_t> divisor_of(std::string_view extent) {
  const std::size_t slash = extent.find('/');
  if (slash == extent.npos)
    return extent.find('*') == extent.npos ? std::optional(1) : std::nullopt;
  std::int64_t divisor = 0;
  const std::string_view digits = extent.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), divisor);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && divisor > 0 ? std::optional(divisor) : std::nullopt;
}

/// The shape of a residual for latents [rows,C,h,w]; nothing where the declaration does not say it.
std::optional<Shape> residual_shape(const graph::ValueDeclaration& declared, const Shape& latents) {
  if (declared.shape.size() != 4 || declared.shape[1] < 1) return std::nullopt;
  Shape shape{latents[0], declared.shape[1], declared.shape[2], declared.shape[3]};
  for (const std::size_t axis : {std::size_t{2}, std::size_t{3}}) {
    if (shape[axis] > 0) continue;
    const auto divisor = divisor_of(declared.symbols[axis]);
    if (!divisor) return std::nullopt;
    shape[axis] = (latents[axis] + *divisor - 1) / *divisor;
  }
  return shape;
}

}  // namespace

void check_control(const ControlOptions& options) {
  if (!std::isfinite(options.scale))
    throw Error(ErrorCode::kUsage,
                fmt::format("the control scale is {}, expected a number", options.scale));
  if (options.start >= 0 && options.start < options.end && options.end <= 1) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("the control is from {} to {} of the steps, expected 0 to 1, the start "
                          "before the end",
                          options.start, options.end));
}

Image control_map(const ControlOptions& options, int width, int height) {
  const Image picture = fitted(options.picture, width, height);
  return options.canny ? canny_edges(picture, *options.canny) : picture;
}

bool is_controlled(const ControlOptions& options, std::size_t index, std::size_t count) {
  const auto steps = static_cast<double>(count);
  const auto step = static_cast<double>(index);
  return step / steps >= options.start && (step + 1) / steps <= options.end;
}

ControlNet::ControlNet(std::string name, runtime::Session& session, const ControlOptions& options,
                       const Image& map)
    : name_(std::move(name)), session_(session), options_(options), map_(to_tensor(map)) {
  const auto* picture = find_declaration(session.inputs(), kPicture);
  if (picture == nullptr)
    throw Error(
        ErrorCode::kMissingTensor,
        fmt::format("the graph of {} has no input '{}': it is no ControlNet", name_, kPicture));
  const Shape& shape = picture->shape;
  if (shape.size() != 4) return;
  if ((shape[2] > 0 && shape[2] != map.height) || (shape[3] > 0 && shape[3] != map.width))
    throw Error(ErrorCode::kUsage,
                fmt::format("the size is {}x{}, but {} was converted for {}x{} alone", map.width,
                            map.height, name_, shape[3], shape[2]),
                "ask for that size, or convert without --static");
}

runtime::TensorMap ControlNet::inputs_from(const runtime::TensorMap& unet,
                                           std::int64_t rows) const {
  runtime::TensorMap inputs;
  for (const graph::ValueDeclaration& declared : session_.inputs()) {
    if (declared.name == kPicture) {
      inputs.emplace(kPicture, repeated(map_, static_cast<int>(rows)));
      continue;
    }
    const auto given = unet.find(declared.name);
    if (given == unet.end())
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("{} has an input '{}', which the UNet has not", name_, declared.name),
                  "the ControlNet and the model are of different families");
    const Shape& shape = given->second.shape();
    const bool fits = declared.shape.empty() || declared.shape.back() < 1 || shape.empty() ||
                      declared.name != kContext || declared.shape.back() == shape.back();
    if (!fits)
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("{} reads a context {} wide, the UNet one of {}", name_,
                              declared.shape.back(), shape.back()),
                  "the ControlNet and the model are of different families");
    inputs.emplace(declared.name, given->second);
  }
  return inputs;
}

void ControlNet::add_residuals(const runtime::TensorMap& unet, std::int64_t rows,
                               runtime::TensorMap& sums) {
  runtime::TensorMap outputs = run_rows(session_, inputs_from(unet, rows), rows);
  const auto scale = static_cast<float>(options_.scale);
  for (auto& [output, residual] : outputs) {
    const auto input = input_for(output);
    if (!input) continue;
    for (float& value : residual.floats()) value *= scale;
    const auto [sum, first] = sums.try_emplace(*input, std::move(residual));
    if (first) continue;
    if (sum->second.shape() != residual.shape())
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("'{}' of {} is {}, expected {} as of the ControlNet before it", output, name_,
                      to_string(residual.shape()), to_string(sum->second.shape())));
    const auto values = sum->second.floats();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += residual.floats()[i];
  }
}

void complete_residuals(const runtime::Session& unet, runtime::TensorMap& inputs) {
  bool controlled = false;
  for (const auto& [name, tensor] : inputs) {
    if (!is_residual(name)) continue;
    controlled = true;
    const auto* declared = find_declaration(unet.inputs(), name);
    if (declared == nullptr)
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("the UNet has no input '{}' for a residual of the ControlNet", name),
                  "the ControlNet and the model are of different families, or the model was "
                  "converted without --controlnet-inputs");
    const Shape& shape = declared->shape;
    if (shape.size() != 4 || shape[1] < 1 || shape[1] == tensor.shape().at(1)) continue;
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the UNet's '{}' has {} channels, the ControlNet gives {}", name,
                            shape[1], tensor.shape().at(1)),
                "the ControlNet and the model are of different families");
  }
  const Shape latents = inputs.at("sample").shape();
  for (const graph::ValueDeclaration& declared : unet.inputs()) {
    if (!is_residual(declared.name) || inputs.contains(declared.name)) continue;
    if (controlled)
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("the ControlNet gives no residual for '{}' of the UNet", declared.name),
          "the ControlNet and the model are of different families");
    auto shape = residual_shape(declared, latents);
    if (!shape)
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("the unet has an input '{}' of a size that cannot be told", declared.name),
          "convert without --controlnet-inputs to draw without a ControlNet");
    inputs.emplace(declared.name, Tensor(DType::kF32, std::move(*shape)));
  }
}

}  // namespace sinter::pipeline
