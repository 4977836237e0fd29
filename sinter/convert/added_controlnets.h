#pragma once

#include <filesystem>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::convert {

/// The checkpoint with these ControlNets (files or folders) over its own, each in the place that
/// arch::kControlNetNames has for it. Without files, the checkpoint as it is.
/// @throws Error{kUsage} for more than there are places; Error{kUnsupported} naming what a file is
/// that holds no ControlNet; what opening and detecting throw.
weights::Checkpoint with_controlnets(weights::Checkpoint checkpoint,
                                     const std::vector<std::filesystem::path>& files);

/// Whether a ControlNet stands beside the UNet, which then takes residuals.
bool has_controlled_unet(const arch::Model& model);

}  // namespace sinter::convert
