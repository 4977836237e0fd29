#include "sinter/verify/engine_run.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "sinter/base/error.h"

namespace sinter::verify {
namespace fs = std::filesystem;
using runtime::TensorMap;

namespace {

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

}  // namespace

void report(const VerifyOptions& options, const fs::path& model, std::string_view stage) {
  if (options.progress) options.progress(model, stage);
}

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

TensorMap joined_outputs(const graph::OnnxModel& model, const EngineRun& ran) {
  TensorMap outputs;
  for (const graph::ValueDeclaration& output : model.outputs())
    outputs.emplace(output.name, joined(ran.results, output.name));
  return outputs;
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

}  // namespace sinter::verify
