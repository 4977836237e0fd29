// Whether a file is a sound ONNX graph, whoever reads it.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "sinter/check/op_table.h"
#include "sinter/check/rules.h"

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineFunction;
using graph::OutlineGraph;
using graph::OutlineNode;
using graph::OutlineTensor;
using graph::OutlineValue;
namespace {

constexpr const char* kExportAgain =
    "the export was cut short or the file was edited wrongly; export it again";

std::string domain_word(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

std::int64_t imported(const NodeAt& at, const std::string& domain) {
  const auto found = at.opsets->find(domain);
  return found == at.opsets->end() ? 0 : found->second;
}

// Names that can be read at some place: those of a body and those around it.
struct Scope {
  const Scope* around = nullptr;
  std::set<std::string_view> names = {};

  bool knows(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around) {
      if (scope->names.contains(name)) return true;
    }
    return false;
  }
};

// Follows the order of the nodes: what has a name so far, and who reads what has none.
class Order {
 public:
  explicit Order(Sink& sink, const OutlineFunction* function = nullptr)
      : sink_(sink), function_(function) {}

  void follow(const OutlineGraph& graph, const Scope* around) {
    Scope scope{.around = around};
    for (const OutlineValue& input : graph.inputs) scope.names.insert(input.name);
    for (const OutlineTensor& tensor : graph.initializers) scope.names.insert(tensor.name);
    follow(graph.nodes, scope);
    if (around == nullptr) return;  // outputs of the whole graph have a rule of their own
    for (const OutlineValue& output : graph.outputs) {
      if (output.name.empty() || scope.knows(output.name)) continue;
      sink_.add({output.name, "", ""}, "an output of an inner graph that nothing makes",
                kExportAgain);
    }
  }

  void follow(const std::vector<OutlineNode>& nodes, Scope& scope) {
    std::set<std::string_view> later;
    for (const OutlineNode& node : nodes) later.insert(node.outputs.begin(), node.outputs.end());
    for (const OutlineNode& node : nodes) {
      for (const std::string& input : node.inputs) {
        if (input.empty() || scope.knows(input)) continue;
        tell(node, input, later.contains(input));
      }
      for (const OutlineAttribute& attribute : node.attributes) {
        for (const OutlineGraph& body : attribute.graphs) follow(body, &scope);
      }
      scope.names.insert(node.outputs.begin(), node.outputs.end());
    }
  }

 private:
  void tell(const OutlineNode& node, const std::string& input, bool out_of_order) {
    sink_.add(NodeAt{&node, nullptr, function_, false}.place(),
              out_of_order ? fmt::format("it reads '{}', which a later node makes", input)
                           : fmt::format("it reads '{}', which nothing makes", input),
              out_of_order ? "nodes have to stand after those whose results they read; sort them"
                           : kExportAgain);
  }

  Sink& sink_;
  const OutlineFunction* function_;
};

// Values that lead to an output of the graph.
std::set<std::string_view> needed_values(const OutlineGraph& graph) {
  std::set<std::string_view> needed;
  for (const OutlineValue& output : graph.outputs) needed.insert(output.name);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool wanted = std::ranges::any_of(
        node->outputs, [&](const std::string& output) { return needed.contains(output); });
    if (!wanted) continue;
    needed.insert(node->inputs.begin(), node->inputs.end());
    for (const std::string_view name : captured(*node)) needed.insert(name);
  }
  return needed;
}

}  // namespace

void names_no_opset(const Subject& subject, Sink& sink) {
  std::set<std::string> told;
  for (const NodeAt& at : subject.nodes()) {
    const std::string& domain = at.node->domain;
    if (imported(at, domain) > 0 || subject.function(domain, at.node->op) != nullptr) continue;
    if (!told.insert(domain).second) continue;
    sink.add(at.place(),
             fmt::format("operators of '{}' are used, and the file does not say of which version",
                         domain_word(domain)),
             "add the domain to opset_import");
  }
  for (const std::string& domain : subject.file().repeated_domains) {
    sink.add({}, fmt::format("'{}' is imported more than once", domain_word(domain)),
             "keep one entry of opset_import for each domain");
  }
}

void repeats_names(const Subject& subject, Sink& sink) {
  std::set<std::string_view> values;
  std::set<std::string_view> initializers;
  for (const OutlineTensor& tensor : subject.graph().initializers) {
    if (!initializers.insert(tensor.name).second) {
      sink.add({tensor.name, "", ""}, "two initializers have this name", kExportAgain);
    }
  }
  for (const OutlineValue& input : subject.graph().inputs) {
    if (!values.insert(input.name).second) {
      sink.add({input.name, "", ""}, "two inputs have this name", kExportAgain);
    }
  }
  std::set<std::string_view> nodes;
  for (const OutlineNode& node : subject.graph().nodes) {
    const Place place = NodeAt{&node, nullptr, nullptr, false}.place();
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      const bool taken = !values.insert(output).second || initializers.contains(output);
      if (!taken) continue;
      sink.add(place, fmt::format("it makes '{}', which another node, input or weight is", output),
               kExportAgain);
    }
    if (!node.name.empty() && !nodes.insert(node.name).second) {
      sink.add(Severity::kWarning, place,
               "two nodes have this name: reports and layer names cannot tell them apart",
               "give nodes names of their own");
    }
  }
}

