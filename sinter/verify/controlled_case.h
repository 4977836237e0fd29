#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinter/runtime/session.h"
#include "sinter/verify/reference_case.h"

namespace sinter::verify {

/// What a ControlNet's case says of the UNet that takes its residuals: tensor "out.NAME".
inline constexpr std::string_view kControlledOutput = "unet_out_sample";

/// The UNet's input that takes an output of a ControlNet ("down_block_res_sample_3",
/// "mid_block_res_sample"), or nothing for another name.
std::optional<std::string> residual_input(std::string_view output);

/// The case of the UNet within a ControlNet's case: the same inputs, `residuals` (outputs of the
/// ControlNet) and the expected "out_sample". Nothing where the case does not say it.
std::optional<ReferenceCase> controlled_case(const ReferenceCase& control,
                                             const runtime::TensorMap& residuals);

}  // namespace sinter::verify
