#include "sinter/graph/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/base/error.h"

namespace sinter::graph {
namespace {

[[noreturn]] void contradiction(std::string_view op, Value a, Value b) {
  throw Error(ErrorCode::kInternal,
              fmt::format("{} in '{}' of {} {} and {} {}", op, a.graph().scope(),
                          dtype_info(a.dtype()).word, to_string(a.dims()),
                          dtype_info(b.dtype()).word, to_string(b.dims())));
}

void require(bool condition, std::string_view op, Value a, Value b) {
  if (!condition) contradiction(op, a, b);
}

std::size_t normal_axis(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Dims broadcast(std::string_view op, Value a, Value b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  Dims dims;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim left = i + a.rank() < rank ? Dim(1) : a.dim(i + a.rank() - rank);
    const Dim right = i + b.rank() < rank ? Dim(1) : b.dim(i + b.rank() - rank);
    if (left == right || right == Dim(1)) {
      dims.push_back(left);
    } else if (left == Dim(1)) {
      dims.push_back(right);
    } else {
      // Two symbols meet where one of them may be 1 at run time ("one timestep for all"): the batch
      // names the result.
      require(!left.is_static() && !right.is_static(), op, a, b);
      dims.push_back(left.text() == "batch" ? left : right);
    }
  }
  return dims;
}

Value binary(std::string_view op, Value a, Value b) {
  require(a.dtype() == b.dtype(), op, a, b);
  return a.graph().add_node(op, {a, b}, a.dtype(), broadcast(op, a, b));
}

Value unary(std::string_view op, Value x) {
  return x.graph().add_node(op, {x}, x.dtype(), x.dims());
}

Dim conv_extent(const Dim& in, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  if (in.is_static()) return (in.value() + padding - kernel) / stride + 1;
  if (stride == 1 && padding == kernel - 1) return in;
  // floor((x + padding - kernel) / 2) + 1: ceil(x/2) for 1+1 around 3; floor(x/2) for 0+1, the same
  // for even x.
  if (stride == 2 && kernel == 3) return in.divided(2);
  throw Error(ErrorCode::kInternal,
              fmt::format("no rule for a convolution of kernel {} stride {} padding {}", kernel,
                          stride, padding));
}

bool all_static(const Dims& dims) { return std::ranges::all_of(dims, &Dim::is_static); }

}  // namespace

Value add(Value a, Value b) { return binary("Add", a, b); }
Value sub(Value a, Value b) { return binary("Sub", a, b); }
Value mul(Value a, Value b) { return binary("Mul", a, b); }
Value div(Value a, Value b) { return binary("Div", a, b); }
Value operator+(Value a, Value b) { return add(a, b); }
Value operator*(Value a, Value b) { return mul(a, b); }
Value operator*(double scale, Value x) { return mul(x, x.graph().scalar(scale, x.dtype())); }

Value sigmoid(Value x) { return unary("Sigmoid", x); }
Value tanh(Value x) { return unary("Tanh", x); }
Value relu(Value x) { return unary("Relu", x); }
Value erf(Value x) { return unary("Erf", x); }
Value sin(Value x) { return unary("Sin", x); }
Value cos(Value x) { return unary("Cos", x); }

Value cast(Value x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return x.graph().add_node("Cast", {x}, dtype, x.dims(),
                            {{"to", std::int64_t{dtype_info(dtype).onnx}}});
}

Value matmul(Value a, Value b) {
  require(a.dtype() == b.dtype() && a.rank() >= 2 && b.rank() >= 2, "MatMul", a, b);
  require(a.dims().back() == b.dim(b.rank() - 2), "MatMul", a, b);
  Dims dims = a.rank() >= b.rank() ? a.dims() : b.dims();
  dims[dims.size() - 2] = a.dim(a.rank() - 2);
  dims.back() = b.dims().back();
  return a.graph().add_node("MatMul", {a, b}, a.dtype(), dims);
}

Value softmax(Value x, std::int64_t axis) {
  return x.graph().add_node("Softmax", {x}, x.dtype(), x.dims(), {{"axis", axis}});
}

Value transpose(Value x, std::vector<std::int64_t> order) {
  Dims dims;
  for (const std::int64_t axis : order) dims.push_back(x.dim(static_cast<std::size_t>(axis)));
  return x.graph().add_node("Transpose", {x}, x.dtype(), dims, {{"perm", std::move(order)}});
}

Value concat(const std::vector<Value>& values, std::int64_t axis) {
  const Value first = values.front();
  if (values.size() == 1) return first;
  const std::size_t at = normal_axis(axis, first.rank());
  Dims dims = first.dims();
  std::int64_t extent = 0;
  for (const Value& value : values) {
    require(
        value.dtype() == first.dtype() && value.rank() == first.rank() && value.dim(at).is_static(),
        "Concat", first, value);
    for (std::size_t i = 0; i < dims.size(); ++i)
      require(i == at || value.dim(i) == first.dim(i), "Concat", first, value);
    extent += value.dim(at).value();
  }
  dims[at] = extent;
  return first.graph().add_node("Concat", values, first.dtype(), dims, {{"axis", axis}});
}

Value slice_channels(Value x, std::int64_t first, std::int64_t count) {
  Graph& graph = x.graph();
  Dims dims = x.dims();
  dims[1] = count;
  const Value begin = graph.integers({first});
  const Value end = graph.integers({first + count});
  return graph.add_node("Slice", {x, begin, end, graph.integers({1})}, x.dtype(), dims);
}

Value unsqueeze(Value x, std::int64_t axis) {
  Dims dims = x.dims();
  dims.insert(dims.begin() + axis, Dim(1));
  return x.graph().add_node("Unsqueeze", {x, x.graph().integers({axis})}, x.dtype(), dims);
}

Value gather_rows(Value table, Value ids) {
  Dims dims = ids.dims();
  dims.push_back(table.dim(1));
  return table.graph().add_node("Gather", {table, ids}, table.dtype(), dims,
                                {{"axis", std::int64_t{0}}});
}

Value argmax_last(Value x) {
  Dims dims = x.dims();
  dims.pop_back();
  return x.graph().add_node("ArgMax", {x}, DType::kI64, dims,
                            {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}});
}

