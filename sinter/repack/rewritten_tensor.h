#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::repack {

/// Rows of a stored tensor, whole or some, as a part of a rewritten one.
struct TensorPart {
  const weights::TensorEntry* tensor;
  std::int64_t first_row = 0;
  std::int64_t rows = -1;   // -1: all
  bool transposed = false;  // a matrix whose columns become rows
};

/// What was lost on the way to a narrower type.
struct Overflow {
  std::size_t tensors = 0;
  std::string first;  // name of the first one
};

/// A tensor made of parts, one behind the other along its first axis, in another type.
///
/// shape: of the whole; has as many elements as the parts. checkpoint: outlives the result.
/// overflow: counts tensors with finite numbers that became infinite.
weights::ComputedTensor rewritten(std::string name, DType dtype, Shape shape,
                                  std::vector<TensorPart> parts,
                                  const weights::Checkpoint& checkpoint,
                                  const std::shared_ptr<Overflow>& overflow);

/// The type that holds the parts' numbers: theirs, or float32 where they differ.
DType common_dtype(const std::vector<TensorPart>& parts);

}  // namespace sinter::repack
