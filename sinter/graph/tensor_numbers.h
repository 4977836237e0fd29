#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sinter/graph/onnx_outline.h"

namespace onnx {
class TensorProto;
}

namespace sinter::graph {

/// What is wrong with a tensor whose data is in the file itself.
std::optional<TensorFlaw> payload_flaw(const onnx::TensorProto& tensor);

/// Numbers of an element type (TensorProto.DataType) out of bytes; nothing for types that hold no
/// sizes or scales.
std::optional<std::vector<double>> numbers_of(int type, std::span<const std::byte> bytes);

/// The same out of a tensor's typed fields.
std::optional<std::vector<double>> typed_numbers(const onnx::TensorProto& tensor);

}  // namespace sinter::graph
