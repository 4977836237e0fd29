#include "sinter/verify/controlled_case.h"

#include <array>

namespace sinter::verify {
namespace {

struct ResidualNames {
  std::string_view output;  // its beginning
  std::string_view input;
};
constexpr std::array kResiduals{
    ResidualNames{"down_block_res_sample", "down_block_additional_residual"},
    ResidualNames{"mid_block_res_sample", "mid_block_additional_residual"}};

}  // namespace

std::optional<std::string> residual_input(std::string_view output) {
  for (const ResidualNames& row : kResiduals)
    if (output.starts_with(row.output))
      return std::string(row.input) + std::string(output.substr(row.output.size()));
  return std::nullopt;
}

std::optional<ReferenceCase> controlled_case(const ReferenceCase& control,
                                             const runtime::TensorMap& residuals) {
  const auto expected = control.outputs.find(std::string(kControlledOutput));
  if (expected == control.outputs.end()) return std::nullopt;
  ReferenceCase unet{.path = control.path,
                     .component = "unet",
                     .metadata = control.metadata,
                     .inputs = control.inputs,
                     .outputs = {{"out_sample", expected->second}}};
  for (const auto& [output, tensor] : residuals)
    if (const auto input = residual_input(output)) unet.inputs.insert_or_assign(*input, tensor);
  return unet;
}

}  // namespace sinter::verify
