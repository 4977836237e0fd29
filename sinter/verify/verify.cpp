#include "sinter/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/verify/case_binding.h"
#include "sinter/verify/controlled_case.h"
#include "sinter/verify/generated_inputs.h"

namespace sinter::verify {
namespace fs = std::filesystem;
using runtime::TensorMap;

namespace {

struct ComponentRow {
  std::string_view component;
  std::string_view folder;
};

// A component of one name may have become two graphs.
constexpr std::array kFolders{
    ComponentRow{"text_encoder", "text_encoder"},
    ComponentRow{"text_encoder_2", "text_encoder_2"},
    ComponentRow{"unet", "unet"},
    ComponentRow{"vae", "vae_decoder"},
    ComponentRow{"vae", "vae_encoder"},
    ComponentRow{"controlnet", "controlnet"},
};

std::optional<fs::path> model_in(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  if (fs::exists(folder / "model.onnx")) return folder / "model.onnx";
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") found.push_back(entry.path());
  }
  if (found.size() != 1) return std::nullopt;
  return found.front();
}

void report(const VerifyOptions& options, const fs::path& model, std::string_view stage) {
  if (options.progress) options.progress(model, stage);
}

// Puts the rows of several runs together again.
Tensor joined(const std::vector<TensorMap>& results, const std::string& name) {
  const Tensor& first = results.front().at(name);
  if (results.size() == 1) return first;
  Shape shape = first.shape();
  if (shape.empty()) return first;
  shape[0] = 0;
  for (const TensorMap& result : results) shape[0] += result.at(name).shape().at(0);
  Tensor whole(first.dtype(), std::move(shape));
  std::size_t at = 0;
  for (const TensorMap& result : results) {
    const auto bytes = result.at(name).bytes();
    if (!bytes.empty()) std::memcpy(whole.bytes().data() + at, bytes.data(), bytes.size());
    at += bytes.size();
  }
  return whole;
}

// The first half of axis 1: [N,2c,...] -> [N,c,...].
Tensor first_channels(const Tensor& tensor) {
  Shape shape = tensor.shape();
  if (shape.size() < 2 || shape[0] == 0) return tensor;
  const std::size_t row = tensor.bytes().size() / static_cast<std::size_t>(shape[0]);
  const auto rows = static_cast<std::size_t>(shape[0]);
  shape[1] /= 2;
  Tensor half(tensor.dtype(), std::move(shape));
  const std::size_t part = half.bytes().size() / rows;
  for (std::size_t i = 0; i < rows && part > 0; ++i) {
    std::memcpy(half.bytes().data() + i * part, tensor.bytes().data() + i * row, part);
  }
  return half;
}

struct EngineRun {
  runtime::EngineInfo info;
  runtime::Placement placement;
  std::vector<TensorMap> results;
};

EngineRun run(runtime::Engine engine, const graph::OnnxModel& model,
              const std::vector<TensorMap>& runs, const VerifyOptions& options) {
  report(options, model.path(), "compiling");
  const std::unique_ptr<runtime::Session> session =
      runtime::open_session(engine, model, options.session);
  report(options, model.path(), "running");
  EngineRun done{.info = session->info(), .placement = session->placement(), .results = {}};
  try {
    for (const TensorMap& inputs : runs) done.results.push_back(session->run(inputs));
  } catch (Error& error) {
    // What the engine says names the graph already.
    if (error.code() != ErrorCode::kRuntime) {
      error.add_context(fmt::format("running {}", model.path().string()));
    }
    throw;
  }
  return done;
}

const Tolerance& tolerance_of(DType compute, const runtime::EngineInfo& engine) {
  const Tolerance& graph = tolerance_for(compute);
  if (engine.arithmetic == kTensorRtTolerance.name) return coarser(graph, kTensorRtTolerance);
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    if (engine.arithmetic == dtype_info(dtype).word) return coarser(graph, tolerance_for(dtype));
  }
  return graph;
}

