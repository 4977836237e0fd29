#include "sinter/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"

namespace sinter::graph {
namespace {

std::vector<std::byte> to_bytes(const std::vector<float>& values, DType dtype) {
  const Tensor tensor = to_dtype(Tensor({static_cast<std::int64_t>(values.size())}, values), dtype);
  return {tensor.bytes().begin(), tensor.bytes().end()};
}

Dims to_dims(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

const std::string& Value::name() const { return graph_->type(id_).name; }
DType Value::dtype() const { return graph_->type(id_).dtype; }
const Dims& Value::dims() const { return graph_->type(id_).dims; }

Value Graph::add_value(std::string name, DType dtype, Dims dims) {
  values_.push_back({std::move(name), dtype, std::move(dims)});
  return {this, values_.size() - 1};
}

std::string Graph::unique_node_name(std::string_view op) {
  const std::string name = scope_.empty() ? std::string(op) : fmt::format("{}/{}", scope_, op);
  const int uses = name_uses_[name]++;
  return uses == 0 ? name : fmt::format("{}_{}", name, uses);
}

Value Graph::add_input(std::string name, DType dtype, Dims dims) {
  inputs_.push_back({name, dtype, dims});
  return add_value(std::move(name), dtype, std::move(dims));
}

void Graph::add_output(std::string name, Value value) {
  const bool taken = std::ranges::any_of(
      outputs_, [&](const ValueType& output) { return output.name == value.name(); });
  if (taken || !producers_.contains(value.id())) {
    value = add_node("Identity", {value}, value.dtype(), value.dims());
  }
  rename(value.id(), name);
  outputs_.push_back(values_[value.id()]);
}

void Graph::rename(std::size_t id, const std::string& name) {
  const std::string old = std::exchange(values_[id].name, name);
  // Users stand behind the producer, and outputs are declared last, so that this walk is short in
  // practice.
  for (std::size_t i = producers_.at(id); i < nodes_.size(); ++i) {
    std::ranges::replace(nodes_[i].outputs, old, name);
    std::ranges::replace(nodes_[i].inputs, old, name);
  }
}

Value Graph::add_node(std::string_view op, const std::vector<Value>& inputs, DType dtype, Dims dims,
                      Attributes attributes) {
  return add_node(op, inputs, {{dtype, std::move(dims)}}, std::move(attributes)).front();
}

std::vector<Value> Graph::add_node(std::string_view op, const std::vector<Value>& inputs,
                                   std::vector<std::pair<DType, Dims>> outputs,
                                   Attributes attributes) {
  Node node{.name = unique_node_name(op),
            .op = std::string(op),
            .inputs = {},
            .outputs = {},
            .attributes = std::move(attributes)};
  for (const Value& input : inputs) node.inputs.push_back(input.name());
  std::vector<Value> values;
  for (auto& [dtype, dims] : outputs) {
    const std::string name =
        values.empty() ? node.name : fmt::format("{}:{}", node.name, values.size());
    values.push_back(add_value(name, dtype, std::move(dims)));
    producers_.emplace(values.back().id(), nodes_.size());
    node.outputs.push_back(name);
  }
  nodes_.push_back(std::move(node));
  return values;
}

Value Graph::add_initializer(Initializer initializer) {
  const auto found = initializer_values_.find(initializer.name);
  if (found != initializer_values_.end()) {
    const ValueType& present = values_[found->second];
    if (present.dtype != initializer.dtype || present.dims != to_dims(initializer.shape)) {
      throw Error(
          ErrorCode::kInternal,
          fmt::format("the initializer '{}' is asked for with two types", initializer.name));
    }
    return {this, found->second};
  }
  const Value value = add_value(initializer.name, initializer.dtype, to_dims(initializer.shape));
  initializer_values_.emplace(initializer.name, value.id());
  initializers_.push_back(std::move(initializer));
  return value;
}

Value Graph::scalar(double value, DType dtype) {
  return add_initializer({fmt::format("constant/{}/{}", dtype_info(dtype).word, value),
                          dtype,
                          {},
                          to_bytes({static_cast<float>(value)}, dtype)});
}

Value Graph::vector(const std::vector<float>& values, Shape shape, DType dtype,
                    const std::string& name) {
  return add_initializer({fmt::format("constant/{}/{}", dtype_info(dtype).word, name), dtype,
                          std::move(shape), to_bytes(values, dtype)});
}

Value Graph::integers(const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const Shape shape{static_cast<std::int64_t>(values.size())};
  return add_initializer({fmt::format("constant/int64/{}", to_string(Shape(values))), DType::kI64,
                          shape, std::move(bytes)});
}

std::vector<ValueType> Graph::inner_values() const {
  std::vector<ValueType> inner;
  for (const auto& [id, node] : producers_) {
    const ValueType& value = values_[id];
    const bool output = std::ranges::any_of(
        outputs_, [&](const ValueType& candidate) { return candidate.name == value.name; });
    if (!output) inner.push_back(value);
  }
  return inner;
}

Value Graph::shape_of(Value value) {
  const auto found = shapes_.find(value.id());
  if (found != shapes_.end()) return {this, found->second};
  const Value shape =
      add_node("Shape", {value}, DType::kI64, {static_cast<std::int64_t>(value.rank())});
  shapes_.emplace(value.id(), shape.id());
  return shape;
}

}  // namespace sinter::graph
