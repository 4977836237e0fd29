#pragma once

#include <cstdint>

#include "sinter/models/layers.h"

namespace sinter::models {

struct TransformerOptions {
  int depth;  // transformer blocks
  std::int64_t heads;
  bool linear_projection;  // proj_in and proj_out are matrices, not 1x1 convolutions
};

/// Transformer blocks over the cells of an image, each of self-attention, cross-attention to the
/// context [N,S,Dc] and a gated feed-forward network, around a skip. [N,C,h,w] -> same.
/// Source: Rombach et al. 2022 (arXiv 2112.10752), appendix E.2.
Value spatial_transformer(const Scope& s, Value x, Value context,
                          const TransformerOptions& options);

}  // namespace sinter::models
