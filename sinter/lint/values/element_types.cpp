#include "sinter/lint/values/element_types.h"

namespace sinter::lint {
namespace {

int category(DType type) {
  if (type == DType::kBool) return 0;
  return dtype_info(type).floating ? 2 : 1;
}

}  // namespace

bool is_floating(std::optional<DType> type) { return type && dtype_info(*type).floating; }

std::optional<DType> promote(const Facts& a, const Facts& b) {
  if (!a.type || !b.type) return std::nullopt;
  if (*a.type == *b.type) return a.type;
  const int ca = category(*a.type);
  const int cb = category(*b.type);
  // A tensor of no dimension counts only where its kind is the higher one.
  if (a.shape.surely_scalar() != b.shape.surely_scalar()) {
    const bool a_scalar = a.shape.surely_scalar();
    if (a_scalar && ca <= cb) return b.type;
    if (!a_scalar && cb <= ca) return a.type;
  }
  if (ca != cb) return ca > cb ? a.type : b.type;
  const std::size_t sa = dtype_bytes(*a.type);
  const std::size_t sb = dtype_bytes(*b.type);
  if (sa == sb) return ca == 2 ? DType::kF32 : a.type;  // float16 with bfloat16
  return sa > sb ? a.type : b.type;
}

}  // namespace sinter::lint
