#include "sinter/weights/torch/placement.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "sinter/base/message.h"

namespace sinter::weights::torch {
namespace {

using pickle::Storage;
using pickle::TensorView;

// Numbers that leave 63 bits are no place in any file.
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kTooMany = "its shape has more elements than there can be";
constexpr std::string_view kTooFar = "its last element is beyond any storage";

std::uint64_t product(std::uint64_t a, std::uint64_t b, std::string_view problem) {
  if (b != 0 && a > kMost / b) throw Error(ErrorCode::kBadFile, std::string(problem));
  return a * b;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  if (a > kMost || b > kMost - a) throw Error(ErrorCode::kBadFile, std::string(kTooFar));
  return a + b;
}

std::uint64_t whole(std::int64_t number, std::string_view what) {
  if (number < 0)
    throw Error(ErrorCode::kBadFile,
                fmt::format("its {} is {}, expected none below 0", what, number));
  return static_cast<std::uint64_t>(number);
}

/// Elements of the view, and how far the last one is behind the first; no elements, no last one.
struct Reach {
  std::uint64_t count = 1;
  std::uint64_t last = 0;
};

Reach reach_of(const TensorView& view) {
  Reach reach;
  for (const std::int64_t extent : view.shape) {
    const std::uint64_t size = whole(extent, "extent");
    reach.count = size == 0 || reach.count == 0 ? 0 : product(reach.count, size, kTooMany);
  }
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    const std::uint64_t stride = whole(view.strides[i], "stride");
    if (reach.count != 0)
      reach.last =
          sum(reach.last, product(static_cast<std::uint64_t>(view.shape[i] - 1), stride, kTooFar));
  }
  return reach;
}

/// Bytes from the start of the block, and how many the storage has from there.
struct Part {
  std::uint64_t begin;
  std::uint64_t bytes;
};

Part part_of(const Storage& storage, const Block& block) {
  if (storage.root.empty()) return {0, block.bytes};
  const std::uint64_t begin =
      product(whole(storage.view_offset, "storage's offset"), storage.element->bytes, kTooFar);
  const std::uint64_t bytes = storage_bytes(storage);
  if (begin > block.bytes || bytes > block.bytes - begin)
    throw Error(ErrorCode::kBadFile,
                fmt::format("its storage is {} bytes at byte {} of storage {}, which has {}", bytes,
                            begin, shown(storage.root), block.bytes));
  return {begin, bytes};
}

TorchTensor placed(const TensorView& view, const Storage& storage, const Block& block) {
  const Part part = part_of(storage, block);
  const std::size_t width = view.element->bytes;
  const std::uint64_t offset = whole(view.offset, "offset");
  const Reach reach = reach_of(view);
  TorchTensor tensor{.name = {},
                     .element = view.element,
                     .shape = view.shape,
                     .strides = view.strides,
                     .block = 0,
                     .begin = part.begin,
                     .bytes = product(reach.count, width, kTooMany),
                     .negated = view.negated};
  if (reach.count == 0) return tensor;
  const std::uint64_t end = product(sum(sum(offset, reach.last), 1), width, kTooFar);
  if (end > part.bytes)
    throw Error(ErrorCode::kBadFile,
                fmt::format("its elements reach to byte {} of storage {}, which has {}", end,
                            shown(storage.key), part.bytes));
  tensor.begin += offset * width;
  return tensor;
}

}  // namespace

bool TorchTensor::is_contiguous() const {
  if (bytes == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];  // no overflow: the count of elements was checked
  }
  return true;
}

std::uint64_t storage_bytes(const Storage& storage) {
  return product(whole(storage.count, "storage's count"), storage.element->bytes, kTooMany);
}

void place_tensors(const pickle::Values& values, const TensorWalk& walk, const BlockIndex& index,
                   TorchFile& file) {
  for (const NamedView& named : walk.tensors) {
    const TensorView& view = values.tensors[named.tensor];
    const Storage& storage = values.storages[view.storage];
    try {
      const auto block = index.find(storage.root.empty() ? storage.key : storage.root);
      if (block == index.end())
        throw Error(ErrorCode::kBadFile,
                    fmt::format("its storage {} is not in the file", shown(storage.key)));
      TorchTensor tensor = placed(view, storage, file.blocks[block->second]);
      tensor.name = named.name;
      tensor.block = block->second;
      file.tensors.push_back(std::move(tensor));
    } catch (Error& error) {
      error.add_context(
          fmt::format("placing tensor '{}' of shape {}", shown(named.name), to_string(view.shape)));
      throw;
    }
  }
}

}  // namespace sinter::weights::torch
