#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinter/adapters/file/adapter_file.h"

namespace sinter::adapters {

/// An adapter's module while it is checked and read.
class ModuleTensors {
 public:
  ModuleTensors(const weights::Checkpoint& adapter, const AdapterModule& module,
                const LoraConfig& config)
      : adapter_(adapter), module_(module), config_(config) {}

  bool has(TensorRole role) const { return module_.has(role); }

  /// Shape of a tensor that has to be there.
  /// @throws Error{kShapeMismatch} when it is not.
  const Shape& shape(TensorRole role) const;

  /// Extent of an axis of it.
  std::int64_t extent(TensorRole role, std::size_t axis) const;

  /// Asks for a matrix, whatever axes of 1 stand around or between and however the columns are
  /// cut: rows of axis 0, the rest together.
  void require(TensorRole role, std::int64_t rows, std::int64_t columns) const;

  /// Asks for square blocks, [count,size,size] or with further axes in front, whose rows together
  /// are `rows` (the leading axis apart where there are four).
  void require_blocks(TensorRole role, std::size_t axes, std::int64_t rows) const;

  std::vector<float> values(TensorRole role) const;

  /// What the product of a form with that rank is multiplied by: alpha / rank, where the file has
  /// an alpha, times LyCORIS' scalar.
  float scale(std::int64_t rank) const;

  /// The same of a scalar only.
  float scalar() const;

  /// The value of a tensor of one, where it is there.
  std::optional<float> value(TensorRole role) const;

  const std::string& name() const { return module_.name; }

 private:
  const weights::TensorEntry& entry(TensorRole role) const;

  const weights::Checkpoint& adapter_;
  const AdapterModule& module_;
  const LoraConfig& config_;
};

}  // namespace sinter::adapters
