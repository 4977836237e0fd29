#include "sinter/adapters/file/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/tensor.h"
#include "sinter/weights/non_finite.h"

namespace sinter::adapters {

void forget_around(const MappedFile& file, std::uint64_t begin, std::uint64_t bytes) {
  // The system maps as much around a page that is touched, and lets only whole pages go.
  constexpr std::uint64_t kAround = std::uint64_t{64} << 10;
  const std::uint64_t first = begin > kAround ? begin - kAround : 0;
  const std::uint64_t last = std::min<std::uint64_t>(begin + bytes + kAround, file.bytes().size());
  file.forget(first, last - first);
}

std::vector<float> read_values(const weights::Checkpoint& adapter,
                               const weights::TensorEntry& tensor) {
  const std::span<const std::byte> bytes = adapter.bytes(tensor);
  if (weights::has_non_finite(bytes, tensor.dtype))
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' of {} has values that are not finite", shown(tensor.name),
                            shown(adapter.path().string())),
                "the training of this adapter has failed; every picture would be black");
  Tensor stored(tensor.dtype, tensor.shape);
  std::ranges::copy(bytes, stored.bytes().begin());
  forget_around(adapter.mapping(tensor.file), tensor.begin, tensor.bytes);
  const Tensor values =
      tensor.dtype == DType::kF32 ? std::move(stored) : to_dtype(stored, DType::kF32);
  return {values.floats().begin(), values.floats().end()};
}

float read_value(const weights::Checkpoint& adapter, const weights::TensorEntry& tensor) {
  if (element_count(tensor.shape) != 1)
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("'{}' is {}, expected one value", shown(tensor.name), to_string(tensor.shape)));
  return read_values(adapter, tensor).front();
}

std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows,
                              std::int64_t columns) {
  std::vector<float> result(values.size());
  const auto height = static_cast<std::size_t>(rows);
  const auto width = static_cast<std::size_t>(columns);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column)
      result[column * height + row] = values[row * width + column];
  return result;
}

}  // namespace sinter::adapters
