#pragma once

#include <map>
#include <string_view>

#include "sinter/weights/pickle/values.h"
#include "sinter/weights/torch/tensor_walk.h"
#include "sinter/weights/torch/torch_file.h"

namespace sinter::weights::torch {

/// Blocks by the key of their storage: index into TorchFile::blocks.
using BlockIndex = std::map<std::string_view, std::size_t>;

/// Adds the tensors of a walk to the file, each where it lies.
/// @throws Error{kBadFile} for one that does not lie within its storage, naming both.
void place_tensors(const pickle::Values& values, const TensorWalk& walk, const BlockIndex& index,
                   TorchFile& file);

/// Bytes of a storage's elements.
/// @throws Error{kBadFile} for a count that is negative or too large.
std::uint64_t storage_bytes(const pickle::Storage& storage);

}  // namespace sinter::weights::torch
