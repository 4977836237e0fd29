// Constants: whether they can be read, what should have been one, and what does not fit.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sinter/check/form_table.h"
#include "sinter/check/rules.h"
#include "sinter/check/type_table.h"

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineNode;
using graph::OutlineTensor;
namespace {

constexpr int kInt64 = 7;
constexpr int kFloat16 = 10;
constexpr int kFloat64 = 11;
constexpr std::uint64_t kLarge = 64;  // elements: more is no list of sizes or axes

constexpr Targets kTrt =
    bit(Target::kTrt86) | bit(Target::kTrt10) | bit(Target::kTrt11) | bit(Target::kTrtRtx);

// What a Constant node says of its value, or what is wrong with that.
std::string constant_problem(const Subject& subject, const OutlineNode& node) {
  constexpr std::string_view kForms[] = {"value",         "value_float", "value_floats",
                                         "value_int",     "value_ints",  "value_string",
                                         "value_strings", "sparse_value"};
  std::vector<std::string_view> present;
  for (const OutlineAttribute& attribute : node.attributes) {
    if (std::ranges::find(kForms, attribute.name) != std::end(kForms)) {
      present.push_back(attribute.name);
      if (attribute.kind == OutlineAttribute::Kind::kUndefined && attribute.parameter.empty()) {
        return fmt::format("its {} has no type", attribute.name);
      }
    }
  }
  if (present.empty()) return "it has no value";
  if (present.size() > 1) {
    return fmt::format("it has {} values, {} and {}", present.size(), present[0], present[1]);
  }
  const bool text = present[0] == "value_string" || present[0] == "value_strings";
  if (subject.target().tensorrt && (text || present[0] == "sparse_value")) {
    return fmt::format("its value is a {}, which {} does not read", present[0],
                       subject.target().title);
  }
  const OutlineAttribute* value = node.attribute("value");
  if (value == nullptr || value->tensors.empty()) {
    return value != nullptr && value->parameter.empty() ? "its value is no tensor" : "";
  }
  const TypeRow* type = find_type(value->tensors.front().type);
  if (type == nullptr) return "its value has no element type";
  if (subject.for_target(type->refused) && subject.target().tensorrt) {
    return fmt::format("its value is {}, which {} does not have", type->word,
                       subject.target().title);
  }
  return "";
}

// Behind a linked weight stand the Cast and Transpose that bridge how it is stored and how it is
// computed with; every engine folds them while it loads, and folding them into the file would copy
// the weights.
bool bridges_stored_weight(const Subject& subject, const OutlineNode& node) {
  const OutlineNode* at = &node;
  for (int depth = 0; depth < 4; ++depth) {
    if ((at->op != "Cast" && at->op != "Transpose") || at->inputs.empty()) return false;
    const OutlineTensor* stored = subject.initializer(at->inputs.front());
    if (stored != nullptr) return stored->external && subject.own();
    at = subject.producer(at->inputs.front());
    if (at == nullptr) return false;
  }
  return false;
}

}  // namespace

void has_bad_constants(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    if (at.node->op != "Constant" || !at.node->domain.empty()) continue;
    const std::string problem = constant_problem(subject, *at.node);
    if (problem.empty()) continue;
    sink.add(at.place(), problem, "make it a tensor of numbers in the attribute 'value'");
  }
}

void needs_constants(const Subject& subject, Sink& sink) {
  for (const OutlineNode& node : subject.graph().nodes) {
    if (!node.domain.empty()) continue;
    for (const ConstantOperand& row : constant_operands()) {
      if (row.op != node.op || !subject.for_target(row.targets)) continue;
      if (row.index >= node.inputs.size() || node.inputs[row.index].empty()) continue;
      if (subject.constant(node.inputs[row.index])) continue;
      const Place place = NodeAt{&node, nullptr, nullptr, false}.place();
      const std::string why =
          fmt::format("the {} of {} are computed from the graph's inputs", row.word, node.op);
      if (row.until.empty()) {
        sink.add(place,
                 fmt::format("{}; {} has to know them while it reads the graph", why,
                             subject.target().title),
                 "export with fixed axes");
      } else {
        sink.add(Severity::kNote, place,
                 fmt::format("{}; {} up to {} has to know them while it reads the graph", why,
                             subject.target().title, row.until),
                 "use a later version, or export with fixed axes");
      }
    }
  }
}

