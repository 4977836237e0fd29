#pragma once

#include <string>

#include "sinter/check/target.h"

namespace sinter::check {

/// An element type of ONNX.
///
/// Sources: numbers and words of onnx.proto; for TensorRT the supported-operators pages of
/// onnx-tensorrt, for the others one-node models given to ONNX Runtime 1.32 and OpenVINO 2026.4.
struct TypeRow {
  int number;  // TensorProto.DataType
  std::string_view word;
  Targets refused;    // targets that have no values of this type
  Targets edge_only;  // targets that take it as input or output of the graph only
  Targets changed;    // targets that silently compute in a smaller type
  Targets quantized;  // targets that know it between quantize and dequantize only
};

/// Null: ONNX has no such type.
const TypeRow* find_type(int number);

/// "float16", or "type 77".
std::string type_word(int number);

}  // namespace sinter::check
