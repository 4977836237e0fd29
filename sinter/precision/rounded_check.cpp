#include "sinter/precision/rounded_check.h"

#include <algorithm>

#include "sinter/graph/onnx_model.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/tolerance.h"

namespace sinter::precision {

convert::RoundedRun rounded_run(const std::filesystem::path& path, const Watch& watch,
                                runtime::SessionOptions options) {
  options.arithmetic = runtime::Arithmetic::kRounded;
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const runtime::TensorMap found =
      runtime::open_session(runtime::Engine::kOnnxRuntime, model, options)->run(watch.inputs);
  const verify::Tolerance& tolerance = verify::tolerance_for(DType::kF16);
  convert::RoundedRun result{.max = 0, .mean = 0, .non_finite = 0, .within = true};
  for (const auto& [name, expected] : watch.outputs) {
    const verify::Comparison comparison = verify::compare(expected, found.at(name));
    result.max = std::max(result.max, comparison.max_relative);
    result.mean = std::max(result.mean, comparison.mean_relative);
    result.non_finite += comparison.found_nan + comparison.found_inf;
    result.within = result.within && verify::within(comparison, tolerance);
  }
  return result;
}

}  // namespace sinter::precision
