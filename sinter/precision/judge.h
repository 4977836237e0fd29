#pragma once

#include <string>
#include <vector>

#include "sinter/convert/precision_policy.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/precision/watched_session.h"

namespace sinter::precision {

// Float16 holds magnitudes up to 65504, and down to 2^-14 with all of its eleven bits.

/// Other prompts go further than those that were calibrated with: by this factor.
inline constexpr double kHeadroom = 2;
inline constexpr double kLargestHalf = 65504;
inline constexpr double kLargestKept = kLargestHalf / kHeadroom;
inline constexpr double kSmallestNormal = 1.0 / 16384;

/// From here on float16 rounds a score by up to a quarter, which changes its weight (e^score) by
/// more than a quarter.
inline constexpr double kLargestScore = 512;

/// Which modules of a float16 graph have to compute in float32, in the order of execution.
///
/// half: the graph in float16 throughout. extremes: of the same network in float32, where the
/// values have the same names. A module that makes such a value computes in float32, and so does
/// each that reads it, because on the way it would pass through float16. A weight's nodes count as
/// their module's.
std::vector<convert::ExactModule> judge(const graph::OnnxModel& half, const Extremes& extremes);

/// The largest value that `half` holds in float16; empty name: none was watched.
struct LargestValue {
  std::string value;
  double largest = 0;
};
LargestValue largest_half(const graph::OnnxModel& half, const Extremes& extremes);

}  // namespace sinter::precision
