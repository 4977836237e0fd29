#include "sinter/pipeline/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

// The batch that the graph is fixed to, or 0.
std::int64_t fixed_batch(const runtime::Session& session, const runtime::TensorMap& inputs,
                         std::int64_t rows) {
  for (const graph::ValueDeclaration& input : session.inputs()) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end() || found->second.shape().size() < 2) continue;
    if (found->second.shape().front() == rows && !input.shape.empty() && input.shape.front() > 0)
      return input.shape.front();
  }
  return 0;
}

// Rows [begin, begin + count) of a batch; behind its end, its last row.
Tensor rows_of(const Tensor& batch, std::int64_t begin, std::int64_t count) {
  const std::int64_t rows = batch.shape().front();
  Shape shape = batch.shape();
  shape.front() = count;
  Tensor result(batch.dtype(), shape);
  const std::size_t row_bytes = batch.bytes().size() / static_cast<std::size_t>(rows);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(std::min(begin + i, rows - 1));
    std::memcpy(result.bytes().data() + static_cast<std::size_t>(i) * row_bytes,
                batch.bytes().data() + from * row_bytes, row_bytes);
  }
  return result;
}

// Puts the first rows of a group's output at `begin` of the whole.
void place(const Tensor& group, std::int64_t begin, std::int64_t count, std::int64_t rows,
           Tensor& whole) {
  if (begin == 0) {
    Shape shape = group.shape();
    shape.front() = rows;
    whole = Tensor(DType::kF32, shape);
  }
  const std::size_t row_bytes =
      group.bytes().size() / static_cast<std::size_t>(group.shape().front());
  std::memcpy(whole.bytes().data() + static_cast<std::size_t>(begin) * row_bytes,
              group.bytes().data(), static_cast<std::size_t>(count) * row_bytes);
}

}  // namespace

const graph::ValueDeclaration* find_declaration(
    const std::vector<graph::ValueDeclaration>& declarations, std::string_view name) {
  const auto found = std::ranges::find(declarations, name, &graph::ValueDeclaration::name);
  return found == declarations.end() ? nullptr : &*found;
}

runtime::TensorMap run_rows(runtime::Session& session, const runtime::TensorMap& inputs,
                            std::int64_t rows, std::int64_t limit) {
  if (rows < 1)
    throw Error(ErrorCode::kUsage, fmt::format("a batch of {}, expected at least 1", rows));
  std::int64_t group = fixed_batch(session, inputs, rows);
  if (group == 0) group = limit > 0 ? std::min(limit, rows) : rows;

  runtime::TensorMap results;
  for (std::int64_t begin = 0; begin < rows; begin += group) {
    runtime::TensorMap part;
    for (const auto& [name, tensor] : inputs) {
      const bool batched = !tensor.shape().empty() && tensor.shape().front() == rows;
      part.emplace(name, batched && group != rows ? rows_of(tensor, begin, group) : tensor);
    }
    for (auto& [name, output] : session.run(part)) {
      if (output.shape().empty() || output.shape().front() != group) {
        throw Error(ErrorCode::kShapeMismatch,
                    fmt::format("the output '{}' is {} for a batch of {}", name,
                                to_string(output.shape()), group));
      }
      const Tensor values =
          output.dtype() == DType::kF32 ? std::move(output) : to_dtype(output, DType::kF32);
      place(values, begin, std::min(group, rows - begin), rows, results[name]);
    }
  }
  return results;
}

}  // namespace sinter::pipeline
