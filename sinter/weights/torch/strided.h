#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "sinter/weights/torch/torch_file.h"

namespace sinter::weights::torch {

/// The elements of a tensor, row-major and little-endian, in pieces of at most 64 KiB. Of a
/// compressed block, one that is walked out of order is unpacked into memory first.
/// file: the whole file.
/// @throws Error{kBadFile} when a compressed block is damaged.
void write_tensor(std::span<const std::byte> file, const Block& block, const TorchTensor& tensor,
                  const std::function<void(std::span<const std::byte>)>& sink);

/// Compares a block with its checksum, where it has one.
/// @throws Error{kBadFile} when it does not fit.
void check_sum(std::span<const std::byte> file, const Block& block);

}  // namespace sinter::weights::torch
