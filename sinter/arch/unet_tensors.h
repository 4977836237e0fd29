#pragma once

#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/structure.h"

namespace sinter::arch {

/// Every weight of a UNet.
struct UNetTensors {
  std::vector<ExpectedTensor> tensors;
  bool sides_meet;  // the way up takes every skip connection that the way down leaves, each at its
                    // own resolution; otherwise it is no UNet
};

/// vector: it takes one beside the text, of a length that may not be known (vector_dim 0).
UNetTensors unet_tensors(const UNetConfig& config, bool vector);

/// Every weight of a ControlNet, as many residuals as its way down has skip connections.
std::vector<ExpectedTensor> controlnet_tensors(const ControlNetConfig& config, bool vector);

}  // namespace sinter::arch
