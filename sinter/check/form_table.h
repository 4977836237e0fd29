#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinter/check/subject.h"

namespace sinter::check {

/// A form of an operator that some targets do not take, or only later versions of them.
struct FormRow {
  std::string_view op;
  Targets targets;
  bool version;  // true: later versions of the target take it, so it is only worth knowing
  /// What is in the way, or "" where the node has another form.
  std::string (*problem)(const Subject&, const graph::OutlineNode&);
  std::string_view todo;
};

/// Sources: the restrictions of onnx-tensorrt's supported-operators pages (8.5 and its change log
/// up to 8.6, 10.15), its change log for what came with 10.1 to 10.15; OpenVINO 2026.4 asked with
/// ONNX's one-node models.
std::span<const FormRow> forms();

/// An operand that has to be known while the graph is read.
struct ConstantOperand {
  std::string_view op;
  std::size_t index;
  std::string_view word;  // "axes"
  Targets targets;
  std::string_view until;  // last version of the target that asks for it; "": all of them
};

std::span<const ConstantOperand> constant_operands();

}  // namespace sinter::check
