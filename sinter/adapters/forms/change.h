#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sinter/adapters/file/adapter_file.h"
#include "sinter/base/shape.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::adapters {

/// A weight as a matrix: a row for each output channel.
struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t inputs = 0;
  std::int64_t kernel = 1;  // places of a convolution's kernel; 1 of a matrix or a 1x1 convolution

  std::int64_t columns() const { return inputs * kernel; }
};

/// The matrix of a weight's shape: axis 0 by axis 1 by the rest. A vector is one column.
MatrixShape matrix_of(const Shape& shape);

/// "[320,768]", or "[320,320,9]" of a convolution.
std::string matrix_text(const MatrixShape& shape);

/// Something added to a weight.
class Delta {
 public:
  virtual ~Delta() = default;

  /// rows += factor * this, of the rows from `first` on. rows: whole rows of the matrix.
  /// May be called from several threads.
  virtual void add(std::span<float> rows, std::int64_t first, float factor) const = 0;
};

/// What an adapter does to a weight, strength included.
class Change {
 public:
  virtual ~Change() = default;

  /// Changes the rows from `first` on in place; all rows at once where the plan is not by rows.
  /// May be called from several threads for rows that are not the same.
  virtual void apply(std::span<float> rows, std::int64_t first) const = 0;
};

/// A change whose shapes are known to fit; its numbers are read when it is loaded.
struct ChangePlan {
  bool by_rows = true;  // a row of the result needs no other row of the weight
  std::function<std::unique_ptr<Change>(float strength)> load;
};

/// How a module of an adapter changes its weight and its bias; nothing for what it leaves alone.
struct ModuleChange {
  std::optional<ChangePlan> weight;
  std::optional<ChangePlan> bias;  // of a matrix of one column
};

/// Checks a module's tensors against the weight that they are for.
///
/// The plans refer to the adapter and its module list.
/// @throws Error{kShapeMismatch} naming the tensor, the found and the expected;
///         Error{kUnsupported} for a form that is not built here.
ModuleChange plan_change(const weights::Checkpoint& adapter, const AdapterModule& module,
                         const LoraConfig& config, const MatrixShape& weight);

}  // namespace sinter::adapters
