#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <variant>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/weight_files.h"

namespace sinter::convert {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kDataFile = "model.onnx.data";
constexpr std::uint64_t kAlignment = 4096;  // onnx.proto: offsets that can be mapped
constexpr std::size_t kPieceElements =
    1 << 14;  // small buffers come from the heap without page faults

std::uint64_t bytes_of(const graph::Initializer& initializer) {
  return static_cast<std::uint64_t>(element_count(initializer.shape)) *
         dtype_bytes(initializer.dtype);
}

void write_converted(AtomicFile& file, const MappedFile& source,
                     const graph::Initializer& initializer, const graph::FileRange& range) {
  const std::size_t width = dtype_bytes(range.stored);
  const std::size_t count = static_cast<std::size_t>(element_count(initializer.shape));
  for (std::size_t done = 0; done < count; done += kPieceElements) {
    const std::size_t piece = std::min(kPieceElements, count - done);
    const std::size_t begin = range.begin + done * width;
    Tensor values(range.stored, {static_cast<std::int64_t>(piece)});
    std::memcpy(values.bytes().data(), source.bytes().data() + begin, piece * width);
    file.write(to_dtype(values, initializer.dtype).bytes());
    source.forget(begin, piece * width);
  }
}

}  // namespace

StoredWeights pack_weights(const graph::Graph& graph, const weights::Checkpoint& checkpoint,
                           const fs::path& staging, const ByteProgress& progress) {
  StoredWeights stored;
  std::uint64_t total = 0;
  for (const graph::Initializer& initializer : graph.initializers()) {
    if (std::holds_alternative<graph::FileRange>(initializer.data)) total += bytes_of(initializer);
  }
  AtomicFile file(staging / kDataFile, Durability::kProcess);
  for (const graph::Initializer& initializer : graph.initializers()) {
    const auto* range = std::get_if<graph::FileRange>(&initializer.data);
    if (range == nullptr) continue;
    const std::uint64_t padding = (kAlignment - file.written() % kAlignment) % kAlignment;
    file.write(std::string(padding, '\0'));
    stored.options.placements.emplace(initializer.name,
                                      graph::Placement{std::string(kDataFile), file.written()});
    const MappedFile& source = checkpoint.mapping(range->file);
    if (range->stored == initializer.dtype) {
      file.copy_from(source, range->begin, bytes_of(initializer));
    } else {
      write_converted(file, source, initializer, *range);
    }
    stored.bytes += bytes_of(initializer);
    if (progress) progress(stored.bytes, total);
  }
  file.commit();
  return stored;
}

}  // namespace sinter::convert
