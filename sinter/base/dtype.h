#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sinter {

/// Element types of tensors, in files and in graphs.
enum class DType {
  kF64,
  kF32,
  kF16,
  kBF16,
  kF8E4M3,
  kF8E5M2,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool
};

/// One row per element type: the only place that knows its size and its names.
struct DTypeInfo {
  DType dtype;
  std::size_t bytes;      // of one element
  std::string_view name;  // as safetensors writes it: "F16"
  std::string_view word;  // as people write it: "float16"
  int onnx;               // TensorProto.DataType of onnx.proto
  bool floating;
};

const DTypeInfo& dtype_info(DType dtype);

inline std::size_t dtype_bytes(DType dtype) { return dtype_info(dtype).bytes; }
inline std::string_view dtype_name(DType dtype) { return dtype_info(dtype).name; }
inline bool is_floating(DType dtype) { return dtype_info(dtype).floating; }

/// The type that safetensors calls `name`, or nothing.
std::optional<DType> dtype_from_name(std::string_view name);

/// The type with this TensorProto.DataType, or nothing.
std::optional<DType> dtype_from_onnx(int onnx);

}  // namespace sinter