GraphResult empty_result(const graph::OnnxModel& model, const EngineRun& ran,
                         const VerifyOptions& options) {
  const DType compute = model.compute_dtype();
  return {.model = model.path(),
          .compute = compute,
          .engine = ran.info,
          .tolerance = options.tolerance.value_or(tolerance_of(compute, ran.info)),
          .outputs = {},
          .not_compared = {},
          .placement = ran.placement,
          .no_cpu_fallback = options.no_cpu_fallback};
}

std::vector<std::string> names(const std::vector<graph::ValueDeclaration>& values) {
  std::vector<std::string> result;
  for (const graph::ValueDeclaration& value : values) result.push_back(value.name);
  return result;
}

void require_outputs(const CaseBinding& binding, const ReferenceCase& reference,
                     const graph::OnnxModel& model) {
  if (!binding.outputs.empty()) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} gives {}, and {} has {}: there is nothing to compare",
                          model.path().string(), fmt::join(names(model.outputs()), ", "),
                          reference.path.string(), fmt::join(binding.not_compared, ", ")),
              reference.component.empty()
                  ? std::string()
                  : fmt::format("the case is about a {}", reference.component));
}

TensorMap joined_outputs(const graph::OnnxModel& model, const EngineRun& ran) {
  TensorMap outputs;
  for (const graph::ValueDeclaration& output : model.outputs())
    outputs.emplace(output.name, joined(ran.results, output.name));
  return outputs;
}

void compare_with_case(const CaseBinding& binding, const ReferenceCase& reference,
                       const TensorMap& outputs, GraphResult& result) {
  for (const OutputPair& pair : binding.outputs) {
    const Tensor& whole = reference.outputs.at(pair.reference);
    const Comparison comparison =
        compare(pair.first_channels ? first_channels(whole) : whole, outputs.at(pair.output));
    result.outputs.push_back({.reference = "out." + pair.reference,
                              .output = pair.output,
                              .comparison = comparison,
                              .passed = within(comparison, result.tolerance)});
  }
  for (const std::string& name : binding.not_compared) result.not_compared.push_back("out." + name);
}

struct CaseRun {
  GraphResult result;
  TensorMap outputs;  // of the graph
};

CaseRun run_case(const fs::path& path, const ReferenceCase& reference,
                 const VerifyOptions& options) {
  report(options, path, "loading");
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const CaseBinding binding = bind_case(reference, model, text_states(path));
  require_outputs(binding, reference, model);
  const EngineRun ran = run(options.engine, model, binding.runs, options);
  CaseRun done{.result = empty_result(model, ran, options), .outputs = joined_outputs(model, ran)};
  compare_with_case(binding, reference, done.outputs, done.result);
  return done;
}

/// The UNet of the folder that a ControlNet's graph stands in, where it takes residuals.
std::optional<fs::path> controlled_unet(const fs::path& controlnet) {
  const auto unet = model_in(fs::absolute(controlnet).parent_path().parent_path() / "unet");
  if (!unet) return std::nullopt;
  const auto inputs = graph::OnnxModel::load(*unet).inputs();
  const bool takes = std::ranges::any_of(inputs, [](const graph::ValueDeclaration& input) {
    return input.name == residual_input("mid_block_res_sample");
  });
  return takes ? unet : std::nullopt;
}

}  // namespace

bool GraphResult::passed() const {
  if (no_cpu_fallback && (!placement.known || !placement.fallen.empty())) return false;
  return std::ranges::all_of(outputs, &OutputResult::passed);
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (const auto model = model_in(entry.path())) models.push_back(*model);
    }
  }
  std::ranges::sort(models);
  return models;
}

