#pragma once

#include <string_view>

namespace sinter::plan {

/// What the rules of fusion ask about an operator.
enum class OpClass {
  kPointwise,  // element by element
  kHeavy,      // a convolution or a matrix product
  kLayerNorm,  // a reduction that takes element-wise operations along
  kSoftmax,
  kAlone,  // a reduction that does not
  kOther,  // moves data, or is not known
};

/// Of an operator of the default ONNX domain.
OpClass class_of(std::string_view op);

}  // namespace sinter::plan
