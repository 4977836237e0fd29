#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/file.h"
#include "sinter/base/shape.h"

namespace sinter::weights {

/// Takes the next bytes of a tensor.
using ByteSink = std::function<void(std::span<const std::byte> bytes)>;

/// A tensor that no file holds as it is wanted: its bytes are made while they are written, so that
/// a list of many takes no memory.
struct ComputedTensor {
  std::string name;
  DType dtype;
  Shape shape;
  /// Passes all elements, row-major and little-endian, in pieces of any size. May be called again,
  /// and then gives the same bytes. What it refers to has to live as long.
  std::function<void(const ByteSink& sink)> write;
};

/// Called with bytes done and in all.
using WriteProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Writes a safetensors file of them, one after another, in the order of sort_for_alignment(). The
/// file appears when it is complete.
/// @throws Error{kInternal} when a tensor gives more or fewer bytes than its shape has; what
///         SafetensorsWriter and the tensors throw, with the tensor as context.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<ComputedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       const WriteProgress& progress = {},
                       Durability durability = Durability::kPowerLoss);

}  // namespace sinter::weights