void has_unfolded_constants(const Subject& subject, Sink& sink) {
  for (const OutlineNode& node : subject.graph().nodes) {
    // Without inputs it is a constant already; quantized weights have to stay visible to engines.
    if (node.inputs.empty() || node.op == "DequantizeLinear" || node.op == "QuantizeLinear") {
      continue;
    }
    const bool constant = std::ranges::all_of(node.outputs, [&](const std::string& output) {
      return output.empty() || subject.constant(output);
    });
    if (!constant || bridges_stored_weight(subject, node)) continue;
    sink.add(NodeAt{&node, nullptr, nullptr, false}.place(),
             "it computes the same in every run, from weights and constants alone",
             "fold it once: sinter fold IN.onnx OUT.onnx");
  }
}

void has_double_weights(const Subject& subject, Sink& sink) {
  for (const TensorAt& at : subject.tensors()) {
    const OutlineTensor& tensor = *at.tensor;
    if (tensor.type != kFloat64 || tensor.elements() <= 1) continue;
    sink.add(at.place(),
             subject.for_target(kTrt)
                 ? fmt::format("float64, which {} turns into float32", subject.target().title)
                 : "float64: twice the memory of float32 and slow",
             "export the module in float32 (module.float() before the export)");
  }
}

void has_int64_weights(const Subject& subject, Sink& sink) {
  for (const TensorAt& at : subject.tensors()) {
    const OutlineTensor& tensor = *at.tensor;
    if (tensor.type != kInt64 || tensor.elements() < kLarge * 64) continue;
    sink.add(
        at.place(),
        subject.for_target(bit(Target::kTrt86))
            ? fmt::format("a table of int64, which {} turns into int32", subject.target().title)
            : "a table of int64: twice the memory of int32",
        "export it as int32");
  }
}

void has_clamped_integers(const Subject& subject, Sink& sink) {
  if (!subject.for_target(bit(Target::kTrt86))) return;
  for (const TensorAt& at : subject.tensors()) {
    const OutlineTensor& tensor = *at.tensor;
    if (tensor.type != kInt64 || !tensor.values) continue;
    const bool beyond = std::ranges::any_of(*tensor.values, [](double value) {
      return std::abs(value) > std::numeric_limits<std::int32_t>::max();
    });
    if (!beyond) continue;
    sink.add(at.place(),
             fmt::format("an int64 that int32 does not hold; {} clamps it and says so",
                         subject.target().title),
             "harmless as the end of a Slice; anywhere else export other numbers");
  }
}

void has_overflowing_constants(const Subject& subject, Sink& sink) {
  constexpr double kLargestHalf = 65504;
  for (const OutlineNode& node : subject.graph().nodes) {
    if (node.op != "Cast" || node.inputs.empty() || node.number("to", 0) != kFloat16) continue;
    const OutlineTensor* tensor = subject.initializer(node.inputs.front());
    const OutlineNode* producer = subject.producer(node.inputs.front());
    if (tensor == nullptr && producer != nullptr && producer->op == "Constant") {
      const OutlineAttribute* value = producer->attribute("value");
      if (value != nullptr && value->tensors.size() == 1) tensor = &value->tensors.front();
    }
    if (tensor == nullptr || !tensor->values) continue;
    const bool beyond = std::ranges::any_of(*tensor->values, [](double value) {
      return std::isfinite(value) && std::abs(value) > kLargestHalf;
    });
    if (!beyond) continue;
    sink.add(
        NodeAt{&node, nullptr, nullptr, false}.place(),
        "a constant beyond 65504 is cast to float16, where it is infinite; a mask of infinities "
        "makes NaN in a Softmax",
        "use the largest negative float16, -65504, for masks");
  }
}

}  // namespace sinter::check
