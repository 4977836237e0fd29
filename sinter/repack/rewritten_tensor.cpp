#include "sinter/repack/rewritten_tensor.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "sinter/base/tensor.h"
#include "sinter/weights/non_finite.h"

namespace sinter::repack {
namespace {

constexpr std::size_t kPieceElements = 1 << 14;  // buffers come from the heap without page faults
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Bytes of a part within its tensor.
struct Range {
  std::size_t begin;
  std::size_t length;
};

Range range_of(const TensorPart& part) {
  const weights::TensorEntry& tensor = *part.tensor;
  if (part.rows < 0) return {0, tensor.bytes};
  const std::size_t row = tensor.bytes / static_cast<std::size_t>(tensor.shape.front());
  return {static_cast<std::size_t>(part.first_row) * row,
          static_cast<std::size_t>(part.rows) * row};
}

/// Passes elements on in another type.
class Converter {
 public:
  Converter(DType from, DType to, const weights::ByteSink& sink)
      : from_(from), to_(to), sink_(sink) {}

  /// bytes: pieces may end within an element.
  void write(std::span<const std::byte> bytes) {
    if (from_ == to_) return sink_(bytes);
    const std::size_t width = dtype_bytes(from_);
    if (!begun_.empty()) {
      const std::size_t more = std::min(width - begun_.size(), bytes.size());
      begun_.insert(begun_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(more));
      bytes = bytes.subspan(more);
      if (begun_.size() < width) return;
      convert(begun_);
      begun_.clear();
    }
    const auto whole = bytes.first(bytes.size() / width * width);
    for (std::size_t done = 0; done < whole.size(); done += kPieceElements * width)
      convert(whole.subspan(done, std::min(kPieceElements * width, whole.size() - done)));
    const auto rest = bytes.subspan(whole.size());
    begun_.assign(rest.begin(), rest.end());
  }

  bool overflowed() const { return overflowed_; }

 private:
  /// piece: whole elements, a few thousand.
  void convert(std::span<const std::byte> piece) {
    Tensor values(from_, {static_cast<std::int64_t>(piece.size() / dtype_bytes(from_))});
    std::memcpy(values.bytes().data(), piece.data(), piece.size());
    const Tensor converted = to_dtype(values, to_);
    overflowed_ = overflowed_ || (weights::has_non_finite(converted.bytes(), to_) &&
                                  !weights::has_non_finite(piece, from_));
    sink_(converted.bytes());
  }

  DType from_;
  DType to_;
  const weights::ByteSink& sink_;
  std::vector<std::byte> begun_;  // an element of which not all has come
  bool overflowed_ = false;
};

/// The columns of a matrix, one after another.
void write_columns(std::span<const std::byte> matrix, std::size_t rows, std::size_t width,
                   Converter& converter) {
  if (rows == 0) return;
  const std::size_t row_bytes = matrix.size() / rows;
  std::vector<std::byte> column(rows * width);
  for (std::size_t at = 0; at < row_bytes; at += width) {
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(&column[row * width], &matrix[row * row_bytes + at], width);
    converter.write(column);
  }
}

void write_part(const TensorPart& part, const weights::Checkpoint& checkpoint,
                Converter& converter) {
  const weights::TensorEntry& tensor = *part.tensor;
  // In pieces of whole elements, and not kept.
  if (tensor.gathered && part.rows < 0 && !part.transposed)
    return checkpoint.gathered(tensor).write(
        [&](std::span<const std::byte> piece) { converter.write(piece); });
  const Range range = range_of(part);
  const std::span<const std::byte> bytes =
      checkpoint.bytes(tensor).subspan(range.begin, range.length);
  if (part.transposed) {
    const std::int64_t rows = part.rows < 0 ? tensor.shape.front() : part.rows;
    return write_columns(bytes, static_cast<std::size_t>(rows), dtype_bytes(tensor.dtype),
                         converter);
  }
  // Whole elements: a mebibyte is a multiple of every element's size.
  for (std::size_t done = 0; done < bytes.size(); done += kPieceBytes) {
    const std::size_t piece = std::min(kPieceBytes, bytes.size() - done);
    converter.write(bytes.subspan(done, piece));
    if (!tensor.gathered)
      checkpoint.mapping(tensor.file).forget(tensor.begin + range.begin + done, piece);
  }
}

}  // namespace

DType common_dtype(const std::vector<TensorPart>& parts) {
  const DType first = parts.front().tensor->dtype;
  const bool same = std::ranges::all_of(
      parts, [&](const TensorPart& part) { return part.tensor->dtype == first; });
  return same ? first : DType::kF32;
}

weights::ComputedTensor rewritten(std::string name, DType dtype, Shape shape,
                                  std::vector<TensorPart> parts,
                                  const weights::Checkpoint& checkpoint,
                                  const std::shared_ptr<Overflow>& overflow) {
  auto write = [name, dtype, parts = std::move(parts), &checkpoint,
                overflow](const weights::ByteSink& sink) {
    bool overflowed = false;
    for (const TensorPart& part : parts) {
      Converter converter(part.tensor->dtype, dtype, sink);
      write_part(part, checkpoint, converter);
      overflowed = overflowed || converter.overflowed();
    }
    if (!overflowed) return;
    if (overflow->tensors++ == 0) overflow->first = name;
  };
  return {.name = std::move(name),
          .dtype = dtype,
          .shape = std::move(shape),
          .write = std::move(write)};
}

}  // namespace sinter::repack
