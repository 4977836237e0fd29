#pragma once

#include <filesystem>

namespace onnx {
class ModelProto;
}

namespace sinter::graph {

/// Makes every engine round where the model says float16 or bfloat16.
///
/// Engines on a CPU compute such nodes in float32 and leave out the casts between them: no value is
/// rounded, none overflows, and the result says nothing about a GPU. Here each computing node takes
/// and gives float32, and each of its results passes through the declared type under its own name:
/// sums are held in float32 and results in the short type, as the kernels of GPUs do. An explicit
/// cast to a shorter type is none that an engine may leave out.
///
/// path: for messages.
/// @throws Error{kUnsupported} naming the value where a node's result has no declared type.
void round_values(onnx::ModelProto& model, const std::filesystem::path& path);

}  // namespace sinter::graph
