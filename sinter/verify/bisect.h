#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// A value that was looked at, and the node that makes it.
struct BisectValue {
  std::string module;  // the node's name before its last '/', or the node's name
  std::string node;
  std::string op;
  std::string value;
  bool faulty = false;
  NonFinite non_finite = {};                  // of the suspect's value
  std::optional<Comparison> comparison = {};  // with the reference side; none in find_non_finite()
};

/// Where a fault starts, with values of the modules around it in the order of execution: at most
/// two before and two behind.
struct BisectFinding {
  BisectValue fault;
  std::vector<BisectValue> before;
  std::vector<BisectValue> behind;
};

/// Called before each run with the number of values that were looked at so far, and the number that
/// the graph has.
using BisectProgress = std::function<void(std::size_t looked, std::size_t values)>;

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
