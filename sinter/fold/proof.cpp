#include "sinter/fold/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/check/trial_inputs.h"
#include "sinter/graph/onnx_outline.h"
#include "sinter/runtime/session.h"

namespace sinter::fold {
using graph::OnnxModel;
using runtime::TensorMap;
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

// Numbers as a network expects them, the same in every run: floats around zero, indices small
// enough for any table. The sequence is that of Numerical Recipes' linear congruential generator.
Tensor invented(DType dtype, const Shape& shape) {
  Tensor floats(DType::kF32, shape);
  std::uint32_t state = 1;
  const bool whole = !is_floating(dtype);
  for (float& value : floats.floats()) {
    state = state * 1664525U + 1013904223U;
    const float unit = static_cast<float>(state >> 8) / 16777216.0F;
    value = whole ? std::floor(unit * 2.0F) : 3.0F * unit - 1.5F;
  }
  return to_dtype(floats, dtype);
}

TensorMap inputs_for(const OnnxModel& model, const Shapes& shapes) {
  TensorMap inputs;
  for (const graph::ValueDeclaration& input : model.inputs()) {
    inputs.emplace(input.name, invented(input.dtype, shapes.at(input.name)));
  }
  return inputs;
}

OutputDifference difference(const std::string& name, const Tensor& before, const Tensor& after) {
  OutputDifference result{.output = name};
  if (before.dtype() != after.dtype() || before.shape() != after.shape()) {
    result.largest = INFINITY;
    return result;
  }
  const std::size_t bytes = before.bytes().size();
  result.identical =
      bytes == 0 || std::memcmp(before.bytes().data(), after.bytes().data(), bytes) == 0;
  const Tensor a = to_dtype(before, DType::kF32);
  const Tensor b = to_dtype(after, DType::kF32);
  for (std::size_t i = 0; i < a.floats().size(); ++i) {
    const double x = static_cast<double>(a.floats()[i]);
    const double y = static_cast<double>(b.floats()[i]);
    if (std::isfinite(x)) result.scale = std::max(result.scale, std::abs(x));
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double apart = std::abs(x - y);
    result.largest = std::isnan(apart) ? INFINITY : std::max(result.largest, apart);
  }
  // The same kernels on the same numbers: what rounding leaves where one fused what the other did
  // not is far below this.
  result.equal = result.identical || result.largest <= 1e-5 * result.scale;
  return result;
}

class Prover {
 public:
  Prover(const Loader& before, const Loader& after, std::filesystem::path library,
         const std::function<void(std::string_view)>& progress)
      : before_(before), after_(after), library_(std::move(library)), progress_(progress) {}

  Proof prove() {
    Proof proof;
    try {
      std::vector<TensorMap> originals;
      run_original(proof, originals);
      if (proof.runs.empty()) return proof;
      progress_("running the folded graph");
      const OnnxModel after = after_();
      const auto session = open(after);
      for (std::size_t i = 0; i < proof.runs.size(); ++i) {
        const TensorMap results = session->run(inputs_for(after, proof.runs[i].shapes));
        for (const auto& [name, tensor] : originals[i]) {
          proof.runs[i].outputs.push_back(difference(name, tensor, results.at(name)));
        }
      }
    } catch (const Error& error) {
      proof.runs.clear();
      proof.obstacle = error.message();
    }
    return proof;
  }

 private:
  std::unique_ptr<runtime::Session> open(const OnnxModel& model) const {
    return runtime::open_session(runtime::Engine::kOnnxRuntime, model,
                                 {.as_written = true, .onnxruntime_library = library_});
  }

  // The first two sizes at which it runs, with its results.
  void run_original(Proof& proof, std::vector<TensorMap>& results) {
    progress_("running the original graph");
    const OnnxModel before = before_();
    const std::vector<Shapes> candidates = check::trial_inputs(before.outline());
    if (candidates.empty()) {
      proof.obstacle = "the file does not say how its inputs are shaped";
      return;
    }
    const auto session = open(before);
    for (const Shapes& shapes : candidates) {
      try {
        results.push_back(session->run(inputs_for(before, shapes)));
        proof.runs.push_back({shapes, {}});
      } catch (const Error& error) {
        if (proof.obstacle.empty()) proof.obstacle = error.message();
      }
      if (results.size() == 2) break;
    }
    if (!results.empty()) proof.obstacle.clear();
  }

  const Loader& before_;
  const Loader& after_;
  std::filesystem::path library_;
  const std::function<void(std::string_view)>& progress_;
};

}  // namespace

bool Proof::holds() const {
  return !runs.empty() && std::ranges::all_of(runs, [](const ProofRun& run) {
    return std::ranges::all_of(run.outputs, &OutputDifference::equal);
  });
}

Proof prove(const Loader& before, const Loader& after,
            const std::filesystem::path& onnxruntime_library,
            const std::function<void(std::string_view doing)>& progress) {
  return Prover(before, after, onnxruntime_library, progress).prove();
}

}  // namespace sinter::fold
