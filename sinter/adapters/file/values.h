#pragma once

#include <cstdint>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::adapters {

/// Lets go of a range of a file and of the pages that came with it.
void forget_around(const MappedFile& file, std::uint64_t begin, std::uint64_t bytes);

/// The values of an adapter's tensor, row-major; its pages are let go.
/// @throws Error{kBadFile} for NaN or infinity, which would make every picture black;
///         Error{kUnsupported} for an element type that holds no numbers of a factor.
std::vector<float> read_values(const weights::Checkpoint& adapter,
                               const weights::TensorEntry& tensor);

/// The one value of a tensor.
/// @throws as read_values, and Error{kShapeMismatch} for more or fewer values than one.
float read_value(const weights::Checkpoint& adapter, const weights::TensorEntry& tensor);

/// Rows and columns of a matrix turned, [rows, columns] -> [columns, rows].
std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows,
                              std::int64_t columns);

}  // namespace sinter::adapters
