#include <utility>

#include "sinter/verify/engine_run.h"
#include "sinter/verify/generated_inputs.h"
#include "sinter/verify/verify.h"

namespace sinter::verify {
namespace fs = std::filesystem;
using runtime::TensorMap;

runtime::SessionOptions for_the_other(runtime::SessionOptions options) {
  options.provider_library.clear();
  options.engine_cache.clear();
  options.shape_ranges.clear();
  if (options.arithmetic == runtime::Arithmetic::kRounded)
    options.arithmetic = runtime::Arithmetic::kGraph;
  return options;
}

std::vector<GraphResult> compare_engines(const fs::path& path, runtime::Engine against,
                                         const ReferenceCase* reference,
                                         const VerifyOptions& options) {
  report(options, path, "loading");
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const CaseBinding binding = reference != nullptr
                                  ? bind_case(*reference, model, text_states(path))
                                  : CaseBinding{{generated_inputs(model.inputs())}, {}, {}};
  VerifyOptions others = options;
  others.session = for_the_other(options.session);
  const EngineRun other = run(against, model, binding.runs, others);
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
