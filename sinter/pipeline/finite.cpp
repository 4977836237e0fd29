#include "sinter/pipeline/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinter::pipeline {

std::string overflow_hint(const PipelineFolder& folder, std::string_view component,
                          const runtime::Session& session) {
  const auto found = folder.compute.find(std::string(component));
  const std::string compute = found == folder.compute.end() ? "" : found->second;
  if (compute == "float16") {
    return component == "vae_decoder"
               ? "numbers overflow float16; convert with --vae-precision fp32, or auto"
               : "numbers overflow float16; convert with --precision fp32, bf16, or auto";
  }
  if (session.info().arithmetic == "float16")
    return "the engine was let compute in float16, which overflows; leave out --arithmetic";
  return fmt::format(
      "{}the checkpoint's weights hold NaN or infinities, or are extreme; sinter verify '{}' "
      "--bisect names the first module",
      compute.empty() ? "if nothing computes in float16, "
                      : fmt::format("this is no overflow of float16, it computes in {}: ", compute),
      (folder.root / component).string() + "/model.onnx");
}

std::optional<std::string_view> non_finite(const Tensor& tensor) {
  const auto values = tensor.floats();
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad == values.end()) return std::nullopt;
  return std::isnan(*bad) ? "NaN" : "infinities";
}

}  // namespace sinter::pipeline
