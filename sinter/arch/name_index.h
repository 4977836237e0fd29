#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// A tensor under the part of its name that the reader looks at. Refers to the checkpoint.
struct NamedTensor {
  std::string_view name;
  const weights::TensorEntry* tensor;
};

/// The tensors of a checkpoint sorted by name, so that everything below a prefix is one range.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(std::vector<NamedTensor> tensors);

  std::span<const NamedTensor> all() const { return tensors_; }

  /// The tensors whose names start with `prefix`.
  std::span<const NamedTensor> below(std::string_view prefix) const;

  bool has_below(std::string_view prefix) const { return !below(prefix).empty(); }

  /// The tensor of that name, or null.
  const weights::TensorEntry* find(std::string_view name) const;

  /// The same tensors below `prefix`, under names without it.
  NameIndex without(std::string_view prefix) const;

 private:
  std::vector<NamedTensor> tensors_;
};

}  // namespace sinter::arch
