#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// alpha/rank * up down, for matrices and convolutions; with a mid tensor up and down are 1x1 and
/// mid is the core [rank, rank, kh, kw] of a Tucker decomposition.
/// Sources: Hu et al. 2021 (arXiv 2106.09685); LoCon and its Tucker form: LyCORIS, Yeh et al. 2023
/// (arXiv 2309.14859), sections 3.1 and B.
/// @throws Error{kShapeMismatch}.
void check_low_rank(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Delta> load_low_rank(const ModuleTensors& module, const MatrixShape& weight);

/// The same of a table whose rows are looked up (the token table), whose factors lie the other way:
/// PEFT's lora_embedding_A and lora_embedding_B.
/// @throws Error{kShapeMismatch}.
void check_table_low_rank(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Delta> load_table_low_rank(const ModuleTensors& module, const MatrixShape& weight);

/// Whether the module has a bias difference of its own (PEFT's lora_bias): alpha/rank * bias.
void check_low_rank_bias(const ModuleTensors& module, std::int64_t rows);
std::unique_ptr<Delta> load_low_rank_bias(const ModuleTensors& module);

}  // namespace sinter::adapters
