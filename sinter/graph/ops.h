#pragma once

#include <cstdint>
#include <vector>

#include "sinter/graph/graph.h"

namespace sinter::graph {

// The portable operator set (ONNX opset 17): each function adds the node with its output's type, or
// returns its operand where there is nothing to do. Letters: N batch, C channels, h w cells, L
// tokens, D width. Source: ONNX operator specification, opset 17. All throw Error{kInternal} where
// operand types contradict the operator: that is a bug of the network code.

/// Element-wise with ONNX (numpy) broadcasting; both operands of one dtype.
Value add(Value a, Value b);
Value sub(Value a, Value b);
Value mul(Value a, Value b);
Value div(Value a, Value b);
Value operator+(Value a, Value b);
Value operator*(Value a, Value b);
Value operator*(double scale, Value x);

Value sigmoid(Value x);
Value tanh(Value x);
Value relu(Value x);
Value erf(Value x);
Value sin(Value x);
Value cos(Value x);

Value cast(Value x, DType dtype);

/// [...,a,b] x [...,b,c] -> [...,a,c]; a matrix on the right serves every batch.
Value matmul(Value a, Value b);

Value softmax(Value x, std::int64_t axis);
Value transpose(Value x, std::vector<std::int64_t> order);
Value concat(const std::vector<Value>& values, std::int64_t axis);

/// Channels first .. first+count of [N,C,h,w].
Value slice_channels(Value x, std::int64_t first, std::int64_t count);

/// x [..] + a new axis of extent one at `axis`.
Value unsqueeze(Value x, std::int64_t axis);

/// Rows of a table [V,D] by integer ids [..] -> [..,D].
Value gather_rows(Value table, Value ids);

/// The first index of the largest element along the last axis: [..,L] -> [..], int64.
Value argmax_last(Value x);

/// To `dims`; an extent that cannot be told from x may stand there once.
Value reshape(Value x, const Dims& dims);

/// To the extents of `like`, which x has been flattened from.
Value reshape_like(Value x, Value like);

/// Convolution of [N,C,h,w] with weight [O,C,k,k] (bias may be absent).
struct ConvOptions {
  std::int64_t stride = 1;
  std::vector<std::int64_t> pads = {0, 0, 0, 0};  // top, left, bottom, right
};
Value conv(Value x, Value weight, Value bias, const ConvOptions& options);

/// Over the last axis with its own scale and bias [D]; statistics in float32 (stash_type 1).
Value layer_normalization(Value x, Value scale, Value bias, float eps);

/// Each row of [N,G,X] to mean 0 and variance 1, then scale and bias [G].
Value instance_normalization(Value x, Value scale, Value bias, float eps);

/// Nearest-neighbour upsampling of [N,C,h,w] to the h and w of `like` (index = floor(i * in /
/// out)).
Value resize_nearest_like(Value x, Value like);

/// Nearest-neighbour upsampling by a whole factor.
Value resize_nearest(Value x, std::int64_t factor);

}  // namespace sinter::graph