void uses_unknown_values(const Subject& subject, Sink& sink) {
  Order(sink).follow(subject.graph(), nullptr);
  for (const OutlineFunction& function : subject.file().functions) {
    Scope scope;
    scope.names.insert(function.inputs.begin(), function.inputs.end());
    Order(sink, &function).follow(function.nodes, scope);
  }
}

void makes_no_output(const Subject& subject, Sink& sink) {
  if (subject.graph().outputs.empty()) {
    sink.add({}, "the graph has no outputs", kExportAgain);
  }
  std::set<std::string_view> known;
  for (const OutlineValue& input : subject.graph().inputs) known.insert(input.name);
  for (const OutlineValue& output : subject.graph().outputs) {
    if (known.contains(output.name) || subject.producer(output.name) != nullptr ||
        subject.initializer(output.name) != nullptr) {
      continue;
    }
    sink.add({output.name, "", ""}, "nothing makes this output", kExportAgain);
  }
}

void has_unknown_operators(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    const OutlineNode& node = *at.node;
    if (!node.domain.empty() || subject.function("", node.op) != nullptr) continue;
    const std::int64_t opset = imported(at, "");
    const OpRow* row = find_op(node.op);
    if (row == nullptr) {
      sink.add(at.place(), fmt::format("ONNX has no operator '{}'", node.op),
               "an engine's own optimizer may have written it; export again without that");
    } else if (opset > 0 && opset < row->since) {
      sink.add(at.place(),
               fmt::format("{} exists from opset {} on, and the file is opset {}", node.op,
                           row->since, opset),
               fmt::format("export with opset {} or later", row->since));
    } else if (row->removed != 0 && opset >= row->removed) {
      sink.add(at.place(),
               fmt::format("{} was withdrawn in opset {}, and the file is opset {}", node.op,
                           row->removed, opset),
               fmt::format("export with the operator that replaces it ({})",
                           node.op == "Upsample" ? "Resize" : "ScatterElements"));
    }
  }
}

void has_wrong_counts(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    const OutlineNode& node = *at.node;
    const OpRow* row = node.domain.empty() ? find_op(node.op) : nullptr;
    if (row == nullptr) continue;
    const auto tell = [&](const char* what, std::size_t found, int fewest, int most) {
      if (found >= static_cast<std::size_t>(fewest) && found <= static_cast<std::size_t>(most)) {
        return;
      }
      sink.add(at.place(),
               fmt::format("it has {} {}, and {} takes {}", found, what, node.op,
                           fewest == most ? fmt::format("{}", fewest)
                                          : fmt::format("{} to {}", fewest, most)),
               kExportAgain);
    };
    tell("inputs", node.inputs.size(), row->min_inputs, row->max_inputs);
    tell("outputs", node.outputs.size(), 1, row->max_outputs);
  }
}

void has_untyped_inputs(const Subject& subject, Sink& sink) {
  for (const OutlineValue* input : subject.inputs()) {
    if (!input->tensor) {
      sink.add(Severity::kError, {input->name, "", ""}, "it is not a tensor",
               "graphs of networks take tensors; make a tensor of the sequence or map");
    } else if (input->type == 0) {
      sink.add(Severity::kError, {input->name, "", ""}, "the file does not say its element type",
               kExportAgain);
    } else if (!input->ranked) {
      sink.add({input->name, "", ""}, "the file does not say how many dimensions it has",
               "export with example inputs of the right rank");
    }
  }
}

void has_replaceable_weights(const Subject& subject, Sink& sink) {
  for (const OutlineValue& input : subject.graph().inputs) {
    if (subject.initializer(input.name) == nullptr) continue;
    sink.add({input.name, "", ""},
             "this weight is an input too, so that a caller could replace it and nothing that "
             "depends on it can be folded",
             "export with keep_initializers_as_inputs=False, or remove it from the inputs");
  }
}

void has_idle_parts(const Subject& subject, Sink& sink) {
  const std::set<std::string_view> needed = needed_values(subject.graph());
  for (const OutlineTensor& tensor : subject.graph().initializers) {
    if (needed.contains(tensor.name)) continue;
    sink.add({tensor.name, "", ""}, "no output depends on this weight",
             "it only takes space; sinter fold removes it");
  }
  for (const OutlineValue* input : subject.inputs()) {
    if (needed.contains(input->name)) continue;
    sink.add({input->name, "", ""}, "no output depends on this input",
             "programs that bind inputs by name may miss it when an engine drops it");
  }
  for (const OutlineNode& node : subject.graph().nodes) {
    const bool idle = std::ranges::none_of(
        node.outputs, [&](const std::string& output) { return needed.contains(output); });
    if (!idle) continue;
    sink.add(NodeAt{&node, nullptr, nullptr, false}.place(), "no output depends on this node",
             "it only costs time; sinter fold removes it");
  }
}

}  // namespace sinter::check
