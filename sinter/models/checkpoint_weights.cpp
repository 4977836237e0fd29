#include "sinter/models/checkpoint_weights.h"

#include <fmt/format.h>

#include "sinter/base/error.h"

namespace sinter::models {

std::optional<graph::StoredWeight> CheckpointWeights::find(std::string_view name) const {
  const arch::WeightSource* source = map_->find(name);
  if (source == nullptr) return std::nullopt;
  const weights::TensorEntry& tensor = *source->tensor;
  // Those of a conversion's own checkpoint were written to its delta file before.
  if (tensor.gathered)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' does not stand in its file as it is needed (a strided view, or "
                            "compressed)",
                            tensor.name),
                "sinter repack writes such a file as safetensors");
  graph::StoredWeight stored{.name = tensor.name,
                             .dtype = tensor.dtype,
                             .shape = tensor.shape,
                             .file = tensor.file,
                             .begin = tensor.begin,
                             .transposed = source->transposed};
  if (source->rows >= 0 && !stored.shape.empty() && stored.shape.front() > 0) {
    const std::uint64_t row_bytes = tensor.bytes / static_cast<std::uint64_t>(tensor.shape.front());
    stored.begin += static_cast<std::uint64_t>(source->first_row) * row_bytes;
    stored.shape.front() = source->rows;
    stored.name += fmt::format("[{}:{}]", source->first_row, source->first_row + source->rows);
  }
  return stored;
}

}  // namespace sinter::models
