// Whether a target reads the file and has its operators and types.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sinter/check/contrib_table.h"
#include "sinter/check/form_table.h"
#include "sinter/check/op_table.h"
#include "sinter/check/rules.h"
#include "sinter/check/type_table.h"

namespace sinter::check {
using graph::OutlineNode;
using graph::OutlineValue;
namespace {

constexpr Targets kOrt = bit(Target::kOrtCpu) | bit(Target::kOrtCuda);

// Operators that only change a value's type: a type may be that of the stored weights alone.
bool is_cast(const OutlineNode& node) { return node.op == "Cast" || node.op == "CastLike"; }

bool is_quantizing(const OutlineNode& node) {
  return node.op == "QuantizeLinear" || node.op == "DequantizeLinear" ||
         node.op == "DynamicQuantizeLinear";
}

std::string compute_todo(int type) {
  return fmt::format("compute in another type than {}; where it is only stored, cast behind it",
                     type_word(type));
}

// The values of a type that a node computes with.
void judge_type(const Subject& subject, Sink& sink, const OutlineNode& node, int type) {
  const TypeRow* row = find_type(type);
  const Place place = NodeAt{&node, nullptr, nullptr, false}.place();
  if (row == nullptr) {
    sink.add(place, fmt::format("ONNX has no element type {}", type), "export the model again");
  } else if (subject.for_target(row->refused)) {
    if (is_cast(node) && subject.for_target(kOrt)) return;
    sink.add(place, fmt::format("{} has no {}", subject.target().title, row->word),
             compute_todo(type));
  } else if (subject.for_target(row->edge_only) && !is_cast(node)) {
    sink.add(place,
             fmt::format("{} takes {} only as an input or output of the graph",
                         subject.target().title, row->word),
             fmt::format("cast it to float32 or int32 right behind the input"));
  } else if (subject.for_target(row->quantized) && !is_quantizing(node) && !is_cast(node)) {
    sink.add(place,
             fmt::format("{} knows {} only between quantizing and dequantizing",
                         subject.target().title, row->word),
             compute_todo(type));
  }
}

}  // namespace

void has_wrong_opset(const Subject& subject, Sink& sink) {
  const TargetFacts& target = subject.target();
  const std::int64_t opset = subject.opset();
  if (opset == 0) return;  // told by another rule
  if (opset < target.oldest_opset) {
    sink.add({},
             fmt::format("the file is opset {}, and {} reads {} to {}", opset, target.title,
                         target.oldest_opset, target.newest_opset),
             "export with opset 17, which every target reads");
  } else if (opset > target.newest_opset) {
    sink.add({},
             fmt::format("the file is opset {}, and {} reads {} to {}", opset, target.title,
                         target.oldest_opset, target.newest_opset),
             fmt::format("export with opset {} or earlier; 17 is read by every target",
                         target.newest_opset));
  } else if (opset > target.everywhere) {
    sink.add(Severity::kNote, {}, fmt::format("the file is opset {}; {}", opset, target.since),
             "use that version, or export with opset 17");
  }
}

void has_wrong_ir(const Subject& subject, Sink& sink) {
  const std::int64_t version = subject.file().ir_version;
  const std::int64_t newest = subject.target().newest_ir;
  if (version <= 0) {
    sink.add({}, "the file does not say which IR version it has", "export the model again");
  } else if (newest > 0 && version > newest) {
    sink.add({},
             fmt::format("the file has IR version {}, and {} reads up to {}", version,
                         subject.target().title, newest),
             "export with an older onnx package, or set ir_version to 8");
  }
}

void has_refused_operators(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    const OpRow* row = at.node->domain.empty() ? find_op(at.node->op) : nullptr;
    if (row == nullptr || !subject.for_target(row->refused)) continue;
    sink.add(at.place(), fmt::format("{} has no {}", subject.target().title, row->name),
             subject.target().tensorrt
                 ? "export it as simpler operators, or run it outside the engine"
                 : "export it as simpler operators");
  }
}

