#pragma once

#include <string>
#include <string_view>

#include "sinter/diagnose/log/diagnosis.h"
#include "sinter/diagnose/log/finding.h"

namespace sinter::diagnose::log {

/// Reads a message about two places or two types of tensors into the fault: which of the two is
/// wrong, what operator and argument, which class of fault, and which PyTorch words it so.
///
/// In "X and Y! (when checking argument for argument A in method M)" X is where the first tensors
/// are and Y is where A is. Source: PyTorch, c10/core/impl and torchgen's device checks.
void read_devices(const LogParts& parts, const Finding& finding, Fault& fault);

/// "wrapper_CUDA__index_select" -> "index_select", "slow_conv2d_forward" -> "conv2d".
std::string operator_name(std::string_view method);

}  // namespace sinter::diagnose::log
