#include <algorithm>
#include <array>
#include <map>

#include "sinter/lint/operators.h"

namespace sinter::lint {
namespace {

constexpr Meeting kJoin = Meeting::kJoin;
constexpr Meeting kStrict = Meeting::kStrict;

// Which operators let CPU tensors of no dimension join is the column device_check of PyTorch's
// native_functions.yaml (NoCheck: TensorIterator looks for itself).
constexpr Operator joined(std::string_view name, OutType type = OutType::kPromote) {
  return {.name = name, .meeting = kJoin, .type = type, .shape = OutShape::kBroadcast};
}

constexpr Operator unary(std::string_view name, OutType type = OutType::kSame) {
  return {.name = name, .meeting = kJoin, .type = type, .shape = OutShape::kSame};
}

constexpr Operator reducing(std::string_view name, OutType type = OutType::kSame) {
  return {.name = name, .meeting = kJoin, .type = type, .shape = OutShape::kReduced};
}

constexpr Operator strict(std::string_view name, OutShape shape = OutShape::kSome,
                          OutType type = OutType::kPromote) {
  return {.name = name, .meeting = kStrict, .type = type, .shape = shape};
}

constexpr Operator product(std::string_view name, OutShape shape = OutShape::kSome) {
  return {.name = name, .meeting = kStrict, .type = OutType::kSame, .shape = shape,
          .one_type = true};
}

constexpr Operator indexing(std::string_view name, int at, OutShape shape = OutShape::kSome) {
  return {.name = name, .meeting = kStrict, .type = OutType::kSame, .shape = shape,
          .index_at = at};
}

constexpr Operator view(std::string_view name, OutShape shape = OutShape::kSome) {
  return {.name = name, .meeting = kJoin, .type = OutType::kSame, .shape = shape};
}

constexpr Operator several(std::string_view name) {
  return {.name = name, .meeting = kStrict, .type = OutType::kSame, .shape = OutShape::kSome,
          .returns = Returns::kTensors};
}

constexpr std::array kOperators{
    joined("add"), joined("sub"), joined("subtract"), joined("rsub"), joined("mul"),
    joined("multiply"), joined("div"), joined("divide"), joined("true_divide"),
    joined("floor_divide"), joined("remainder"), joined("fmod"), joined("pow"),
    joined("float_power", OutType::kUnknown), joined("atan2"), joined("arctan2"), joined("hypot"),
    joined("maximum"), joined("minimum"), joined("fmax"), joined("fmin"), joined("lerp"),
    joined("addcmul"), joined("addcdiv"), joined("where"), joined("copysign"), joined("xlogy"),
    joined("masked_fill", OutType::kSame), joined("index_fill", OutType::kSame),
    joined("bitwise_and"), joined("bitwise_or"), joined("bitwise_xor"),
    joined("bitwise_left_shift"), joined("bitwise_right_shift"),
    joined("logical_and", OutType::kBool), joined("logical_or", OutType::kBool),
    joined("logical_xor", OutType::kBool), joined("eq", OutType::kBool),
    joined("ne", OutType::kBool), joined("lt", OutType::kBool), joined("le", OutType::kBool),
    joined("gt", OutType::kBool), joined("ge", OutType::kBool), joined("greater", OutType::kBool),
    joined("less", OutType::kBool), joined("not_equal", OutType::kBool),
    joined("isclose", OutType::kBool), joined("heaviside"), joined("clamp_min"),
    joined("clamp_max"), joined("threshold"),
    Operator{.name = "mse_loss", .meeting = kJoin, .type = OutType::kPromote,
             .shape = OutShape::kScalar},
    Operator{.name = "l1_loss", .meeting = kJoin, .type = OutType::kPromote,
             .shape = OutShape::kScalar},
    Operator{.name = "smooth_l1_loss", .meeting = kJoin, .type = OutType::kPromote,
             .shape = OutShape::kScalar},
    Operator{.name = "binary_cross_entropy", .meeting = kJoin, .shape = OutShape::kScalar},
    Operator{.name = "binary_cross_entropy_with_logits", .meeting = kJoin,
             .shape = OutShape::kScalar},
    Operator{.name = "cosine_similarity", .meeting = kJoin, .type = OutType::kPromote,
             .shape = OutShape::kAnything},
    Operator{.name = "dist", .meeting = kJoin, .shape = OutShape::kScalar},

    strict("clamp", OutShape::kSame, OutType::kSame), strict("clip", OutShape::kSame, OutType::kSame),
    strict("cat", OutShape::kSameRank), strict("concat", OutShape::kSameRank),
    strict("concatenate", OutShape::kSameRank), strict("stack", OutShape::kStack),
    strict("hstack"), strict("vstack"), strict("dstack"), strict("column_stack"),
    strict("row_stack"), strict("block_diag"), strict("cross"), strict("cdist"), strict("kron"),
    strict("quantile", OutShape::kAnything), strict("nanquantile", OutShape::kAnything),
    strict("searchsorted", OutShape::kAnything, OutType::kLong),
    strict("bucketize", OutShape::kAnything, OutType::kLong),
    strict("isin", OutShape::kSame, OutType::kBool), strict("grid_sample", OutShape::kSameRank),
    strict("cross_entropy", OutShape::kScalar), strict("nll_loss", OutShape::kScalar),
    strict("kl_div", OutShape::kScalar), strict("huber_loss", OutShape::kScalar),
    strict("complex", OutShape::kSame, OutType::kUnknown), strict("cartesian_prod"),
    strict("masked_select", OutShape::kSome, OutType::kSame),
    strict("masked_scatter", OutShape::kSame, OutType::kSame),
    strict("allclose", OutShape::kScalar, OutType::kBool), strict("embedding_bag"),
    strict("histogram"), strict("rms_norm", OutShape::kSame), strict("layer_norm", OutShape::kSame),
    strict("group_norm", OutShape::kSame), strict("batch_norm", OutShape::kSame),
    strict("instance_norm", OutShape::kSame), strict("prelu", OutShape::kSame),

    product("matmul"), product("mm", OutShape::kPlain2),
    product("bmm"), product("mv"), product("dot", OutShape::kScalar),
    product("vdot", OutShape::kScalar), product("inner", OutShape::kAnything),
    product("outer", OutShape::kPlain2), product("ger", OutShape::kPlain2), product("addmm"),
    product("baddbmm"), product("addbmm"), product("addmv"), product("addr"),
    product("einsum", OutShape::kAnything), product("tensordot", OutShape::kAnything),
    product("linear", OutShape::kSameRank), product("bilinear"), product("conv1d", OutShape::kSameRank),
    product("conv2d", OutShape::kSameRank), product("conv3d", OutShape::kSameRank),
    product("conv_transpose1d", OutShape::kSameRank),
    product("conv_transpose2d", OutShape::kSameRank),
    product("scaled_dot_product_attention", OutShape::kSameRank), product("chain_matmul"),

    indexing("index_select", 2, OutShape::kSameRank), indexing("gather", 2, OutShape::kSameRank),
    indexing("scatter", 2, OutShape::kSame), indexing("scatter_add", 2, OutShape::kSame),
    indexing("scatter_reduce", 2, OutShape::kSame), indexing("index_add", 2, OutShape::kSame),
    indexing("index_copy", 2, OutShape::kSame), indexing("take", 1),
    indexing("take_along_dim", 1, OutShape::kSameRank), indexing("embedding", 0),

    unary("abs"), unary("absolute"), unary("neg"), unary("negative"), unary("exp"), unary("expm1"),
    unary("log"), unary("log2"), unary("log10"), unary("log1p"), unary("sqrt"), unary("rsqrt"),
    unary("square"), unary("sin"), unary("cos"), unary("tan"), unary("sinh"), unary("cosh"),
    unary("tanh"), unary("asin"), unary("acos"), unary("atan"), unary("sigmoid"), unary("erf"),
    unary("relu"), unary("relu6"), unary("gelu"), unary("silu"), unary("mish"), unary("elu"),
    unary("leaky_relu"), unary("softplus"), unary("hardtanh"), unary("logsigmoid"),
    unary("softmax"), unary("log_softmax"), unary("softmin"), unary("dropout"), unary("normalize"),
    unary("round"), unary("floor"), unary("ceil"), unary("trunc"), unary("frac"), unary("sign"),
    unary("reciprocal"), unary("nan_to_num"), unary("cumsum"), unary("cumprod"), unary("flip"),
    unary("roll"), unary("tril"), unary("triu"), unary("clone"), unary("detach"),
    unary("contiguous"), unary("requires_grad_"), unary("pin_memory"), unary("normal"),
    unary("uniform"), unary("random"), unary("bernoulli"), unary("exponential"), unary("zero"),
    unary("fill"), unary("data"), unary("isnan", OutType::kBool), unary("isinf", OutType::kBool),
    unary("isfinite", OutType::kBool), unary("logical_not", OutType::kBool),
    unary("bitwise_not"), unary("argsort", OutType::kLong), unary("erfinv"), unary("deg2rad"),
    unary("rad2deg"), unary("hardswish"), unary("hardsigmoid"), unary("celu"), unary("selu"),
    unary("softsign"), unary("tanhshrink"), unary("positive"), unary("conj"), unary("angle"),
    unary("rot90"), unary("fliplr"), unary("flipud"), unary("share_memory_"), unary("retain_grad"),
    unary("poisson"), unary("logit"), unary("sinc"), unary("multinomial", OutType::kLong),

    reducing("sum"), reducing("mean"), reducing("prod"), reducing("std"), reducing("var"),
    reducing("amax"), reducing("amin"), reducing("norm"), reducing("logsumexp"),
    reducing("nanmean"), reducing("nansum"), reducing("any", OutType::kBool),
    reducing("all", OutType::kBool), reducing("argmax", OutType::kLong),
    reducing("argmin", OutType::kLong), reducing("count_nonzero", OutType::kLong),
    reducing("median"), reducing("vector_norm"),

    view("view", OutShape::kView), view("reshape", OutShape::kView), view("flatten"),
    view("unflatten"), view("ravel"), view("permute", OutShape::kSameRank),
    view("transpose", OutShape::kSameRank), view("swapaxes", OutShape::kSameRank),
    view("movedim", OutShape::kSameRank), view("t", OutShape::kPlain2),
    view("swapdims", OutShape::kSameRank), view("unsqueeze", OutShape::kAdd),
    view("squeeze", OutShape::kAnything), view("expand"), view("expand_as"), view("view_as"),
    view("reshape_as"), view("repeat"), view("tile"), view("repeat_interleave"),
    view("narrow", OutShape::kSameRank), view("select", OutShape::kDrop), view("unfold"),
    view("fold"), view("diagonal"), view("diag"), view("diag_embed"), view("diff", OutShape::kSameRank),
    view("pad", OutShape::kSameRank), view("interpolate", OutShape::kSameRank),
    view("upsample", OutShape::kSameRank), view("avg_pool2d", OutShape::kSameRank),
    view("max_pool2d", OutShape::kSameRank), view("adaptive_avg_pool2d", OutShape::kSameRank),
    view("adaptive_max_pool2d", OutShape::kSameRank), view("avg_pool1d", OutShape::kSameRank),
    view("max_pool1d", OutShape::kSameRank), view("pixel_shuffle", OutShape::kSameRank),
    view("pixel_unshuffle", OutShape::kSameRank), view("channel_shuffle", OutShape::kSameRank),
    view("atleast_1d"), view("atleast_2d"), view("atleast_3d"), view("broadcast_to"),
    view("one_hot"), view("view_as_real"), view("unique"), view("histc"), view("affine_grid"),
    view("cov"), view("corrcoef"), view("pinverse"), view("inverse"),
    Operator{.name = "nonzero", .meeting = kJoin, .type = OutType::kLong,
             .shape = OutShape::kPlain2},
    Operator{.name = "argwhere", .meeting = kJoin, .type = OutType::kLong,
             .shape = OutShape::kPlain2},
    Operator{.name = "bincount", .meeting = kStrict, .type = OutType::kLong,
             .shape = OutShape::kSome},
    Operator{.name = "type_as", .meeting = kJoin},

    several("chunk"), several("split"), several("tensor_split"), several("unbind"),
    several("topk"), several("sort"), several("svd"), several("qr"), several("eigh"),
    several("meshgrid"), several("broadcast_tensors"), several("split_with_sizes"),
    several("cummax"), several("aminmax"), several("kthvalue"), several("unsafe_chunk"),
    several("std_mean"), several("var_mean"), several("slogdet"), several("frexp"),

    Operator{.name = "item", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "size", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "numel", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "nelement", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "dim", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "ndimension", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "data_ptr", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "element_size", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "stride", .meeting = kJoin, .returns = Returns::kList},
    Operator{.name = "tolist", .meeting = kJoin, .returns = Returns::kList},
    Operator{.name = "equal", .meeting = kStrict, .returns = Returns::kNumber},
    Operator{.name = "get_device", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "is_floating_point", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "is_contiguous", .meeting = kJoin, .returns = Returns::kNumber},
    Operator{.name = "register_hook", .meeting = kJoin, .returns = Returns::kNothing},
    Operator{.name = "record_stream", .meeting = kJoin, .returns = Returns::kNothing},
};

}  // namespace

const Operator* find_operator(std::string_view name) {
  static const std::map<std::string_view, const Operator*> kByName = [] {
    std::map<std::string_view, const Operator*> all;
    for (const Operator& op : kOperators) all.emplace(op.name, &op);
    return all;
  }();
  if (const auto found = kByName.find(name); found != kByName.end()) return found->second;
  if (name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_') {
    if (const auto found = kByName.find(name.substr(0, name.size() - 1)); found != kByName.end())
      return found->second;
  }
  return nullptr;
}

}  // namespace sinter::lint
