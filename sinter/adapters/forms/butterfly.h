#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// BOFT: the output rows go through stages of rotations of blocks, stage i pairing rows that are
/// 2^i half blocks apart; oft_blocks is [stages, count, size, size]. The strength turns each
/// rotation R into strength * R + (1 - strength) * I. alpha as in OFT.
/// Source: Liu et al. 2023 (arXiv 2311.06243), section 4; the order of rows: LyCORIS.
/// @throws Error{kShapeMismatch}.
void check_butterfly(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Change> load_butterfly(const ModuleTensors& module, const MatrixShape& weight,
                                       float strength);

}  // namespace sinter::adapters
