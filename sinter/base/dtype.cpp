#include "sinter/base/dtype.h"

#include <array>

namespace sinter {
namespace {

// Indexed by the enumerator's value; the TensorProto numbers are those of onnx.proto.
constexpr std::array kDTypes{
    DTypeInfo{DType::kF64, 8, "F64", "float64", 11, true},
    DTypeInfo{DType::kF32, 4, "F32", "float32", 1, true},
    DTypeInfo{DType::kF16, 2, "F16", "float16", 10, true},
    DTypeInfo{DType::kBF16, 2, "BF16", "bfloat16", 16, true},
    DTypeInfo{DType::kF8E4M3, 1, "F8_E4M3", "float8_e4m3fn", 17, true},
    DTypeInfo{DType::kF8E5M2, 1, "F8_E5M2", "float8_e5m2", 19, true},
    DTypeInfo{DType::kI64, 8, "I64", "int64", 7, false},
    DTypeInfo{DType::kI32, 4, "I32", "int32", 6, false},
    DTypeInfo{DType::kI16, 2, "I16", "int16", 5, false},
    DTypeInfo{DType::kI8, 1, "I8", "int8", 3, false},
    DTypeInfo{DType::kU64, 8, "U64", "uint64", 13, false},
    DTypeInfo{DType::kU32, 4, "U32", "uint32", 12, false},
    DTypeInfo{DType::kU16, 2, "U16", "uint16", 4, false},
    DTypeInfo{DType::kU8, 1, "U8", "uint8", 2, false},
    DTypeInfo{DType::kBool, 1, "BOOL", "bool", 9, false},
};

}  // namespace

const DTypeInfo& dtype_info(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_onnx(int onnx) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.onnx == onnx) return info.dtype;
  }
  return std::nullopt;
}

}  // namespace sinter
