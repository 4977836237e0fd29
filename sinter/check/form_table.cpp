#include "sinter/check/form_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "sinter/check/type_table.h"

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineNode;
namespace {

constexpr Targets kTrt86 = bit(Target::kTrt86);
constexpr Targets kTrt10 = bit(Target::kTrt10);
constexpr Targets kNewTrt = kTrt10 | bit(Target::kTrt11) | bit(Target::kTrtRtx);
constexpr Targets kTrt = kTrt86 | kNewTrt;
constexpr Targets kOpenVino = bit(Target::kOpenVino);
constexpr Targets kAll = kTrt | kOpenVino | bit(Target::kOrtCpu) | bit(Target::kOrtCuda);

constexpr int kBFloat16 = 16;

std::string always(const Subject&, const OutlineNode& node) {
  return fmt::format("{} is not in every version of the target", node.op);
}

std::string resize_mode(const Subject&, const OutlineNode& node) {
  const std::string_view mode = node.text("mode", "nearest");
  return mode == "nearest" || mode == "linear"
             ? ""
             : fmt::format("a Resize of mode '{}'; the target has nearest and linear", mode);
}

std::string resize_coordinates(const Subject&, const OutlineNode& node) {
  constexpr std::string_view kKnown[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                         "align_corners", "tf_half_pixel_for_nn"};
  const std::string_view mode = node.text("coordinate_transformation_mode", "half_pixel");
  return std::ranges::find(kKnown, mode) != std::end(kKnown)
             ? ""
             : fmt::format("a Resize whose coordinates are '{}'", mode);
}

std::string resize_antialias(const Subject&, const OutlineNode& node) {
  return node.number("antialias", 0) != 0 ? "a Resize with antialiasing" : "";
}

std::string resize_policy(const Subject&, const OutlineNode& node) {
  const std::string_view policy = node.text("keep_aspect_ratio_policy", "stretch");
  return policy == "stretch" ? "" : fmt::format("a Resize of aspect ratio policy '{}'", policy);
}

std::string resize_type(const Subject& subject, const OutlineNode& node) {
  return !node.inputs.empty() && subject.type_of(node.inputs.front()) == kBFloat16
             ? "a Resize of bfloat16"
             : "";
}

std::string many_outputs(const Subject&, const OutlineNode& node) {
  const bool more =
      std::ranges::any_of(node.outputs.begin() + (node.outputs.empty() ? 0 : 1), node.outputs.end(),
                          [](const std::string& name) { return !name.empty(); });
  return more ? fmt::format("{} with more than its first output", node.op) : "";
}

std::string dilated(const Subject&, const OutlineNode& node) {
  const OutlineAttribute* dilations = node.attribute("dilations");
  const bool wide = dilations != nullptr &&
                    std::ranges::any_of(dilations->numbers, [](double n) { return n != 1; });
  return wide ? fmt::format("{} with dilations", node.op) : "";
}

std::string unsorted(const Subject&, const OutlineNode& node) {
  return node.number("sorted", 1) == 0 ? "TopK without sorting" : "";
}

std::string reduced(const Subject&, const OutlineNode& node) {
  const std::string_view reduction = node.text("reduction", "none");
  return reduction == "none" ? "" : fmt::format("{} with reduction '{}'", node.op, reduction);
}

std::string einsum_form(const Subject&, const OutlineNode& node) {
  const std::string_view equation = node.text("equation", "");
  if (equation.find("...") != equation.npos) return "an Einsum with an ellipsis";
  const std::string_view operands = equation.substr(0, equation.find("->"));
  for (std::size_t at = 0; at < operands.size();) {
    const std::size_t end = std::min(operands.find(',', at), operands.size());
    for (std::size_t i = at; i < end; ++i) {
      const bool letter = std::isalpha(static_cast<unsigned char>(operands[i])) != 0;
      if (letter && operands.substr(i + 1, end - i - 1).find(operands[i]) != operands.npos) {
        return "an Einsum that takes a diagonal";
      }
    }
    at = end + 1;
  }
  return "";
}

std::string filled_type(const Subject&, const OutlineNode& node) {
  const OutlineAttribute* value = node.attribute("value");
  if (value == nullptr || value->tensors.empty() || value->tensors.front().type == 1) return "";
  return fmt::format("ConstantOfShape of {}", type_word(value->tensors.front().type));
}

std::string wrapped(const Subject&, const OutlineNode& node) {
  return node.text("mode", "constant") == "wrap" ? "a Pad that wraps around" : "";
}

std::string new_group_norm(const Subject& subject, const OutlineNode&) {
  return subject.opset() >= 21 ? "GroupNormalization of opset 21" : "";
}

std::string old_group_norm(const Subject& subject, const OutlineNode&) {
  return subject.opset() < 21 ? "GroupNormalization of opset 18, whose scale is one a group; opset "
                                "21 withdrew it for one a channel"
                              : "";
}

// Conv-11 and its like have no bfloat16; opset 22 added it.
std::string early_bfloat16(const Subject& subject, const OutlineNode& node) {
  if (subject.opset() >= 22 || node.inputs.empty()) return "";
  return subject.type_of(node.inputs.front()) == kBFloat16
             ? fmt::format("{} of bfloat16, which it takes from opset 22 on", node.op)
             : "";
}

constexpr std::string_view kNearest = "export with nearest or linear, without antialiasing";
constexpr std::string_view kCast = "put a Cast to float32 before it and one back behind it";
constexpr std::string_view kPlain = "export it as plain MatMul, Transpose and Mul";
constexpr std::string_view kOpset22 = "export with opset 22, or compute in float16 or float32";

constexpr std::array kForms{
    FormRow{"Resize", kTrt, false, resize_mode, kNearest},
    FormRow{"Resize", kTrt | kOpenVino, false, resize_coordinates, kNearest},
    FormRow{"Resize", kTrt, false, resize_antialias, kNearest},
    FormRow{"Resize", kTrt, false, resize_policy, kNearest},
    FormRow{"Resize", kTrt86, false, resize_type, kCast},
    FormRow{"LayerNormalization", kTrt, false, many_outputs, "use only its first output"},
    FormRow{"MaxPool", kTrt, false, many_outputs, "use only its first output"},
    FormRow{"MaxPool", kTrt, false, dilated, "pool without dilations"},
    FormRow{"AveragePool", kTrt, false, dilated, "pool without dilations"},
    FormRow{"LpPool", kTrt, false, dilated, "pool without dilations"},
    FormRow{"TopK", kTrt, false, unsorted, "sort: the result only has more order"},
    FormRow{"ScatterND", kTrt, false, reduced, "add or multiply behind a plain ScatterND"},
    FormRow{"Einsum", kTrt86, false, einsum_form, kPlain},
    FormRow{"ConstantOfShape", kTrt86, true, filled_type,
            "its documents promise float32 only; where the parser refuses it, fill with float32 "
            "and cast"},
    FormRow{"Pad", kTrt86 | kOpenVino, false, wrapped, "pad with Concat of slices"},
    FormRow{"GroupNormalization", kAll, false, old_group_norm,
            "export with opset 21, or as Reshape, InstanceNormalization, Reshape, scale and shift"},
    FormRow{"GroupNormalization", kTrt86, false, new_group_norm,
            "export it as Reshape, InstanceNormalization, Reshape, scale and shift"},
    FormRow{"Conv", kAll, false, early_bfloat16, kOpset22},
    FormRow{"ConvTranspose", kAll, false, early_bfloat16, kOpset22},
    FormRow{"InstanceNormalization", kAll, false, early_bfloat16, kOpset22},
    FormRow{"GroupNormalization", kTrt10, true, new_group_norm, "use TensorRT 10.9 or later"},
    FormRow{"Attention", kTrt10, true, always, "use TensorRT 10.14 or later"},
    FormRow{"RotaryEmbedding", kTrt10, true, always, "use TensorRT 10.15 or later"},
    FormRow{"RMSNormalization", kTrt10, true, always, "use TensorRT 10.15 or later"},
    FormRow{"TensorScatter", kTrt10, true, always, "use TensorRT 10.15 or later"},
    FormRow{"DeformConv", kTrt10, true, always, "use TensorRT 10.1 or later"},
    FormRow{"STFT", kTrt10, true, always, "use TensorRT 10.5 or later"},
    FormRow{"BlackmanWindow", kTrt10, true, always, "use TensorRT 10.4 or later"},
    FormRow{"HammingWindow", kTrt10, true, always, "use TensorRT 10.4 or later"},
    FormRow{"HannWindow", kTrt10, true, always, "use TensorRT 10.4 or later"},
    FormRow{"ConstantOfShape", kTrt10, true, filled_type, "use TensorRT 10.1 or later"},
};

constexpr std::array kConstantOperands{
    ConstantOperand{"Slice", 3, "axes", kTrt86, ""},
    ConstantOperand{"Slice", 3, "axes", kTrt10, "10.2"},
    ConstantOperand{"Pad", 3, "axes", kTrt86, ""},
    ConstantOperand{"Pad", 3, "axes", kTrt10, "10.3"},
    ConstantOperand{"Squeeze", 1, "axes", kTrt | kOpenVino, ""},
    ConstantOperand{"Unsqueeze", 1, "axes", kTrt | kOpenVino, ""},
    ConstantOperand{"CumSum", 1, "axis", kTrt, ""},
    ConstantOperand{"OneHot", 1, "depth", kTrt, ""},
    ConstantOperand{"ReduceL1", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceL2", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceLogSum", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceLogSumExp", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceMax", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceMean", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceMin", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceProd", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceSum", 1, "axes", kTrt, ""},
    ConstantOperand{"ReduceSumSquare", 1, "axes", kTrt, ""},
    ConstantOperand{"InstanceNormalization", 1, "scale", kTrt86, ""},
    ConstantOperand{"InstanceNormalization", 2, "B", kTrt86, ""},
    ConstantOperand{"STFT", 1, "frame_step", kTrt | kOpenVino, ""},
};

}  // namespace

std::span<const FormRow> forms() { return kForms; }

std::span<const ConstantOperand> constant_operands() { return kConstantOperands; }

}  // namespace sinter::check
