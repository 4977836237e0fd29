#include "sinter/weights/pickle/elements.h"

#include <algorithm>
#include <array>

namespace sinter::weights::pickle {
namespace {

// Source: torch/serialization.py, torch/storage.py (_new_dtypes, _dtype_to_storage_type_map).
constexpr std::array kElements{
    Element{"F64", "float64", "DoubleStorage", 8, DType::kF64},
    Element{"F32", "float32", "FloatStorage", 4, DType::kF32},
    Element{"F16", "float16", "HalfStorage", 2, DType::kF16},
    Element{"BF16", "bfloat16", "BFloat16Storage", 2, DType::kBF16},
    Element{"F8_E4M3", "float8_e4m3fn", "", 1, DType::kF8E4M3},
    Element{"F8_E5M2", "float8_e5m2", "", 1, DType::kF8E5M2},
    Element{"F8_E4M3FNUZ", "float8_e4m3fnuz", "", 1, {}},
    Element{"F8_E5M2FNUZ", "float8_e5m2fnuz", "", 1, {}},
    Element{"F8_E8M0", "float8_e8m0fnu", "", 1, {}},
    Element{"F4", "float4_e2m1fn_x2", "", 1, {}},
    Element{"I64", "int64", "LongStorage", 8, DType::kI64},
    Element{"I32", "int32", "IntStorage", 4, DType::kI32},
    Element{"I16", "int16", "ShortStorage", 2, DType::kI16},
    Element{"I8", "int8", "CharStorage", 1, DType::kI8},
    Element{"U64", "uint64", "", 8, DType::kU64},
    Element{"U32", "uint32", "", 4, DType::kU32},
    Element{"U16", "uint16", "", 2, DType::kU16},
    Element{"U8", "uint8", "ByteStorage", 1, DType::kU8},
    Element{"BOOL", "bool", "BoolStorage", 1, DType::kBool},
    Element{"C32", "complex32", "", 4, {}},
    Element{"C64", "complex64", "ComplexFloatStorage", 8, {}},
    Element{"C128", "complex128", "ComplexDoubleStorage", 16, {}},
    Element{"QI8", "qint8", "QInt8Storage", 1, {}},
    Element{"QU8", "quint8", "QUInt8Storage", 1, {}},
    Element{"QI32", "qint32", "QInt32Storage", 4, {}},
    Element{"QU4", "quint4x2", "QUInt4x2Storage", 1, {}},
    Element{"QU2", "quint2x4", "QUInt2x4Storage", 1, {}},
};

struct Alias {
  std::string_view name;
  std::string_view dtype;
};
constexpr std::array kAliases{
    Alias{"float", "float32"},    Alias{"double", "float64"},     Alias{"half", "float16"},
    Alias{"long", "int64"},       Alias{"int", "int32"},          Alias{"short", "int16"},
    Alias{"cfloat", "complex64"}, Alias{"cdouble", "complex128"}, Alias{"chalf", "complex32"},
};

constexpr std::array<std::string_view, 4> kUntyped{"UntypedStorage", "_UntypedStorage",
                                                   "TypedStorage", "_TypedStorage"};

const Element* find(std::string_view Element::*spelling, std::string_view name) {
  const auto found = std::ranges::find(kElements, name, spelling);
  return name.empty() || found == kElements.end() ? nullptr : &*found;
}

}  // namespace

const Element* element_of_dtype(std::string_view name) {
  const auto alias = std::ranges::find(kAliases, name, &Alias::name);
  return find(&Element::dtype, alias == kAliases.end() ? name : alias->dtype);
}

const Element* element_of_storage(std::string_view name) {
  if (std::ranges::find(kUntyped, name) != kUntyped.end())
    return find(&Element::storage, "ByteStorage");
  return find(&Element::storage, name);
}

}  // namespace sinter::weights::pickle
