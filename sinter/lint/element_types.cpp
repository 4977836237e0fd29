#include <fmt/format.h>

#include <algorithm>

#include "sinter/lint/edits.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

int category(DType type) {
  if (type == DType::kBool) return 0;
  return dtype_info(type).floating ? 2 : 1;
}

}  // namespace

bool is_floating(std::optional<DType> type) { return type && dtype_info(*type).floating; }

bool is_half(std::optional<DType> type) { return type == DType::kF16; }

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

void check_types(Interpreter& in, const Facts& input, std::optional<DType> weights,
                 std::string_view what, const Place& use) {
  if (in.state.degraded || !in.state.autocast.empty()) return;
  const bool two_bytes = weights == DType::kF16 || weights == DType::kBF16;
  const bool wide = !input.type && input.wide && two_bytes;
  if (!wide && (!is_floating(input.type) || !is_floating(weights) || *input.type == *weights))
    return;
  const SourcePtr& source = input.type_source ? input.type_source : input.source;
  if (!source || source->kind == SourceKind::kNone) return;
  in.report(Rule::kInputDtypeMismatch, source->place,
            fmt::format("{} gets {} but its weights are {} (line {})", what,
                        input.type ? dtype_info(*input.type).word : "numpy's float64 or float32",
                        dtype_info(*weights).word, use.line),
            dtype_edit(in, *source, *weights), use);
}

}  // namespace sinter::lint
