#pragma once

#include <span>
#include <string_view>

#include "sinter/check/target.h"

namespace sinter::check {

/// An operator of ONNX's own domain.
///
/// Sources: versions and counts are those of the operator schemas of ONNX 1.23. Refusals: the
/// supported-operators pages of onnx-tensorrt (TensorRT 8.6, 10.15, 11); for TensorRT-RTX 1.7,
/// ONNX Runtime 1.32 and OpenVINO 2026.4 ONNX's own one-node test models, given to each of them.
struct OpRow {
  std::string_view name;
  int since;    // first opset that has it
  int removed;  // opset that withdraws it; 0: it is still there
  int min_inputs;
  int max_inputs;
  int max_outputs;
  Targets refused;  // targets without it
};

/// Null: ONNX has no such operator.
const OpRow* find_op(std::string_view name);

/// All, sorted by name.
std::span<const OpRow> all_ops();

}  // namespace sinter::check