std::vector<fs::path> models_for(const fs::path& folder, const ReferenceCase& reference) {
  std::vector<fs::path> models;
  for (const ComponentRow& row : kFolders) {
    if (row.component != reference.component) continue;
    if (const auto model = model_in(folder / row.folder)) models.push_back(*model);
  }
  if (!models.empty()) return models;
  std::vector<std::string> there;
  for (const fs::path& model : models_in(folder)) {
    there.push_back(model.parent_path().filename().string());
  }
  const std::string about = reference.component.empty()
                                ? "does not say which component it is about"
                                : fmt::format("is about '{}'", reference.component);
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{} {}, and {} has {}", reference.path.string(), about, folder.string(),
                  there.empty() ? "no graphs" : fmt::format("{}", fmt::join(there, ", "))),
      reference.component.empty() && !there.empty()
          ? fmt::format("name the graph that it is of: {}", models_in(folder).front().string())
          : std::string());
}

GraphResult verify_model(const fs::path& path, const ReferenceCase& reference,
                         const VerifyOptions& options) {
  return run_case(path, reference, options).result;
}

std::vector<GraphResult> verify_case(const fs::path& path, const ReferenceCase& reference,
                                     const VerifyOptions& options) {
  CaseRun ran = run_case(path, reference, options);
  std::vector<GraphResult> results{std::move(ran.result)};
  const auto controlled = controlled_case(reference, ran.outputs);
  const auto unet = controlled ? controlled_unet(path) : std::nullopt;
  if (!unet) return results;
  GraphResult result = verify_model(*unet, *controlled, options);
  const std::string name = fmt::format("out.{}", kControlledOutput);
  for (OutputResult& output : result.outputs) output.reference = name;
  std::erase(results.front().not_compared, name);
  results.push_back(std::move(result));
  return results;
}

std::vector<GraphResult> verify_folder(const fs::path& folder, const ReferenceCase& reference,
                                       const VerifyOptions& options) {
  std::vector<GraphResult> results;
  for (const fs::path& model : models_for(folder, reference)) {
    std::ranges::move(verify_case(model, reference, options), std::back_inserter(results));
  }
  // What one graph of a component does not give, another may: only the rest is not compared.
  for (GraphResult& result : results) {
    std::erase_if(result.not_compared, [&](const std::string& name) {
      return std::ranges::any_of(results, [&](const GraphResult& other) {
        return std::ranges::find(other.outputs, name, &OutputResult::reference) !=
               other.outputs.end();
      });
    });
  }
  return results;
}

std::vector<GraphResult> compare_engines(const fs::path& path, runtime::Engine against,
                                         const ReferenceCase* reference,
                                         const VerifyOptions& options) {
  report(options, path, "loading");
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const CaseBinding binding = reference != nullptr
                                  ? bind_case(*reference, model, text_states(path))
                                  : CaseBinding{{generated_inputs(model.inputs())}, {}, {}};
  const EngineRun other = run(against, model, binding.runs, options);
  const TensorMap expected = joined_outputs(model, other);
  const EngineRun ran = run(options.engine, model, binding.runs, options);
  const TensorMap found = joined_outputs(model, ran);
  std::vector<GraphResult> results;
  if (!binding.outputs.empty()) {
    results.push_back(empty_result(model, other, options));
    // The other engine is what is compared with, whatever computes it.
    results.back().placement = {};
    results.back().no_cpu_fallback = false;
    compare_with_case(binding, *reference, expected, results.back());
    results.push_back(empty_result(model, ran, options));
    compare_with_case(binding, *reference, found, results.back());
  }
  GraphResult pair = empty_result(model, ran, options);
  if (!results.empty()) {
    pair.placement = {};
    pair.no_cpu_fallback = false;
  }
  if (!options.tolerance)
    pair.tolerance = coarser(pair.tolerance, tolerance_of(pair.compute, other.info));
  for (const graph::ValueDeclaration& output : model.outputs()) {
    const Comparison comparison = compare(expected.at(output.name), found.at(output.name));
    pair.outputs.push_back({.reference = std::string(runtime::engine_name(against)),
                            .output = output.name,
                            .comparison = comparison,
                            .passed = within(comparison, pair.tolerance)});
  }
  results.push_back(std::move(pair));
  return results;
}

}  // namespace sinter::verify
