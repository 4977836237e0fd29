#include "sinter/adapters/file/module_tensors.h"

#include <fmt/format.h>

#include <cmath>

#include "sinter/adapters/file/values.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {

const weights::TensorEntry& ModuleTensors::entry(TensorRole role) const {
  const weights::TensorEntry* tensor = module_.find(role);
  if (tensor == nullptr)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("'{}' lacks one of its factors", shown(module_.name)));
  return *tensor;
}

const Shape& ModuleTensors::shape(TensorRole role) const { return entry(role).shape; }

std::int64_t ModuleTensors::extent(TensorRole role, std::size_t axis) const {
  const Shape& of_it = shape(role);
  return axis < of_it.size() ? of_it[axis] : 1;
}

void ModuleTensors::require(TensorRole role, std::int64_t rows, std::int64_t columns) const {
  const weights::TensorEntry& tensor = entry(role);
  // Divided and not multiplied: a forged extent must not overflow.
  const std::int64_t count = element_count(tensor.shape);
  if (rows > 0 && columns > 0 && extent(role, 0) == rows && count % rows == 0 &&
      count / rows == columns)
    return;
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("'{}' is {}, expected {}", shown(tensor.name), to_string(tensor.shape),
                          to_string(Shape{rows, columns})));
}

void ModuleTensors::require_blocks(TensorRole role, std::size_t axes, std::int64_t rows) const {
  const weights::TensorEntry& tensor = entry(role);
  const Shape& found = tensor.shape;
  const bool square = found.size() == axes && found[axes - 1] == found[axes - 2];
  // An element count above 0 bounds the product of any of its extents.
  if (square && element_count(found) > 0 && found[axes - 3] * found[axes - 2] == rows) return;
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("'{}' is {}, expected square blocks for {} rows", shown(tensor.name),
                          to_string(found), rows));
}

std::vector<float> ModuleTensors::values(TensorRole role) const {
  return read_values(adapter_, entry(role));
}

std::optional<float> ModuleTensors::value(TensorRole role) const {
  if (!has(role)) return std::nullopt;
  return read_value(adapter_, entry(role));
}

float ModuleTensors::scalar() const { return value(TensorRole::kScalar).value_or(1.0F); }

float ModuleTensors::scale(std::int64_t rank) const {
  const auto divisor = static_cast<double>(rank);
  double scale = 1;
  if (const auto alpha = value(TensorRole::kAlpha)) {
    scale = static_cast<double>(*alpha) / divisor;
  } else if (const auto configured = config_.alpha_of(module_.name)) {
    scale = configured->alpha / (configured->rank_stabilised ? std::sqrt(divisor) : divisor);
  }
  return static_cast<float>(scale) * scalar();
}

}  // namespace sinter::adapters
