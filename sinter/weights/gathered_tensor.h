#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sinter/weights/torch/torch_file.h"

namespace sinter::weights {

/// A tensor whose elements do not stand in its file as they are needed: a strided view, a
/// compressed record, numbers in the other byte order. Safe to use from several threads.
class GatheredTensor {
 public:
  /// file: mapped for as long as this lives.
  GatheredTensor(std::span<const std::byte> file, torch::Block block, torch::TorchTensor tensor)
      : file_(file), block_(std::move(block)), tensor_(std::move(tensor)) {}

  /// Passes the elements on in pieces, row-major and little-endian.
  /// @throws Error{kBadFile} when a compressed record is damaged.
  void write(const std::function<void(std::span<const std::byte>)>& sink) const;

  /// All of them, kept from the first call on.
  std::span<const std::byte> bytes() const;

 private:
  std::span<const std::byte> file_;
  torch::Block block_;
  torch::TorchTensor tensor_;
  mutable std::once_flag made_;
  mutable std::vector<std::byte> bytes_;
};

}  // namespace sinter::weights
