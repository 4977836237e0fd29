#pragma once

#include <deque>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"

namespace sinter::runtime {

/// What a caller gave, checked against the declarations and in their order and element types:
/// ranks, fixed extents, the same extent wherever the same symbol stands, and no extent of zero.
class PreparedInputs {
 public:
  /// Refers to `given` where no conversion is needed; valid while that lives.
  /// @throws Error{kMissingTensor, kShapeMismatch, kDTypeMismatch} naming the input, the expected
  ///         and the found. Fractions are not rounded to integers.
  PreparedInputs(const std::vector<graph::ValueDeclaration>& declared, const TensorMap& given);

  const std::vector<const Tensor*>& tensors() const { return tensors_; }

 private:
  std::vector<const Tensor*> tensors_;
  std::deque<Tensor> converted_;
};

}  // namespace sinter::runtime
