#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/graph/scope.h"

namespace sinter::convert {

/// Why a module computes in float32 in a float16 graph.
enum class ExactReason {
  kOverflow,   // a value of it leaves float16's range
  kUnderflow,  // the largest element of a value of it is below float16's normal range
  kReads,      // it reads such a value of another module
  kScores,     // attention scores that float16 rounds by a quarter or more
  kWeights,    // a weight of it leaves float16's range
  kError,      // with it in float16 the graph's results leave the tolerance
};

/// A module that computes in float32, and the value that made it so.
struct ExactModule {
  std::string module;
  ExactReason reason;
  std::string value;
  double largest;  // absolute element of that value while calibrating; relative error for kError
};

/// How a rounded run (runtime::Arithmetic::kRounded) compares with float32 on the same input.
struct RoundedRun {
  double max = 0;       // largest error as a part of the output's scale; of the worst output
  double mean = 0;      // mean error, likewise
  long non_finite = 0;  // elements of the outputs that are NaN or infinite
  bool within = false;  // float16's tolerance
};

/// What was decided for one graph, and on what evidence.
struct GraphPolicy {
  std::vector<ExactModule> exact;  // in the order of execution
  std::string inputs;              // what the graph was run on: "prompts", "pictures", "generated"
  int runs = 0;
  std::string largest_value;  // the largest of those that would be float16
  double largest = 0;
  std::optional<RoundedRun> plain;    // float16 throughout; absent where nothing is exact
  std::optional<RoundedRun> decided;  // as decided
};

std::string_view reason_name(ExactReason reason);  // "overflow"

/// The paths of the modules.
graph::Places exact_places(const GraphPolicy& policy);

}  // namespace sinter::convert