void has_refused_forms(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    if (!at.node->domain.empty()) continue;
    for (const FormRow& form : forms()) {
      if (form.op != at.node->op || !subject.for_target(form.targets)) continue;
      const std::string problem = form.problem(subject, *at.node);
      if (problem.empty()) continue;
      if (form.version) {
        sink.add(Severity::kNote, at.place(), problem, std::string(form.todo));
      } else {
        sink.add(at.place(), problem, std::string(form.todo));
      }
    }
  }
}

void has_contrib_operators(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    if (at.node->domain != kContribDomain) continue;
    if (subject.function(at.node->domain, at.node->op) != nullptr) continue;
    const ContribRow* row = find_contrib(at.node->op);
    if (row == nullptr && subject.for_target(kOrt)) {
      sink.add(Severity::kWarning, at.place(),
               fmt::format("{} is an operator of com.microsoft; whether {} has it is not known",
                           at.node->op, subject.target().title),
               "open it there once before shipping it");
      continue;
    }
    if (row != nullptr && subject.for_target(row->taken)) continue;
    const bool cuda_only = row != nullptr && row->taken == bit(Target::kOrtCuda);
    sink.add(at.place(),
             fmt::format("{} is an operator of com.microsoft, and {} has none{}", at.node->op,
                         subject.target().title,
                         cuda_only ? "; only ONNX Runtime's CUDA provider has it" : ""),
             row == nullptr ? std::string("export without ONNX Runtime's optimizer")
                            : fmt::format("export without ONNX Runtime's optimizer; portable is {}",
                                          row->instead));
  }
}

void has_custom_operators(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    const OutlineNode& node = *at.node;
    if (node.domain.empty() || node.domain == kContribDomain) continue;
    if (subject.function(node.domain, node.op) != nullptr) {
      if (!subject.for_target(bit(Target::kTrt86))) continue;
      sink.add(at.place(),
               fmt::format("{} is a function of the file's own, and {} does not read such", node.op,
                           subject.target().title),
               "export with the functions put in line");
      continue;
    }
    sink.add(at.place(),
             fmt::format("{} is of the domain '{}', which {} does not have", node.op, node.domain,
                         subject.target().title),
             subject.target().tensorrt ? "load the plugin that has it, or export without it"
                                       : "load the library that has it, or export without it");
  }
}

void has_refused_types(const Subject& subject, Sink& sink) {
  for (const OutlineNode& node : subject.graph().nodes) {
    std::vector<int> seen;
    const auto judge = [&](const std::string& value) {
      const int type = subject.type_of(value);
      if (value.empty() || type == 0 || std::ranges::find(seen, type) != seen.end()) return;
      seen.push_back(type);
      judge_type(subject, sink, node, type);
    };
    std::ranges::for_each(node.inputs, judge);
    std::ranges::for_each(node.outputs, judge);
  }
}

void has_random_operators(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    if (is_pure(*at.node) || at.node->op == "Dropout" || !at.node->domain.empty()) continue;
    sink.add(at.place(),
             fmt::format("{} makes other numbers in every run{}", at.node->op,
                         subject.target().tensorrt ? ", and TensorRT ignores its seed" : ""),
             "give the noise as an input, as for a VAE encoder that returns mean and variance");
  }
}

void has_control_flow(const Subject& subject, Sink& sink) {
  for (const NodeAt& at : subject.nodes()) {
    const std::string& op = at.node->op;
    if (!at.node->domain.empty() || (op != "If" && op != "Loop" && op != "Scan")) continue;
    const bool decided = op == "If" && !at.node->inputs.empty() && !at.inner &&
                         subject.constant(at.node->inputs.front());
    sink.add(at.place(),
             decided ? "an If whose condition is the same in every run"
                     : fmt::format("{} keeps engines from fusing what is inside and around it", op),
             decided ? "export with the branch that is taken"
                     : "export by tracing, with the number of turns fixed");
  }
}

}  // namespace sinter::check