Value reshape(Value x, const Dims& dims) {
  if (x.dims() == dims) return x;
  std::vector<std::int64_t> target;
  int open = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].is_static()) {
      target.push_back(dims[i].value());
    } else if (i < x.rank() && x.dim(i) == dims[i]) {
      target.push_back(0);  // copies the operand's extent
    } else {
      target.push_back(-1);
      ++open;
    }
  }
  if (open > 1) {
    throw Error(ErrorCode::kInternal,
                fmt::format("a reshape in '{}' from {} to {} leaves {} extents open",
                            x.graph().scope(), to_string(x.dims()), to_string(dims), open));
  }
  return x.graph().add_node("Reshape", {x, x.graph().integers(target)}, x.dtype(), dims);
}

Value reshape_like(Value x, Value like) {
  if (all_static(like.dims())) return reshape(x, like.dims());
  return x.graph().add_node("Reshape", {x, x.graph().shape_of(like)}, x.dtype(), like.dims());
}

Value conv(Value x, Value weight, Value bias, const ConvOptions& options) {
  require(x.rank() == 4 && weight.rank() == 4 && x.dtype() == weight.dtype() &&
              x.dim(1) == weight.dim(1),
          "Conv", x, weight);
  const std::int64_t kernel = weight.dim(2).value();
  const std::vector<std::int64_t>& pads = options.pads;
  const Dims dims{x.dim(0), weight.dim(0),
                  conv_extent(x.dim(2), kernel, options.stride, pads[0] + pads[2]),
                  conv_extent(x.dim(3), kernel, options.stride, pads[1] + pads[3])};
  std::vector<Value> inputs{x, weight};
  if (bias.id() != 0) inputs.push_back(bias);
  return x.graph().add_node(
      "Conv", inputs, x.dtype(), dims,
      {{"kernel_shape", std::vector<std::int64_t>{kernel, kernel}},
       {"pads", pads},
       {"strides", std::vector<std::int64_t>{options.stride, options.stride}}});
}

Value layer_normalization(Value x, Value scale, Value bias, float eps) {
  require(scale.dtype() == x.dtype() && scale.dims().back() == x.dims().back(),
          "LayerNormalization", x, scale);
  return x.graph().add_node("LayerNormalization", {x, scale, bias}, x.dtype(), x.dims(),
                            {{"axis", std::int64_t{-1}}, {"epsilon", eps}});
}

Value instance_normalization(Value x, Value scale, Value bias, float eps) {
  require(scale.dtype() == x.dtype() && scale.dims().back() == x.dim(1), "InstanceNormalization", x,
          scale);
  return x.graph().add_node("InstanceNormalization", {x, scale, bias}, x.dtype(), x.dims(),
                            {{"epsilon", eps}});
}

namespace {

const Attributes kNearest{{"mode", std::string("nearest")},
                          {"coordinate_transformation_mode", std::string("asymmetric")},
                          {"nearest_mode", std::string("floor")}};

}  // namespace

Value resize_nearest_like(Value x, Value like) {
  Graph& graph = x.graph();
  const Dims dims{x.dim(0), x.dim(1), like.dim(2), like.dim(3)};
  Value sizes;
  if (all_static(dims)) {
    sizes = graph.integers({dims[0].value(), dims[1].value(), dims[2].value(), dims[3].value()});
  } else {
    // Shape takes start and end since opset 15, so that no Slice is needed.
    const Value head = graph.add_node("Shape", {x}, DType::kI64, {2},
                                      {{"start", std::int64_t{0}}, {"end", std::int64_t{2}}});
    const Value tail = graph.add_node("Shape", {like}, DType::kI64, {2},
                                      {{"start", std::int64_t{2}}, {"end", std::int64_t{4}}});
    sizes = concat({head, tail}, 0);
  }
  return graph.add_node("Resize", {x, graph.none(), graph.none(), sizes}, x.dtype(), dims,
                        kNearest);
}

Value resize_nearest(Value x, std::int64_t factor) {
  Graph& graph = x.graph();
  const float scale = static_cast<float>(factor);
  const Value scales =
      graph.vector({1, 1, scale, scale}, {4}, DType::kF32, fmt::format("scales/{}", factor));
  const Dims dims{x.dim(0), x.dim(1), x.dim(2).times(factor), x.dim(3).times(factor)};
  return graph.add_node("Resize", {x, graph.none(), scales}, x.dtype(), dims, kNearest);
}

}  // namespace sinter::graph
