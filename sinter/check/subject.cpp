#include "sinter/check/subject.h"

#include <algorithm>
#include <iterator>

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineFunction;
using graph::OutlineGraph;
using graph::OutlineNode;
using graph::OutlineTensor;
using graph::OutlineValue;
namespace {

void add_captured(const OutlineGraph& body, std::set<std::string_view> own,
                  std::vector<std::string_view>& result) {
  for (const OutlineValue& input : body.inputs) own.insert(input.name);
  for (const OutlineTensor& tensor : body.initializers) own.insert(tensor.name);
  for (const OutlineNode& node : body.nodes) {
    for (const std::string& output : node.outputs) own.insert(output);
  }
  const auto take = [&](const std::string& name) {
    if (!name.empty() && !own.contains(name)) result.push_back(name);
  };
  for (const OutlineNode& node : body.nodes) {
    std::ranges::for_each(node.inputs, take);
    for (const OutlineAttribute& attribute : node.attributes) {
      for (const OutlineGraph& inner : attribute.graphs) add_captured(inner, own, result);
    }
  }
  for (const OutlineValue& output : body.outputs) take(output.name);
}

}  // namespace

Place NodeAt::place() const {
  std::string name = node->name;
  if (name.empty() && !node->outputs.empty()) name = node->outputs.front();
  if (function != nullptr) name = function->name + ":" + name;
  return {name, node->op, graph::module_of(name)};
}

Place TensorAt::place() const {
  if (node != nullptr) return NodeAt{node, nullptr, nullptr, inner}.place();
  return {tensor->name, "", ""};
}

bool is_pure(const OutlineNode& node) {
  constexpr std::string_view kOther[] = {
      "Bernoulli",     "Multinomial",       "RandomNormal", "RandomNormalLike",
      "RandomUniform", "RandomUniformLike", "Dropout",
  };
  return std::ranges::find(kOther, node.op) == std::end(kOther);
}

std::vector<std::string_view> captured(const OutlineNode& node) {
  std::vector<std::string_view> result;
  for (const OutlineAttribute& attribute : node.attributes) {
    for (const OutlineGraph& body : attribute.graphs) add_captured(body, {}, result);
  }
  return result;
}

Subject::Subject(const graph::Outline& file, const Options& options)
    : file_(file), options_(options) {
  collect(file.graph, {nullptr, &file.opsets, nullptr, false});
  for (const OutlineFunction& function : file.functions) {
    collect(function.nodes, {nullptr, &function.opsets, &function, false});
  }
  for (const OutlineTensor& tensor : file.graph.initializers) {
    initializers_.emplace(tensor.name, &tensor);
  }
  for (const OutlineNode& node : file.graph.nodes) {
    for (const std::string& output : node.outputs) producers_.emplace(output, &node);
  }
  find_constants();
  find_types();
}

void Subject::collect(const OutlineGraph& graph, NodeAt around) {
  for (const OutlineTensor& tensor : graph.initializers) {
    tensors_.push_back({&tensor, nullptr, around.inner || around.function != nullptr});
  }
  collect(graph.nodes, around);
}

void Subject::collect(const std::vector<OutlineNode>& nodes, NodeAt around) {
  for (const OutlineNode& node : nodes) {
    around.node = &node;
    nodes_.push_back(around);
    for (const OutlineAttribute& attribute : node.attributes) {
      for (const OutlineTensor& tensor : attribute.tensors) {
        tensors_.push_back({&tensor, &node, around.inner || around.function != nullptr});
      }
      for (const OutlineGraph& body : attribute.graphs) {
        collect(body, {nullptr, around.opsets, around.function, true});
      }
    }
  }
}

void Subject::find_constants() {
  std::set<std::string_view> given;
  for (const OutlineValue& input : file_.graph.inputs) given.insert(input.name);
  for (const OutlineTensor& tensor : file_.graph.initializers) {
    if (!given.contains(tensor.name)) constants_.insert(tensor.name);
  }
  const auto known = [this](std::string_view name) {
    return name.empty() || constants_.contains(name);
  };
  for (const OutlineNode& node : file_.graph.nodes) {
    if (!is_pure(node) || !std::ranges::all_of(node.inputs, known)) continue;
    if (!std::ranges::all_of(captured(node), known)) continue;
    for (const std::string& output : node.outputs) constants_.insert(output);
  }
}

void Subject::find_types() {
  const auto declare = [this](const std::vector<OutlineValue>& values) {
    for (const OutlineValue& value : values) {
      if (value.type != 0) types_.emplace(value.name, value.type);
    }
  };
  declare(file_.graph.inputs);
  declare(file_.graph.outputs);
  declare(file_.graph.values);
  for (const OutlineTensor& tensor : file_.graph.initializers) {
    types_.emplace(tensor.name, tensor.type);
  }
  for (const OutlineNode& node : file_.graph.nodes) {
    if (node.outputs.empty()) continue;
    if (node.op == "Cast" && node.attribute("to") != nullptr) {
      types_.emplace(node.outputs.front(), static_cast<int>(node.number("to", 0)));
    }
    const OutlineAttribute* value = node.op == "Constant" ? node.attribute("value") : nullptr;
    if (value != nullptr && value->tensors.size() == 1) {
      types_.emplace(node.outputs.front(), value->tensors.front().type);
    }
  }
}

std::int64_t Subject::opset() const {
  const auto found = file_.opsets.find("");
  return found == file_.opsets.end() ? 0 : found->second;
}

const OutlineNode* Subject::producer(std::string_view value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? nullptr : found->second;
}

const OutlineTensor* Subject::initializer(std::string_view name) const {
  const auto found = initializers_.find(name);
  return found == initializers_.end() ? nullptr : found->second;
}

std::vector<const OutlineValue*> Subject::inputs() const {
  std::vector<const OutlineValue*> result;
  for (const OutlineValue& input : file_.graph.inputs) {
    if (initializer(input.name) == nullptr) result.push_back(&input);
  }
  return result;
}

int Subject::type_of(std::string_view value) const {
  const auto found = types_.find(value);
  return found == types_.end() ? 0 : found->second;
}

const OutlineFunction* Subject::function(std::string_view domain, std::string_view name) const {
  for (const OutlineFunction& function : file_.functions) {
    if (function.domain == domain && function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace sinter::check
