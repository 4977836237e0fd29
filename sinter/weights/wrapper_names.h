#pragma once

#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::weights {

/// Takes off what wrappers put before every name of a state dict: "module." of DataParallel and
/// DistributedDataParallel, "_orig_mod." of torch.compile. Names stay where one has no such
/// beginning.
/// Source: torch/nn/parallel/data_parallel.py, torch/_dynamo/eval_frame.py (OptimizedModule).
void take_off_wrappers(std::vector<TensorEntry>& tensors);

}  // namespace sinter::weights
