#pragma once

#include <vector>

#include "sinter/graph/onnx_outline.h"

namespace sinter::fold {

/// Element type (TensorProto.DataType) of a node's first output for given types of its inputs, 0
/// where it is not known here. Source: the operator schemas of ONNX.
int result_type(const graph::OutlineNode& node, const std::vector<int>& inputs);

}  // namespace sinter::fold
