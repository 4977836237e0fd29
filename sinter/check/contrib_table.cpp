#include "sinter/check/contrib_table.h"

#include <array>

namespace sinter::check {
namespace {

constexpr Targets kCuda = bit(Target::kOrtCuda);
constexpr Targets kOrt = bit(Target::kOrtCpu) | kCuda;
constexpr Targets kOpenVino = bit(Target::kOpenVino);

constexpr std::string_view kNormInstead =
    "Reshape to the groups, InstanceNormalization, Reshape back, scale and shift";
constexpr std::string_view kAttentionInstead = "MatMul, Softmax, MatMul";
constexpr std::string_view kGeluInstead = "Div, Erf, Add, Mul, Mul";

constexpr std::array kContrib{
    ContribRow{"Attention", kOrt | kOpenVino, kAttentionInstead},
    ContribRow{"BiasAdd", kCuda, "Add, Add"},
    ContribRow{"BiasGelu", kOrt | kOpenVino, kGeluInstead},
    ContribRow{"BiasSoftmax", kCuda, "Add, Softmax"},
    ContribRow{"BiasSplitGelu", kCuda, "Add, Split, Gelu, Mul"},
    ContribRow{"DynamicQuantizeMatMul", kOrt | kOpenVino, "MatMul"},
    ContribRow{"EmbedLayerNormalization", kOrt | kOpenVino, "Gather, Add, LayerNormalization"},
    ContribRow{"FastGelu", kOrt | kOpenVino, "the tanh form of Gelu"},
    ContribRow{"FusedConv", kOrt | kOpenVino, "Conv and its activation"},
    ContribRow{"FusedGemm", kOrt | kOpenVino, "Gemm and its activation"},
    ContribRow{"FusedMatMul", kOrt | kOpenVino, "Transpose, MatMul, Mul"},
    ContribRow{"Gelu", kOrt | kOpenVino, kGeluInstead},
    ContribRow{"GemmFastGelu", kCuda, "MatMul, Add, the tanh form of Gelu"},
    ContribRow{"GroupNorm", kCuda, kNormInstead},
    ContribRow{"GroupQueryAttention", kOrt | kOpenVino, kAttentionInstead},
    ContribRow{"MatMulNBits", kOrt | kOpenVino, "MatMul"},
    ContribRow{"MultiHeadAttention", kOrt | kOpenVino, kAttentionInstead},
    ContribRow{"NhwcConv", kCuda, "Conv"},
    ContribRow{"NhwcFusedConv", kCuda, "Conv and its activation"},
    ContribRow{"PackedAttention", kCuda, kAttentionInstead},
    ContribRow{"PackedMultiHeadAttention", kCuda, kAttentionInstead},
    ContribRow{"QAttention", kOrt, kAttentionInstead},
    ContribRow{"QuickGelu", kOrt | kOpenVino, "Mul, Sigmoid, Mul"},
    ContribRow{"RotaryEmbedding", kOrt | kOpenVino, "Mul, Sub, Add, Concat"},
    ContribRow{"SkipGroupNorm", kCuda, kNormInstead},
    ContribRow{"SkipLayerNormalization", kOrt | kOpenVino, "Add, LayerNormalization"},
    ContribRow{"SkipSimplifiedLayerNormalization", kOrt | kOpenVino, "Add, RMSNormalization"},
};

}  // namespace

const ContribRow* find_contrib(std::string_view name) {
  for (const ContribRow& row : kContrib) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace sinter::check
