#pragma once

#include <cstdint>
#include <vector>

#include "sinter/adapters/merge/match.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::adapters {

struct MergeOptions {
  /// 16-bit weights become float32, so that nothing is rounded, at twice the space.
  bool widen = false;
  unsigned threads = 0;  // 0: one a processor
};

/// The changed tensors of a checkpoint, those only, in the order of the checkpoint.
///
/// Each is read, changed and passed on in pieces of some rows; changes of one tensor are made one
/// after another, in the order of the list. Arithmetic is float32, whatever is stored. A tensor
/// keeps its element type, but for 8-bit floats: those become float16, which holds them exactly,
/// since their three bits of mantissa would round most of a change away.
///
/// The bytes do not depend on the number of threads.
/// checkpoint, and what the changes refer to, have to live as long as the result is used.
/// @throws Error{kUnsupported} for a tensor that holds no floating numbers. Writing throws
///         Error{kBadFile} when an adapter's numbers are not finite, or when a value that was
///         finite leaves the range of its type.
std::vector<weights::ComputedTensor> merged_tensors(const weights::Checkpoint& checkpoint,
                                                    std::vector<PlacedChange> changes,
                                                    const MergeOptions& options = {});

}  // namespace sinter::adapters
