#include "sinter/plan/operators.h"

#include <algorithm>
#include <array>

namespace sinter::plan {
namespace {

struct OpRow {
  std::string_view op;
  OpClass kind;
};

constexpr std::array kOps{
    OpRow{"Abs", OpClass::kPointwise},
    OpRow{"Add", OpClass::kPointwise},
    OpRow{"Attention", OpClass::kHeavy},
    OpRow{"Cast", OpClass::kPointwise},
    OpRow{"Clip", OpClass::kPointwise},
    OpRow{"Conv", OpClass::kHeavy},
    OpRow{"ConvTranspose", OpClass::kHeavy},
    OpRow{"Cos", OpClass::kPointwise},
    OpRow{"Div", OpClass::kPointwise},
    OpRow{"Elu", OpClass::kPointwise},
    OpRow{"Equal", OpClass::kPointwise},
    OpRow{"Erf", OpClass::kPointwise},
    OpRow{"Exp", OpClass::kPointwise},
    OpRow{"Gelu", OpClass::kPointwise},
    OpRow{"Gemm", OpClass::kHeavy},
    OpRow{"Greater", OpClass::kPointwise},
    OpRow{"GroupNormalization", OpClass::kAlone},
    OpRow{"HardSwish", OpClass::kPointwise},
    OpRow{"InstanceNormalization", OpClass::kAlone},
    OpRow{"LayerNormalization", OpClass::kLayerNorm},
    OpRow{"LeakyRelu", OpClass::kPointwise},
    OpRow{"Less", OpClass::kPointwise},
    OpRow{"MatMul", OpClass::kHeavy},
    OpRow{"Max", OpClass::kPointwise},
    OpRow{"Min", OpClass::kPointwise},
    OpRow{"Mul", OpClass::kPointwise},
    OpRow{"Neg", OpClass::kPointwise},
    OpRow{"Pow", OpClass::kPointwise},
    OpRow{"Reciprocal", OpClass::kPointwise},
    OpRow{"Relu", OpClass::kPointwise},
    OpRow{"Sigmoid", OpClass::kPointwise},
    OpRow{"Sin", OpClass::kPointwise},
    OpRow{"Softmax", OpClass::kSoftmax},
    OpRow{"Sqrt", OpClass::kPointwise},
    OpRow{"Sub", OpClass::kPointwise},
    OpRow{"Tanh", OpClass::kPointwise},
    OpRow{"Where", OpClass::kPointwise},
};

}  // namespace

OpClass class_of(std::string_view op) {
  const auto found = std::ranges::find(kOps, op, &OpRow::op);
  return found == kOps.end() ? OpClass::kOther : found->kind;
}

}  // namespace sinter::plan
