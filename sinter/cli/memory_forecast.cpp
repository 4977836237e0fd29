#include "sinter/cli/memory_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/base/error.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
namespace {

/// Memory for each byte that the weights have in float32.
struct EngineRow {
  runtime::Engine engine;
  double as_stored;  // float32 in the file and in the computation
  double converted;
};

// The UNet of Stable Diffusion 1.5 on a CPU: 3.44 GB in float32; OpenVINO 2026.4 took 3.57 and
// 6.84 GB, ONNX Runtime 1.32 took 5.85 and 6.1 to 6.5 GB.
constexpr std::array kEngines{EngineRow{runtime::Engine::kOpenVino, 1.0, 2.0},
                              EngineRow{runtime::Engine::kOnnxRuntime, 1.7, 1.8}};

std::uint64_t scaled(std::uint64_t bytes, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * factor);
}

}  // namespace

WeightMemory weight_memory(const graph::OnnxModel& model, const std::string& component,
                           runtime::Engine engine) {
  std::uint64_t bytes = 0;
  bool as_stored = model.compute_dtype() == DType::kF32;
  for (const graph::Weight& weight : model.weights()) {
    bytes += weight.bytes.size() / dtype_bytes(weight.dtype) * dtype_bytes(DType::kF32);
    as_stored = as_stored && weight.dtype == DType::kF32;
  }
  const EngineRow& row = *std::ranges::find(kEngines, engine, &EngineRow::engine);
  return {.component = component,
          .bytes = scaled(bytes, as_stored ? row.as_stored : row.converted),
          .packed_bytes = scaled(bytes, row.as_stored)};
}

std::vector<WeightMemory> weight_memory(const pipeline::PipelineFolder& folder,
                                        runtime::Engine engine, bool with_controlnets) {
  std::vector<WeightMemory> graphs;
  const auto add = [&](const std::string& component, const std::filesystem::path& path) {
    try {
      graphs.push_back(weight_memory(graph::OnnxModel::load(path), component, engine));
    } catch (Error& error) {
      error.add_context("opening " + path.string());
      throw;
    }
  };
  for (const pipeline::TextEncoderPart& encoder : folder.text_encoders)
    add(encoder.name, encoder.model);
  add("unet", folder.unet);
  // They run by turns with the UNet, so that all are loaded at once.
  if (with_controlnets && !folder.controlnets.empty()) {
    const std::size_t unet = graphs.size() - 1;
    for (const pipeline::ControlNetPart& part : folder.controlnets) add(part.name, part.model);
    for (; graphs.size() > unet + 1; graphs.pop_back()) {
      graphs[unet].bytes += graphs.back().bytes;
      graphs[unet].packed_bytes += graphs.back().packed_bytes;
    }
    graphs[unet].component = "unet and ControlNets";
  }
  add("vae_decoder", folder.vae_decoder);
  return graphs;
}

std::optional<std::string> memory_warning(const std::vector<WeightMemory>& graphs,
                                          runtime::Engine engine, bool together,
                                          std::uint64_t available_bytes) {
  WeightMemory most{.component = {}, .bytes = 0, .packed_bytes = 0};
  for (const WeightMemory& graph : graphs) {
    if (together) {
      most.component = "all graphs";
      most.bytes += graph.bytes;
      most.packed_bytes += graph.packed_bytes;
    } else if (graph.bytes > most.bytes) {
      most = graph;
    }
  }
  if (available_bytes == 0 || most.bytes <= available_bytes) return std::nullopt;
  std::string text = fmt::format(
      "the weights of {} take about {} in {}, and {} of memory are available", most.component,
      human_bytes(most.bytes), runtime::engine_name(engine), human_bytes(available_bytes));
  if (most.packed_bytes < most.bytes) {
    text += fmt::format("; sinter convert --weights pack --precision fp32 makes a folder with {}",
                        human_bytes(most.packed_bytes));
  }
  if (together) text += "; with one prompt at a time they are loaded one after the other";
  return text;
}

}  // namespace sinter::cli
