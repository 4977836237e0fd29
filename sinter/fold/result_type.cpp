#include "sinter/fold/result_type.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace sinter::fold {
namespace {

constexpr int kFloat = 1;
constexpr int kInt64 = 7;
constexpr int kBool = 9;

template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view op) {
  return std::ranges::find(list, op) != std::end(list);
}

constexpr std::string_view kTruths[] = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                                        "And",   "Or",   "Xor",         "Not",     "IsNaN",
                                        "IsInf"};

constexpr std::string_view kCounts[] = {"Shape", "Size", "ArgMax", "ArgMin", "NonZero"};

constexpr std::string_view kSame[] = {"Abs",
                                      "Add",
                                      "Ceil",
                                      "Clip",
                                      "Concat",
                                      "Conv",
                                      "Cos",
                                      "CumSum",
                                      "Div",
                                      "Einsum",
                                      "Erf",
                                      "Exp",
                                      "Expand",
                                      "Flatten",
                                      "Floor",
                                      "Gather",
                                      "GatherElements",
                                      "GatherND",
                                      "Gemm",
                                      "Identity",
                                      "Log",
                                      "MatMul",
                                      "Max",
                                      "Mean",
                                      "Min",
                                      "Mod",
                                      "Mul",
                                      "Neg",
                                      "Pad",
                                      "Pow",
                                      "Range",
                                      "Reciprocal",
                                      "ReduceL1",
                                      "ReduceL2",
                                      "ReduceMax",
                                      "ReduceMean",
                                      "ReduceMin",
                                      "ReduceProd",
                                      "ReduceSum",
                                      "ReduceSumSquare",
                                      "Relu",
                                      "Reshape",
                                      "Resize",
                                      "Round",
                                      "ScatterElements",
                                      "ScatterND",
                                      "Sigmoid",
                                      "Sign",
                                      "Sin",
                                      "Slice",
                                      "Softmax",
                                      "Split",
                                      "Sqrt",
                                      "Squeeze",
                                      "Sub",
                                      "Sum",
                                      "Tan",
                                      "Tanh",
                                      "Tile",
                                      "Transpose",
                                      "Trilu",
                                      "Unsqueeze",
                                      "LayerNormalization"};

}  // namespace

int result_type(const graph::OutlineNode& node, const std::vector<int>& inputs) {
  const int first = inputs.empty() ? 0 : inputs.front();
  if (node.op == "Cast") return static_cast<int>(node.number("to", 0));
  if (node.op == "CastLike" || node.op == "Where") return inputs.size() > 1 ? inputs[1] : 0;
  if (node.op == "OneHot") return inputs.size() > 2 ? inputs[2] : 0;
  if (node.op == "ConstantOfShape" || node.op == "EyeLike") {
    if (node.op == "EyeLike") return static_cast<int>(node.number("dtype", first));
    const graph::OutlineAttribute* value = node.attribute("value");
    return value != nullptr && value->tensors.size() == 1 ? value->tensors.front().type : kFloat;
  }
  if (holds(kTruths, node.op)) return kBool;
  if (holds(kCounts, node.op)) return kInt64;
  return holds(kSame, node.op) ? first : 0;
}

}  // namespace sinter::fold
