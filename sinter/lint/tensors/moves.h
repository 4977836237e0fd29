#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// Tensor.to() and its kin: where it goes and what type it becomes.
struct Move {
  std::optional<Device> device;
  std::optional<DType> type;
  bool type_unknown = false;
  bool literal = false;  // a device written out at the call
  SourcePtr like = {};   // the tensor whose device was asked for
};
Move read_move(Interpreter& in, const std::string& name, const Invocation& call);

/// The type that .half(), .float() and the like give; empty for other methods.
std::optional<DType> type_of_method(std::string_view name);

/// "cuda" after torch.cuda.set_device(1) is cuda:1.
Device settled(const Interpreter& in, Device device);

}  // namespace sinter::lint
