#include "sinter/weights/torch/strided.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/inflate.h"
#include "sinter/base/message.h"

namespace sinter::weights::torch {
namespace {

using Bytes = std::span<const std::byte>;
using Sink = std::function<void(Bytes)>;

constexpr std::size_t kPiece = std::size_t{64} << 10;

/// Gathers elements and passes them on in pieces, each group of bytes turned round where the file
/// has them so, and each number's sign where the tensor is a negative view.
class Gatherer {
 public:
  /// negated: bytes of an element whose sign bit, the highest of its last byte, is turned; 0: none.
  Gatherer(std::size_t swap_bytes, std::size_t negated, const Sink& sink)
      : swap_bytes_(swap_bytes), negated_(negated), sink_(sink) {
    piece_.reserve(kPiece);
  }

  void add(Bytes bytes) {
    while (!bytes.empty()) {
      const Bytes part = bytes.first(std::min(bytes.size(), kPiece - piece_.size()));
      piece_.insert(piece_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (piece_.size() == kPiece) flush();
    }
  }

  void flush() {
    // A piece holds whole elements, and so whole groups: kPiece is a multiple of both.
    if (swap_bytes_ > 1) {
      for (std::size_t i = 0; i + swap_bytes_ <= piece_.size(); i += swap_bytes_)
        std::reverse(piece_.begin() + static_cast<std::ptrdiff_t>(i),
                     piece_.begin() + static_cast<std::ptrdiff_t>(i + swap_bytes_));
    }
    if (negated_ > 0) {
      for (std::size_t i = negated_ - 1; i < piece_.size(); i += negated_)
        piece_[i] ^= std::byte{0x80};
    }
    if (!piece_.empty()) sink_(piece_);
    piece_.clear();
  }

 private:
  std::size_t swap_bytes_;
  std::size_t negated_;
  const Sink& sink_;
  std::vector<std::byte> piece_;
};

/// An axis with its step in bytes.
struct Axis {
  std::uint64_t extent;
  std::uint64_t step;
};

/// Axes that take part in the walk, outermost first; those that run on from one another are one.
std::vector<Axis> axes_of(const TorchTensor& tensor) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 1) continue;
    const Axis axis{static_cast<std::uint64_t>(tensor.shape[i]),
                    static_cast<std::uint64_t>(tensor.strides[i]) * tensor.element->bytes};
    if (!axes.empty() && axes.back().step == axis.extent * axis.step) {
      axes.back() = {axes.back().extent * axis.extent, axis.step};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

/// Walks all axes but the last as an odometer does.
void gather(Bytes block, const TorchTensor& tensor, Gatherer& out) {
  std::vector<Axis> axes = axes_of(tensor);
  const std::size_t width = tensor.element->bytes;
  Axis run{1, width};
  if (!axes.empty()) {
    run = axes.back();
    axes.pop_back();
  }
  std::vector<std::uint64_t> place(axes.size(), 0);
  std::uint64_t at = tensor.begin;
  for (;;) {
    if (run.step == width) {
      out.add(block.subspan(at, run.extent * width));
    } else {
      for (std::uint64_t i = 0; i < run.extent; ++i)
        out.add(block.subspan(at + i * run.step, width));
    }
    std::size_t axis = axes.size();
    for (; axis > 0; --axis) {
      Axis& here = axes[axis - 1];
      at += here.step;
      if (++place[axis - 1] < here.extent) break;
      at -= here.extent * here.step;
      place[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

/// The unpacked bytes one by one, and their sum compared at the end.
void unpack(Bytes file, const Block& block, const Sink& sink) {
  std::uint32_t sum = 0;
  try {
    inflate(file.subspan(block.begin, block.packed_bytes), block.bytes, [&](Bytes piece) {
      sum = crc32_of(piece, sum);
      sink(piece);
    });
    if (block.crc != 0 && sum != block.crc)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("its checksum is {:08x}, expected {:08x}", sum, block.crc));
  } catch (Error& error) {
    error.add_context(fmt::format("reading storage {}", shown(block.name)));
    throw;
  }
}

}  // namespace

void write_tensor(std::span<const std::byte> file, const Block& block, const TorchTensor& tensor,
                  const Sink& sink) {
  if (tensor.bytes == 0) return;
  Gatherer out(block.swap_bytes, tensor.negated ? tensor.element->bytes : 0, sink);
  if (!block.deflated) {
    gather(file.subspan(block.begin, block.bytes), tensor, out);
  } else if (tensor.is_contiguous()) {
    std::uint64_t at = 0;
    const std::uint64_t end = tensor.begin + tensor.bytes;
    unpack(file, block, [&](Bytes piece) {
      const std::uint64_t from = std::max(at, tensor.begin);
      const std::uint64_t to = std::min<std::uint64_t>(at + piece.size(), end);
      if (from < to) out.add(piece.subspan(from - at, to - from));
      at += piece.size();
    });
  } else {
    std::vector<std::byte> whole;
    unpack(file, block,
           [&](Bytes piece) { whole.insert(whole.end(), piece.begin(), piece.end()); });
    gather(whole, tensor, out);
  }
  out.flush();
}

void check_sum(std::span<const std::byte> file, const Block& block) {
  if (block.deflated) {
    unpack(file, block, [](Bytes) {});
    return;
  }
  if (block.crc == 0) return;
  const std::uint32_t sum = crc32_of(file.subspan(block.begin, block.bytes));
  if (sum == block.crc) return;
  throw Error(ErrorCode::kBadFile,
              fmt::format("the checksum of storage {} is {:08x}, expected {:08x}",
                          shown(block.name), sum, block.crc),
              "the file was damaged on its way; fetch it again");
}

}  // namespace sinter::weights::torch
