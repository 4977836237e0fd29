#pragma once

#include <cstdint>

#include "sinter/graph/ops.h"
#include "sinter/graph/scope.h"

namespace sinter::models {

using graph::Scope;
using graph::Value;

// Layers that several networks share. Each takes its place in the checkpoint, emits its nodes there
// and computes in that place's dtype, whatever its operands come in. Letters: N batch, C channels,
// h w cells, L query tokens, S context tokens, D width, d head width.

/// x W^T + b; the bias is optional in the checkpoint. [..,in] -> [..,out].
Value linear(const Scope& s, Value x, std::int64_t out);

/// Convolution with bias, square kernel, padding that keeps the size at stride 1. [N,C,h,w] ->
/// [N,out,h/stride,w/stride].
Value conv2d(const Scope& s, Value x, std::int64_t out, std::int64_t kernel,
             std::int64_t stride = 1);

/// 32 groups; statistics in float32 whatever the scope computes in. [N,C,h,w] -> same.
/// Source: Wu and He 2018 (arXiv 1803.08494). Written as Reshape, InstanceNormalization, Reshape,
/// Mul, Add, which every TensorRT parses and ONNX Runtime fuses.
Value group_norm(const Scope& s, Value x, float eps);

/// Over the last axis, eps 1e-5. [..,D] -> same.
Value layer_norm(const Scope& s, Value x);

/// x * sigmoid(x).
Value silu(Value x);

enum class Gelu {
  kExact,    // x/2 (1 + erf(x / sqrt 2))
  kSigmoid,  // x * sigmoid(1.702 x), "quick"
};

/// Source: Hendrycks and Gimpel 2016 (arXiv 1606.08415).
Value gelu(Value x, Gelu approximate);

/// softmax(q k^T / sqrt d + mask) v over heads, in the scope's dtype. q [N,L,D]; k, v [N,S,D]; mask
/// [L,S] or absent. -> [N,L,D]. The scale is on q before the product and nothing stands between the
/// products, so that engines fuse it. Source: Vaswani et al. 2017 (arXiv 1706.03762), eq. 1.
Value multi_head_attention(const Scope& s, Value q, Value k, Value v, std::int64_t heads,
                           Value mask);

/// Sinusoids of numbers x [..]: [..,width], cosines first. Always float32.
/// Source: Vaswani et al. 2017, section 3.5, with period 10000 and no step offset.
Value sinusoids(Value x, std::int64_t width);

/// x + change, named after the scope.
Value sum(const Scope& s, Value x, Value change);

/// group_norm, then silu: what stands before every convolution of a residual network.
Value norm_and_activate(const Scope& s, Value x, float eps);

/// A convolutional residual block. time [T,E] (T is N or 1; already activated) is added between the
/// convolutions; absent in autoencoders. Source: Ho et al. 2020 (arXiv 2006.11239), appendix B.
Value resnet(const Scope& s, Value x, Value time, std::int64_t out, float eps);

}  // namespace sinter::models
