#pragma once

#include "sinter/arch/component_settings.h"
#include "sinter/arch/config.h"

namespace sinter::arch {

/// Sets the attention heads of a UNet from what a folder states, where it does, and checks that
/// they divide the width of every level with attention. On entry `config` has the family's.
/// @throws Error{kShapeMismatch} naming the heads and the width that they do not divide;
///         Error{kBadFile} for a list that has not one number a level; Error{kUnsupported} for
///         levels that have neither the number nor the width of heads in common.
void set_heads(UNetConfig& config, const UNetSettings& settings);

}  // namespace sinter::arch
