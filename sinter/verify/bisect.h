#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/tolerance.h"

namespace sinter::verify {

/// A graph on an engine. The model is exposed while the search runs and restored behind it.
struct BisectSide {
  graph::OnnxModel& model;
  runtime::Engine engine;
  runtime::SessionOptions options = {};
};

/// Where a fault starts.
struct BisectFinding {
  std::string module;  // the node's name before its last '/', or the node's name
  std::string node;
  std::string op;
  std::string value;      // the faulty output of the node
  Comparison comparison;  // of it with the reference side; in find_non_finite(), with itself
};

/// Called before each run with the number of values that will be looked at.
using BisectProgress = std::function<void(std::size_t values)>;

/// The first value, in the order of execution, at which `suspect` leaves the tolerance around
/// `reference`, or nothing when their outputs agree.
///
/// The two may be one graph on two engines, or two graphs of one network in different precisions:
/// values are matched by name. The search goes backwards from the first faulty output along the
/// data; a value within tolerance vouches for those that lead to it. Memory: at most 64 inner
/// values or 1 GiB of them a run, whichever is less, and one engine at a time.
/// @throws all that sessions throw.
std::optional<BisectFinding> bisect(BisectSide reference, BisectSide suspect,
                                    const runtime::TensorMap& inputs, const Tolerance& tolerance,
                                    const BisectProgress& progress = {});

/// Where to look for values that are not finite.
enum class NonFiniteScope {
  kOutputs,  // back from outputs that are not finite
  kValues,   // in every value, in the order of execution, where the outputs are finite
};

/// The first value that has NaN or infinity while its inputs have none, or nothing when there is
/// none. Negative infinity on its way into a Softmax is a mask, no fault.
///
/// kValues finds what a GPU would trip over: CPU engines compute float16 graphs in float32, where
/// an overflow shows only in the value that is looked at. It takes a run for every 64 values.
std::optional<BisectFinding> find_non_finite(BisectSide side, const runtime::TensorMap& inputs,
                                             NonFiniteScope scope = NonFiniteScope::kOutputs,
                                             const BisectProgress& progress = {});

}  // namespace sinter::verify
