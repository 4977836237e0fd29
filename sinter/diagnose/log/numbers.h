#pragma once

#include "sinter/diagnose/log/diagnosis.h"
#include "sinter/diagnose/log/finding.h"

namespace sinter::diagnose::log {

/// What the numbers of a message say, which is more than its words: adds notes to the fault and may
/// choose another cause of the same domain.
///
/// Memory: more asked for than the card has, reserved but unused (fragmentation), used by others.
/// Sizes: 768, 1024, 1280, 2048, 4096 name families; 4, 8, 9 input channels name kinds of UNet.
/// Versions: CUDA 11040 is 11.4; compute capabilities; ranges of a profile (77 tokens, 8 pixels).
void read_numbers(const Finding& finding, Fault& fault);

}  // namespace sinter::diagnose::log
