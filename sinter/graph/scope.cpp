#include "sinter/graph/scope.h"

#include <fmt/format.h>

#include "sinter/base/error.h"
#include "sinter/graph/ops.h"

namespace sinter::graph {
namespace {

Shape without_trailing_ones(Shape shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

std::uint64_t row_bytes(const StoredWeight& stored) {
  Shape row(stored.shape.begin() + 1, stored.shape.end());
  return static_cast<std::uint64_t>(element_count(row)) * dtype_bytes(stored.dtype);
}

StoredWeight rows_of(StoredWeight stored, std::int64_t first, std::int64_t count) {
  stored.begin += static_cast<std::uint64_t>(first) * row_bytes(stored);
  stored.shape.front() = count;
  stored.name += fmt::format("[{}:{}]", first, first + count);
  return stored;
}

}  // namespace

Scope Scope::operator/(std::string_view name) const {
  Scope child = *this;
  child.path_ = full_name(name);
  return child;
}

Scope Scope::in(DType dtype) const {
  Scope other = *this;
  other.policy_.compute = dtype;
  other.policy_.exact = nullptr;
  return other;
}

DType Scope::dtype() const {
  const bool exact = policy_.exact != nullptr && policy_.exact->contains(path_);
  return exact ? DType::kF32 : policy_.compute;
}

Value Scope::operand(Value x) const {
  const Within within(*this);
  return cast(x, dtype());
}

std::string Scope::full_name(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

StoredWeight Scope::find(std::string_view name, const Shape& shape) const {
  const std::string canonical = full_name(name);
  std::optional<StoredWeight> stored = provider_->find(canonical);
  if (!stored) {
    throw Error(
        ErrorCode::kMissingTensor,
        fmt::format("the checkpoint has no '{}' (expected {})", canonical, to_string(shape)),
        "the file may be pruned or damaged; sinter inspect lists what is missing");
  }
  Shape found = stored->shape;
  if (stored->transposed && found.size() == 2) std::swap(found[0], found[1]);
  if (without_trailing_ones(found) != without_trailing_ones(shape)) {
    throw Error(ErrorCode::kShapeMismatch, fmt::format("'{}' is {}, expected {}", stored->name,
                                                       to_string(found), to_string(shape)));
  }
  return *std::move(stored);
}

Value Scope::place(const StoredWeight& stored, const std::string& canonical) const {
  const DType dtype = this->dtype();
  const bool converted = policy_.convert && stored.dtype != dtype;
  // Two dtypes of one weight are two initializers; the name of the converted one says so.
  const Value value = graph_->add_initializer(
      {.name = converted ? fmt::format("{}:{}", stored.name, dtype_info(dtype).word) : stored.name,
       .dtype = converted ? dtype : stored.dtype,
       .shape = stored.shape,
       .data = FileRange{stored.file, stored.begin, stored.dtype}});
  Scope naming = *this;
  naming.path_ = canonical;
  const Within within(naming);
  return cast(value, dtype);
}

Value Scope::weight(std::string_view name, const Shape& shape) const {
  StoredWeight stored = find(name, shape);
  stored.shape = shape;
  return place(stored, full_name(name));
}

Value Scope::table(std::string_view name, const Shape& shape) const {
  return (policy_.convert ? *this : in(find(name, shape).dtype)).weight(name, shape);
}

Value Scope::matrix(std::string_view name, std::int64_t out, std::int64_t in) const {
  return matrix_rows(name, out, in, 0, out);
}

Value Scope::matrix_rows(std::string_view name, std::int64_t out, std::int64_t in,
                         std::int64_t first, std::int64_t count) const {
  StoredWeight stored = find(name, {out, in});
  const std::string canonical = full_name(name);
  if (stored.transposed) {
    if (count != out)
      throw Error(ErrorCode::kInternal,
                  fmt::format("'{}' is stored transposed and has no ranges of rows", canonical));
    return place(stored, canonical);
  }
  stored.shape = {out, in};
  if (count != out) stored = rows_of(std::move(stored), first, count);
  const Value placed = place(stored, canonical);
  Scope naming = *this;
  naming.path_ = canonical;
  const Within within(naming);
  return transpose(placed, {1, 0});
}

Value Scope::vector_part(std::string_view name, std::int64_t size, std::int64_t first,
                         std::int64_t count) const {
  StoredWeight stored = find(name, {size});
  stored.shape = {size};
  return place(rows_of(std::move(stored), first, count), full_name(name));
}

}  // namespace sinter::graph
