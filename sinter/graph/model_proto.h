#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace sinter::graph {

/// Protobuf counts bytes of one message in a signed 32-bit number.
inline constexpr std::uint64_t kProtobufLimit = 0x7fffffff;

/// What to do about a model beyond that.
inline constexpr const char* kInlineHint =
    "weights of this size must lie beside the model as external data; export it again that way";

/// Bytes as an ONNX model.
/// @throws Error{kBadFile} when they are none or more than protobuf allows; the hint says what they
///         look like.
onnx::ModelProto parse_model(std::span<const std::byte> bytes, const std::filesystem::path& path);

using TensorVisitor = std::function<void(onnx::TensorProto&)>;

/// Every tensor of a model that may have external data: one that is left out here would be opened
/// by an engine, unchecked.
void visit_tensors(onnx::ModelProto& model, const TensorVisitor& visit);

struct Outline;

/// What outline_of() makes of bytes. The size of the file stays 0.
Outline outline_of(const onnx::ModelProto& model, const std::filesystem::path& path);

}  // namespace sinter::graph
